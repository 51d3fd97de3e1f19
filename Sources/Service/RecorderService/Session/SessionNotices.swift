/// The notices to a session, in the order in which they were sent. Any thread may send notices; only the session reads
/// them.
struct SessionNotices: Sendable {
    /// An event that the session handles.
    enum Notice: Sendable {
        case pipeline(LivePipeline.Notice)
        case dispatcher(PacketDispatcher.Notice)
        /// A recording was requested, and is to begin.
        case begin(RecordingRun)
        case tick
        /// A request has changed the state; the session checks what to do.
        case look
    }

    let stream: AsyncStream<Notice>
    private let continuation: AsyncStream<Notice>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// Sends a notice. Returns at once.
    func send(_ notice: Notice) { continuation.yield(notice) }
}
