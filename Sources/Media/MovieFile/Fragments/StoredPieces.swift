import MediaTypes

/// The parts of a fragment that are stored in another file and were not read: remuxed packets.
///
/// They are copied from file to file. The bytes that were created for this file are between them. Large pieces are
/// copied inside the kernel. Small ones are gathered in a block of memory that stays in the processor's cache.
struct StoredPieces {
    /// A range of another file.
    struct Piece {
        /// The offset of the piece among the bytes that were created for this file.
        var position: Int
        var place: StoredPlace
    }

    private let isUsed: Bool
    private(set) var pieces: [Piece] = []
    /// True if nothing is copied from another file.
    var isEmpty: Bool { pieces.isEmpty }
    /// The size of all pieces.
    private(set) var byteCount = 0

    /// - Parameter isUsed: if false, the bytes of every run are read.
    init(isUsed: Bool = true) { self.isUsed = isUsed }

    /// Records the next run if it is stored in another file. Returns false if it is in memory.
    mutating func take(_ run: FragmentBuilder.Run, at position: Int) -> Bool {
        guard isUsed, let place = run.place else { return false }
        guard place.count > 0 else { return true }
        byteCount += place.count
        if let last = pieces.last, last.position == position, let joined = last.place.joined(with: place) {
            pieces[pieces.count - 1].place = joined
        } else {
            pieces.append(Piece(position: position, place: place))
        }
        return true
    }

    /// The minimum size of a piece that the kernel copies. It takes a call for each piece. For smaller
    /// pieces this costs more than reading and writing many pieces at once.
    static let largePiece = 128 << 10

    /// Writes `bytes`, and the pieces at their positions. If there are no pieces, the caller writes `bytes` itself, in
    /// one call.
    ///
    /// - Parameter block: reusable memory for small pieces.
    /// - Throws: the output's error; the error of the file that contains a piece; `ioFailure` if that file was
    ///   truncated meanwhile.
    func write(
        among bytes: [UInt8], to output: any FragmentOutput, at offset: UInt64, using block: GatheredBlock
    ) throws(MediaError) {
        block.begin(output, at: offset)
        var done = 0
        for piece in pieces {
            try block.add(bytes[done..<piece.position])
            done = piece.position
            if piece.place.count >= Self.largePiece {
                try block.flush()
                try output.copy(piece.place, to: block.position)
                block.skip(piece.place.count)
            } else {
                try block.add(piece.place)
            }
        }
        try block.add(bytes[done...])
        try block.flush()
    }
}

extension FragmentBuilder.Run {
    /// The position of the run's part of `data` in another file; nil if that part is in memory.
    var place: StoredPlace? { data.place.map { $0[offset..<(offset + byteCount)] } }
}
