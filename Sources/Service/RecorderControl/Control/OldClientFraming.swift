import DequeModule
import NIOCore
import NIOHTTP1

/// Formats answers for HTTP/1.0 clients. It avoids chunked encoding, because HTTP/1.0 does not support that (RFC 9112,
/// 6.1 and 7.1). The end of the connection marks the end of an answer.
///
/// This handler must be before the handler that converts requests, because the conversion drops the HTTP version. Runs
/// on the connection's event loop.
final class OldClientFraming: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// For each unanswered request, true if it is HTTP/1.0.
    private var isOld: Deque<Bool> = []

    /// Adds a handler to a connection.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(OldClientFraming(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        isOld.append(head.version == .http1_0)
        guard head.version == .http1_0 else { return context.fireChannelRead(data) }
        // HTTP/1.0 clients do not support interim answers (RFC 9110, 10.1.1), and the end of the answer is the end of
        // the connection.
        head.headers.remove(name: "Expect")
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where isOld.first == true:
            // The encoder uses chunks if the answer is HTTP/1.1.
            head.version = .http1_0
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            _ = isOld.popFirst()
            context.write(data, promise: promise)
        case .head, .body: context.write(data, promise: promise)
        }
    }
}
