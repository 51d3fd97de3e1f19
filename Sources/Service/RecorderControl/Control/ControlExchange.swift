import Foundation
import MediaTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import RealTime

/// One HTTP request over a Unix socket, and its answer. Each request has its own connection and one deadline.
struct ControlExchange: Sendable {
    struct Answer: Sendable {
        let status: HTTPResponseStatus
        let body: ByteBuffer
    }

    /// The error of a request whose answer did not arrive in time.
    struct NoAnswer: Error {}

    /// The event loop of all connections. It has only one thread: each NIO thread needs three descriptors, and NIO ends
    /// the process if none are left.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    let path: String
    /// The user that the server must run as, unless it runs as root.
    let owner: uid_t
    /// Maximum size of an answer in bytes. Every answer of `recorder` is shorter.
    var largestAnswer = 1 << 20

    /// Sends one request and returns the answer.
    ///
    /// - Throws: `IOError` if connecting fails, `MediaError` if an untrusted user listens, `NoAnswer` at the deadline,
    ///   or an error of the open connection.
    func send(
        _ method: HTTPMethod, _ uri: String, body: Data? = nil, within deadline: TimeAmount
    ) async throws -> Answer {
        let (path, owner, largest) = (path, owner, largestAnswer)
        let end = MonotonicClock().nanoseconds + deadline.nanoseconds
        let descriptor = try await blockingCall("connect") {
            Result { try ControlConnection.open(path, of: owner, until: end) }
        }.get()
        let answer = Self.group.any().makePromise(of: Answer.self)
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: answer.futureResult.eventLoop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        try channel.pipeline.syncOperations.addHandler(AnswerCollector(answer, largest: largest))
                    }
                }
                .withConnectedSocket(descriptor).get()
        } catch {
            answer.fail(error)
            throw error
        }
        let left = max(1, end - MonotonicClock().nanoseconds)
        let timeout = channel.eventLoop.scheduleTask(in: .nanoseconds(left)) {
            answer.fail(NoAnswer())
            channel.close(promise: nil)
        }
        defer { timeout.cancel() }
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: uri)
        head.headers = ["Host": "recorder", "Connection": "close", "Content-Length": "\(body?.count ?? 0)"]
        if body != nil { head.headers.add(name: "Content-Type", value: "application/json") }
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        if let body {
            channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
        }
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        return try await answer.futureResult.get()
    }
}

/// Collects one answer and closes the connection. Runs on the channel's event loop.
private final class AnswerCollector: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let promise: EventLoopPromise<ControlExchange.Answer>
    private let largest: Int
    private var status = HTTPResponseStatus.ok
    private var body = ByteBuffer()

    init(_ promise: EventLoopPromise<ControlExchange.Answer>, largest: Int) {
        self.promise = promise
        self.largest = largest
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): status = head.status
        case .body(var part):
            body.writeBuffer(&part)
            if body.readableBytes > largest { errorCaught(context: context, error: HTTPParserError.headerOverflow) }
        case .end:
            promise.succeed(ControlExchange.Answer(status: status, body: body))
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.close(promise: nil)
    }
}
