import MediaTypes
package import NIOCore
package import NIOHTTP1
import NIOPosix
import RealTime

/// An answer of unlimited length, read in pieces. Unread data waits in the kernel, then on the server.
package final class ControlStream: Sendable {
    package let status: HTTPResponseStatus
    package let headers: HTTPHeaders
    /// The pieces of the body. The body ends with the connection.
    package let body: Body

    private let channel: any Channel

    private init(_ head: HTTPResponseHead, _ body: Body, _ channel: any Channel) {
        status = head.status
        headers = head.headers
        self.body = body
        self.channel = channel
    }

    deinit { close() }

    /// Closes the stream, and ends the wait of its reader. Thread-safe.
    package func close() { channel.close(promise: nil) }

    /// The event loop of all streams. One thread is enough, because it only forwards data.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - owner: The user that the server must run as, unless it runs as root.
    ///   - deadline: Maximum wait for the headers.
    /// - Throws: Same as for `ControlExchange.send`.
    static func open(
        _ uri: String, path: String, owner: uid_t, within deadline: TimeAmount
    ) async throws -> ControlStream {
        let end = MonotonicClock().nanoseconds + deadline.nanoseconds
        let descriptor = try await blockingCall("connect") {
            Result { try ControlConnection.open(path, of: owner, until: end) }
        }.get()
        let loop = group.any()
        let head = loop.makePromise(of: HTTPResponseHead.self)
        let body = Body()
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: loop)
                .channelOption(.autoRead, value: false)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        try channel.pipeline.syncOperations.addHandler(StreamReader(head, body))
                    }
                }
                .withConnectedSocket(descriptor).get()
        } catch {
            head.fail(error)
            throw error
        }
        let timeout = channel.eventLoop.scheduleTask(in: .nanoseconds(max(1, end - MonotonicClock().nanoseconds))) {
            head.fail(ControlExchange.NoAnswer())
            channel.close(promise: nil)
        }
        defer { timeout.cancel() }
        var request = HTTPRequestHead(version: .http1_1, method: .GET, uri: uri)
        request.headers = ["Host": "recorder", "Connection": "close"]
        channel.write(HTTPClientRequestPart.head(request), promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        channel.read()
        body.wanting = { channel.read() }
        return ControlStream(try await head.futureResult.get(), body, channel)
    }

    /// Reads the rest of the stream, up to a limit, and closes it.
    func rest(upTo limit: Int) async -> ByteBuffer {
        var all = ByteBuffer()
        while all.readableBytes < limit, var piece = await body.next() { all.writeBuffer(&piece) }
        close()
        return all
    }

    /// The received pieces that have not been read. They are few, because the stream reads from its connection only
    /// when a reader waits. Only one task may read.
    package final class Body: Sendable {
        private struct State {
            var pieces: [ByteBuffer] = []
            var isOver = false
            var reader: CheckedContinuation<ByteBuffer?, Never>?
            var wanting: (@Sendable () -> Void)?
        }

        private let state = Locked(State())

        var wanting: (@Sendable () -> Void)? {
            get { state.withLock { $0.wanting } }
            set { state.withLock { $0.wanting = newValue } }
        }

        /// Waits for data, and returns everything that was received; nil at the end, or if the task is cancelled.
        package func next() async -> ByteBuffer? {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let want: (@Sendable () -> Void)? = state.withLock { state in
                        if var all = state.pieces.first {
                            for var piece in state.pieces.dropFirst() { all.writeBuffer(&piece) }
                            state.pieces = []
                            continuation.resume(returning: all)
                            return nil
                        }
                        guard !state.isOver, !Task.isCancelled else {
                            continuation.resume(returning: nil)
                            return nil
                        }
                        state.reader = continuation
                        return state.wanting
                    }
                    want?()
                }
            } onCancel: {
                end()
            }
        }

        func take(_ piece: ByteBuffer) {
            state.withLock { state in
                if let reader = state.reader {
                    state.reader = nil
                    reader.resume(returning: piece)
                } else {
                    state.pieces.append(piece)
                }
            }
        }

        func end() {
            state.withLock { state in
                state.isOver = true
                state.wanting = nil
                state.reader?.resume(returning: nil)
                state.reader = nil
            }
        }

        /// True if a reader waits for a piece.
        var isWanted: Bool { state.withLock { $0.reader != nil } }
    }
}

/// Forwards pieces. Runs on the channel's event loop.
private final class StreamReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let head: EventLoopPromise<HTTPResponseHead>
    private let body: ControlStream.Body
    private var hasHead = false

    init(_ head: EventLoopPromise<HTTPResponseHead>, _ body: ControlStream.Body) {
        self.head = head
        self.body = body
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            hasHead = true
            self.head.succeed(head)
        case .body(let piece): body.take(piece)
        case .end: context.close(promise: nil)
        }
    }

    /// Reads again if the last read returned no complete piece and the reader still waits.
    func channelReadComplete(context: ChannelHandlerContext) {
        if !hasHead || body.isWanted { context.read() }
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        head.fail(ChannelError.eof)
        body.end()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        head.fail(error)
        context.close(promise: nil)
    }
}
