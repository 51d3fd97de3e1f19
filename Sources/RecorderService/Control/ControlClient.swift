import Foundation
public import MediaTypes
import NIOCore
import NIOHTTP1
import NIOPosix

/// Talks to one capture process: one request a connection, each with a deadline.
public struct ControlClient: Sendable {
    private let name: RecordingName
    private let path: String

    public init(_ name: RecordingName, in directory: RuntimeDirectory) {
        self.name = name
        path = directory.socket(name)
    }

    /// How things stand.
    ///
    /// - Throws: `notFound` when no process of that name runs, whatever socket it left behind.
    public func status() async throws(MediaError) -> RecordingStatus {
        try await request(.GET, "/v1/status", within: .seconds(5))
    }

    /// Ends the recording; returns when the file is whole. A slow disk may need a while, so this waits for two minutes.
    public func stop() async throws(MediaError) -> RecordingStatus {
        try await request(.POST, "/v1/stop", within: .minutes(2))
    }

    private func request<Answer: Decodable & Sendable>(
        _ method: HTTPMethod, _ uri: String, within deadline: TimeAmount
    ) async throws(MediaError) -> Answer {
        let collected = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: ByteBuffer.self)
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: collected.futureResult.eventLoop)
                .connectTimeout(.seconds(2))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        try channel.pipeline.syncOperations.addHandler(ResponseCollector(collected))
                    }
                }
                .connect(unixDomainSocketPath: path).get()
        } catch {
            collected.fail(error)
            throw refusal(error)
        }
        let timeout = channel.eventLoop.scheduleTask(in: deadline) {
            collected.fail(ChannelError.connectTimeout(deadline))
            channel.close(promise: nil)
        }
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: uri)
        head.headers = ["Host": "recorder", "Connection": "close", "Content-Length": "0"]
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        do {
            let body = try await collected.futureResult.get()
            timeout.cancel()
            return try JSONDecoder().decode(Answer.self, from: Data(body.readableBytesView))
        } catch {
            timeout.cancel()
            throw MediaError(
                .ioFailure, "cannot talk to \(name)", reason: "no usable answer (\(error))",
                wayOut: "its log says more: \(StateDirectory().log(name))")
        }
    }

    /// No socket, or nobody behind it: not running. Anything else is worth a word.
    private func refusal(_ error: any Error) -> MediaError {
        switch (error as? IOError)?.errnoCode {
        case ENOENT, ECONNREFUSED, ENOTDIR: Self.notRunning(name)
        case let number?: MediaError(errno: number, "cannot talk to \(name) through \(path)")
        case nil: MediaError(.ioFailure, "cannot talk to \(name) through \(path)", reason: "\(error)")
        }
    }

    static func notRunning(_ name: RecordingName) -> MediaError {
        MediaError(.notFound, "\(name)", reason: "not recording", wayOut: "`recorder start \(name)` begins it")
    }
}

/// Gathers one response and closes the connection. Lives on the channel's event loop.
private final class ResponseCollector: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let promise: EventLoopPromise<ByteBuffer>
    private var status = HTTPResponseStatus.ok
    private var body = ByteBuffer()
    /// A status is a few hundred bytes; whatever sends more is not ours.
    private let largest = 1 << 20

    init(_ promise: EventLoopPromise<ByteBuffer>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): status = head.status
        case .body(var part):
            body.writeBuffer(&part)
            if body.readableBytes > largest { errorCaught(context: context, error: HTTPParserError.headerOverflow) }
        case .end:
            if status == .ok {
                promise.succeed(body)
            } else {
                promise.fail(MediaError(.ioFailure, "request", reason: "HTTP status \(status.code)"))
            }
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.close(promise: nil)
    }
}
