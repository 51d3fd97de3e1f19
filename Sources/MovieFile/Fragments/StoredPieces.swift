import MediaTypes

/// The parts of a fragment that stand in another file and have not been read: packets that pass through.
///
/// They go from file to file, with what was made for this one in front of, between and behind them: large ones inside the
/// kernel, small ones gathered in a block of memory that stays in the processor's cache.
struct StoredPieces {
    /// A stretch of another file.
    struct Piece {
        /// How many of the bytes that were made stand in front of it.
        var position: Int
        var place: StoredPlace
    }

    private let isUsed: Bool
    private(set) var pieces: [Piece] = []
    /// Of all pieces.
    private(set) var byteCount = 0

    /// - Parameter isUsed: false: every run gives its bytes.
    init(isUsed: Bool = true) { self.isUsed = isUsed }

    /// Takes note of a run that stands in another file and comes next; false for one in memory.
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

    /// From here on the kernel copies: for less a call costs more than reading and writing many at once.
    static let largePiece = 128 << 10

    /// Writes `bytes` with the pieces where they belong.
    ///
    /// - Parameter block: memory for small ones, used again and again.
    /// - Throws: the output's error; the error of the file that a piece stands in, `ioFailure` where that has become shorter.
    func write(
        among bytes: [UInt8], to output: any FragmentOutput, at offset: UInt64, using block: GatheredBlock
    ) throws(MediaError) {
        guard !pieces.isEmpty else { return try output.write(bytes, at: offset) }
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
    /// Where its part of `data` stands in another file; nil for what is in memory.
    var place: StoredPlace? { data.place.map { $0[offset..<(offset + byteCount)] } }
}
