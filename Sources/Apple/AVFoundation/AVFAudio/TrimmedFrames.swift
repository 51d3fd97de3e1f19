/// Removes frames at the beginning and at the end of a stream of frames.
struct TrimmedFrames {
    private var leading: Int
    private let trailing: Int
    private var held: [UInt8] = []

    /// - Parameters:
    ///   - leading: the number of bytes to remove at the beginning.
    ///   - trailing: the number of bytes to remove at the end.
    init(leading: Int, trailing: Int) {
        self.leading = leading
        self.trailing = trailing
    }

    /// Passes frames on. Holds back the last ones, because they may be the end of the stream.
    mutating func pass<Failure: Error>(
        _ frames: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let skipped = min(leading, frames.count)
        leading -= skipped
        let rest = UnsafeRawBufferPointer(rebasing: frames[skipped...])
        guard trailing > 0 else { return try body(rest) }
        held += rest
        let ready = held.count - trailing
        guard ready > 0 else { return }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: ready, alignment: 64)
        defer { memory.deallocate() }
        memory.copyBytes(from: held[..<ready])
        held.removeFirst(ready)
        try body(UnsafeRawBufferPointer(memory))
    }
}
