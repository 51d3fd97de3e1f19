import CommandInterface
import HTTPTypes
package import NIOCore
import NIOHTTP1
package import NIOHTTPTypes

/// Stands between a connection and what answers: lets whole requests of those who may ask through, and nothing else.
///
/// A request that is malformed, too long, or not there in time is answered here, and its connection closed; so is that of a
/// client that does not read its answers. What is kept for one connection is one request of bounded size. Lives on the
/// connection's event loop.
package final class RequestGuard<Gate: RequestGate>: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let limits: ControlLimits
    private let gate: Gate
    private var visitor: Gate.Visitor?
    private var head: HTTPRequest?
    private var body = ByteBuffer()
    /// Requests that went through and are not answered yet.
    private var unanswered = 0
    /// Nothing is read any more; the connection ends after the answer under way.
    private var isClosing = false
    private var requestTimer: Scheduled<Void>?
    private var readerTimer: Scheduled<Void>?
    /// False for a stream of HTTP/2, which is one request and its answer.
    private var speaksHTTP1 = true
    /// Bytes of answers that were handed to the connection, and how many of them the kernel had taken at the last look.
    private var writtenBytes = 0
    private var takenBytes = 0

    package init(_ limits: ControlLimits, _ gate: Gate) {
        self.limits = limits
        self.gate = gate
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        // Where no decoder of HTTP/1 is, the channel is a stream of HTTP/2.
        speaksHTTP1 = (try? OldClientFraming.add(to: context.pipeline.syncOperations)) != nil
        if context.channel.isActive { admit(context) }
    }

    package func channelActive(context: ChannelHandlerContext) {
        admit(context)
        context.fireChannelActive()
    }

    private func admit(_ context: ChannelHandlerContext) {
        guard visitor == nil, !isClosing else { return }
        // Known at once: this is the connection's own thread.
        gate.admit(context.channel).assumeIsolated().whenSuccess { [self] answer in
            switch answer {
            case .success(let visitor):
                self.visitor = visitor
                awaitRequest(context)
            case .failure(let error): refuse(error, context)
            }
        }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        if let visitor { gate.leave(visitor) }
        requestTimer?.cancel()
        readerTimer?.cancel()
        context.fireChannelInactive()
    }

    // MARK: Requests

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(var part):
            guard head != nil else { return }
            body.writeBuffer(&part)
            if body.readableBytes > limits.body { refuse(.tooLarge("body", limit: limits.body), context) }
        case .end:
            guard let head else { return }
            requestTimer?.cancel()
            requestTimer = nil
            unanswered += 1
            context.fireChannelRead(wrapInboundOut(.head(head)))
            if body.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(.body(body))) }
            context.fireChannelRead(wrapInboundOut(.end(nil)))
            self.head = nil
            body = ByteBuffer()
        }
    }

    private func begin(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
        // After either of these the connection would no longer speak HTTP, and the decoder would only gather bytes.
        guard head.method != .connect, head.headerFields[.upgrade] == nil else {
            return refuse(.badRequest("cannot answer: this connection speaks HTTP/1.1 and nothing else"), context)
        }
        if let refusal = gate.refusal(of: head) { return refuse(refusal, to: head, context) }
        if let text = head.headerFields[.contentLength], let length = Int(text), length > limits.body {
            return refuse(.tooLarge("body", limit: limits.body), context)
        }
        self.head = head
        if head.headerFields[.expect]?.lowercased() == "100-continue", unanswered == 0 {
            context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        }
    }

    /// After a request that could not be decoded nothing on this connection can be.
    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.headerOverflow:
            refuse(
                ControlError(
                    .requestHeaderFieldsTooLarge, "tooLarge",
                    "cannot read the request: its line and headers are longer than \(limits.headers) bytes"), context)
        case is IOError, is ChannelError: context.close(promise: nil)
        default: refuse(.badRequest("cannot read the request: it is not HTTP/1.1"), context)
        }
    }

    private func awaitRequest(_ context: ChannelHandlerContext) {
        look(since: .now(), context)
    }

    /// Ends a connection that has not sent a whole request in time, which is shorter while others wait for one.
    private func look(since began: NIODeadline, _ context: ChannelHandlerContext) {
        requestTimer?.cancel()
        let end = began + (gate.isFull ? min(limits.crowdedTime, limits.requestTime) : limits.requestTime)
        let now = NIODeadline.now()
        let next = now < end ? min(end - now, limits.crowdedTime) : .zero
        requestTimer = context.eventLoop.assumeIsolated().scheduleTask(in: next) { [self] in
            guard NIODeadline.now() >= end else { return look(since: began, context) }
            guard head != nil else { return context.close(promise: nil) }
            refuse(
                ControlError(.requestTimeout, "timeout", "cannot read the request: it did not come whole in time"),
                context)
        }
    }

    /// Answers and closes; behind an answer that is under way nothing fits, and closing must do.
    private func refuse(_ error: ControlError, to head: HTTPRequest? = nil, _ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        isClosing = true
        requestTimer?.cancel()
        self.head = nil
        body = ByteBuffer()
        guard unanswered == 0 else { return }
        let body = gate.body(of: error, to: head)
        let text = ByteBuffer(string: body.text)
        var head = HTTPResponse(
            status: error.status,
            headerFields: [.contentType: body.type, .contentLength: String(text.readableBytes)])
        // HTTP/2 has no such field (RFC 9113, 8.2.2): the end of the stream is the end.
        if speaksHTTP1 { head.headerFields[.connection] = "close" }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(text)), promise: nil)
        end(nil, context, promise: nil)
    }

    /// A connection that is to be closed reads nothing more; what still comes stays in the kernel.
    package func read(context: ChannelHandlerContext) {
        if !isClosing { context.read() }
    }

    // MARK: Answers

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head: context.write(data, promise: promise)
        case .body(let part):
            writtenBytes += part.readableBytes
            context.write(data, promise: promise)
        case .end(let trailers):
            unanswered -= 1
            end(trailers, context, promise: promise)
        }
    }

    /// The end of an answer. What follows waits until the client has taken it.
    private func end(
        _ trailers: HTTPFields?, _ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?
    ) {
        let written = promise ?? context.eventLoop.makePromise()
        context.writeAndFlush(wrapOutboundOut(.end(trailers)), promise: written)
        written.futureResult.assumeIsolated().whenComplete { [self] _ in
            if isClosing, unanswered == 0 {
                context.close(promise: nil)
            } else if unanswered == 0, context.channel.isActive {
                awaitRequest(context)
            }
        }
        watchReader(context)
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !context.channel.isWritable { watchReader(context) }
        context.fireChannelWritabilityChanged()
    }

    /// Closes the connection when something waits to be read and, one stall time later, none of it has been.
    private func watchReader(_ context: ChannelHandlerContext) {
        let pending = pending(context)
        guard readerTimer == nil, pending > 0 else { return }
        takenBytes = writtenBytes - pending
        readerTimer = context.eventLoop.assumeIsolated().scheduleTask(in: limits.stallTime) { [self] in
            readerTimer = nil
            let pending = self.pending(context)
            if pending > 0, writtenBytes - pending <= takenBytes {
                context.close(promise: nil)
            } else {
                watchReader(context)
            }
        }
    }

    /// Bytes that the client has not taken. A stream of HTTP/2 does not count them; it only stops being writable.
    private func pending(_ context: ChannelHandlerContext) -> Int {
        guard speaksHTTP1 else { return context.channel.isWritable ? 0 : 1 }
        return (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
