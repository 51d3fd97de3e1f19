/// The owner of each buffer: the camera or the recorder. A plain value.
struct BufferTable: Sendable {
    /// Bits of the buffers that were announced.
    private var known: UInt32 = 0
    /// Bits of the buffers that the recorder has.
    private var held: UInt32 = 0

    /// The number of announced buffers.
    var count: Int { known.nonzeroBitCount }

    /// The number of buffers that the camera can fill.
    var queuedCount: Int { (known & ~held).nonzeroBitCount }

    /// Adds a buffer, which the camera has at first.
    ///
    /// - Returns: false if it was added before, or its number is out of range.
    mutating func add(_ buffer: Int) -> Bool {
        guard let bit = Self.bit(buffer), known & bit == 0 else { return false }
        known |= bit
        return true
    }

    /// Records that the camera filled a buffer.
    ///
    /// - Returns: false if the camera does not have it.
    mutating func take(_ buffer: Int) -> Bool {
        guard let bit = Self.bit(buffer), known & bit != 0, held & bit == 0 else { return false }
        held |= bit
        return true
    }

    /// Records that the recorder returns a buffer.
    ///
    /// - Returns: false if the recorder does not have it.
    mutating func giveBack(_ buffer: Int) -> Bool {
        guard let bit = Self.bit(buffer), held & bit != 0 else { return false }
        held &= ~bit
        return true
    }

    private static func bit(_ buffer: Int) -> UInt32? {
        guard (0..<MessageLayout.mostBuffers).contains(buffer) else { return nil }
        return UInt32(1) << UInt32(buffer)
    }
}
