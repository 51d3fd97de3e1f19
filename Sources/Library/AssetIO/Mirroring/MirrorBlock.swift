import MediaTypes
import MovieFile

/// Bytes of a movie, and their offsets. The bytes of one block are synced together. Both mirrored files share the
/// block.
struct MirrorBlock: Sendable {
    struct Piece: Sendable {
        var offset: UInt64
        var bytes: [UInt8]
        var range: Range<UInt64> { offset..<offset + UInt64(bytes.count) }
    }

    private(set) var pieces: [Piece] = []
    private(set) var byteCount = 0

    mutating func add(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
        byteCount += bytes.count
        if let last = pieces.last, last.range.upperBound == offset {
            pieces[pieces.count - 1].bytes += bytes
        } else {
            pieces.append(Piece(offset: offset, bytes: Array(bytes)))
        }
    }

    var ranges: RangeSet<UInt64> { RangeSet(pieces.map(\.range)) }
    /// The end of the last piece.
    var end: UInt64 { pieces.map(\.range.upperBound).max() ?? 0 }

    func write(to output: any FragmentOutput) throws(MediaError) {
        for piece in pieces { try output.write(piece.bytes, at: piece.offset) }
        try output.synchronize()
    }
}

/// Collects the writer's data as blocks, for both files at once. Used by the muxer's thread.
final class MirrorOutput: FragmentOutput {
    private var block = MirrorBlock()
    private let hand: (MirrorBlock) throws(MediaError) -> Void

    /// - Parameter hand: accepts a block, and returns once one of the files has it on its disk.
    init(_ hand: @escaping (MirrorBlock) throws(MediaError) -> Void) { self.hand = hand }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError) { block.add(bytes, at: offset) }

    func synchronize() throws(MediaError) {
        guard block.byteCount > 0 else { return }
        let whole = block
        block = MirrorBlock()
        try hand(whole)
    }
}
