import MediaTypes

/// The parts of a fragment that stand in another file and have not been read: packets that pass through.
///
/// The fragment leaves room for them. They are read into it before it is written, all that stand near each other at once: the
/// pictures and the sound of a film lie in turns, and a system call for each packet would cost more than the copying.
struct StoredPieces {
    /// A stretch of another file, and where in the buffer there is room for it.
    struct Piece {
        var position: Int
        var place: StoredPlace
    }

    private let isUsed: Bool
    private(set) var pieces: [Piece] = []

    /// - Parameter isUsed: false: every run gives its bytes.
    init(isUsed: Bool = true) { self.isUsed = isUsed }

    /// Leaves room for a run that stands in another file; false for one in memory.
    mutating func take(_ run: FragmentBuilder.Run, into writer: inout AtomWriter) -> Bool {
        guard isUsed, let data = run.data.place else { return false }
        let place = data[run.offset..<(run.offset + run.byteCount)]
        if let last = pieces.last, last.position + last.place.count == writer.count,
            let joined = last.place.joined(with: place)
        {
            pieces[pieces.count - 1].place = joined
        } else if place.count > 0 {
            pieces.append(Piece(position: writer.count, place: place))
        }
        writer.zeros(place.count)
        return true
    }

    /// Reads all pieces to where they belong.
    ///
    /// - Throws: as `StoredFile.read`: the error of the file that they stand in, `ioFailure` where it has become shorter.
    mutating func read(into writer: inout AtomWriter) throws(MediaError) {
        guard !pieces.isEmpty else { return }
        pieces.sort { $0.place.offset < $1.place.offset }
        var batches: [ScatteredRead] = []
        // Of several files, one after the other.
        var rest = pieces[...]
        while let first = rest.first {
            var others: [Piece] = []
            var batch = ScatteredRead(first.place)
            for piece in rest {
                guard piece.place.file.isSame(as: first.place.file) else {
                    others.append(piece)
                    continue
                }
                if !batch.take(piece) {
                    batches.append(batch)
                    batch = ScatteredRead(piece.place)
                    _ = batch.take(piece)
                }
            }
            batches.append(batch)
            rest = others[...]
        }
        try writer.overwrite { bytes throws(MediaError) in
            for batch in batches { try batch.run(into: bytes) }
        }
    }
}

/// Pieces of one file that one call reads (preadv(2)), with little between them.
private struct ScatteredRead {
    private let file: StoredFile
    private let start: UInt64
    private var end: UInt64
    /// nil: read and thrown away.
    private var parts: [(position: Int?, count: Int)] = []

    /// What lies between two pieces is read too where it is no more: a call costs as much as a few pages.
    private static let largestGap: UInt64 = 8 << 10
    /// Of preadv (limits.h, IOV_MAX), less one for the gap in front.
    private static let mostParts = 1023

    init(_ first: StoredPlace) {
        file = first.file
        start = first.offset
        end = first.offset
    }

    /// Adds a piece that begins no earlier than the one before it; false for one that is too far away.
    mutating func take(_ piece: StoredPieces.Piece) -> Bool {
        guard piece.place.offset >= end, piece.place.offset - end <= Self.largestGap, parts.count < Self.mostParts
        else { return false }
        let gap = Int(piece.place.offset - end)
        if gap > 0 { parts.append((nil, gap)) }
        parts.append((piece.position, piece.place.count))
        end = piece.place.offset + UInt64(piece.place.count)
        return true
    }

    func run(into bytes: UnsafeMutableRawBufferPointer) throws(MediaError) {
        let scrap = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(Self.largestGap), alignment: 16)
        defer { scrap.deallocate() }
        let targets = parts.map { part in
            let memory = part.position.map { bytes[$0...] } ?? scrap[...]
            return UnsafeMutableRawBufferPointer(rebasing: memory.prefix(part.count))
        }
        try file.read(into: targets, at: start)
    }
}
