/// A connection to a camera that never blocks: TCP (`StreamSocket`), or TLS over it (`SecureStream`). For one thread.
protocol CameraStream: AnyObject {
    /// The descriptor for poll(2).
    var descriptor: Int32 { get }
    var address: InternetAddress { get }
    /// True if bytes wait until the socket is writable.
    var hasUnsent: Bool { get }
    /// True if `receive` may have bytes although the socket is not readable.
    var hasUnread: Bool { get }

    /// Sends bytes, or keeps them until `flush`.
    ///
    /// - Returns: The failure, if the connection is no longer usable; nil on success.
    func send(_ bytes: [UInt8]) -> StreamFailure?

    /// Sends the bytes that wait. Returns the same as `send`.
    func flush() -> StreamFailure?

    func receive(into buffer: inout [UInt8]) -> StreamReading

    /// Announces that nothing more is sent.
    func endSending()
}

/// The result of one read.
enum StreamReading: Equatable {
    case bytes(Int)
    /// No bytes have arrived.
    case nothing
    /// The other side closed the connection.
    case end
    case failed(StreamFailure)
}
