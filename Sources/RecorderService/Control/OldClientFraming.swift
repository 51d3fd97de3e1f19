import DequeModule
import NIOCore
import NIOHTTP1

/// Lets clients of HTTP/1.0 have answers that they can read: without chunks, which that version does not know (RFC 9112, 6.1 and 7.1),
/// and ending with their connection.
///
/// Stands where a request's version is still known, in front of what makes a request of today of it. Lives on the connection's event loop.
final class OldClientFraming: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Whether they are of HTTP/1.0, of requests that are not answered yet.
    private var isOld: Deque<Bool> = []

    /// Adds one to a connection's handlers.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(OldClientFraming(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        isOld.append(head.version == .http1_0)
        guard head.version == .http1_0 else { return context.fireChannelRead(data) }
        // Nobody may wait for an interim answer there (RFC 9110, 10.1.1), and the end of the answer is the connection's.
        head.headers.remove(name: "Expect")
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where isOld.first == true:
            // The encoder makes chunks where the answer is of HTTP/1.1.
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
