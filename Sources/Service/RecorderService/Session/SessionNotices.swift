/// The notices to a session, in the order in which they were sent. Any thread sends them; the session alone reads them.
struct SessionNotices: Sendable {
    /// An event that the session handles.
    enum Notice: Sendable {
        case pipeline(LivePipeline.Notice)
        case dispatcher(PacketDispatcher.Notice)
        /// A recording should begin.
        case begin(RecordingRun)
        case tick
        /// A request has changed the state.
        case look
    }

    let stream: AsyncStream<Notice>
    private let continuation: AsyncStream<Notice>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// Sends a notice. Returns at once.
    func send(_ notice: Notice) { continuation.yield(notice) }
}
