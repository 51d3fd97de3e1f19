import CommandInterface
import HTTPTypes
package import NIOCore
import NIOHTTP1
package import NIOHTTPTypes

/// Forwards only complete requests of admitted clients from a connection to the handlers.
///
/// For a request that is malformed, too long or late, it sends an error and closes the connection. It also closes the
/// connection of a client that does not read its answers. The memory per connection is limited to one request of
/// limited size. Runs on the connection's event loop.
package final class RequestGuard<Gate: RequestGate>: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let limits: ControlLimits
    private let gate: Gate
    private var admitted: Gate.Admitted?
    private var head: HTTPRequest?
    private var body = ByteBuffer()
    /// The number of requests that were forwarded and are not answered yet.
    private var unanswered = 0
    /// True once the connection reads no more requests. It closes after the current answer.
    private var isClosing = false
    private var requestTimer: Scheduled<Void>?
    private var readerTimer: Scheduled<Void>?
    /// False for an HTTP/2 stream, which is one request and its answer.
    private var speaksHTTP1 = true
    /// The number of bytes of answers that were written to the connection. `takenBytes` is the part that the kernel had
    /// accepted at the last check.
    private var writtenBytes = 0
    private var takenBytes = 0

    package init(_ limits: ControlLimits, _ gate: Gate) {
        self.limits = limits
        self.gate = gate
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        // Without an HTTP/1 decoder the channel is an HTTP/2 stream.
        speaksHTTP1 = (try? OldClientFraming.add(to: context.pipeline.syncOperations)) != nil
        if context.channel.isActive { admit(context) }
    }

    package func channelActive(context: ChannelHandlerContext) {
        admit(context)
        context.fireChannelActive()
    }

    private func admit(_ context: ChannelHandlerContext) {
        guard admitted == nil, !isClosing else { return }
        // Available immediately: this is the connection's own thread.
        gate.admit(context.channel).assumeIsolated().whenSuccess { [self] answer in
            switch answer {
            case .success(let admitted):
                self.admitted = admitted
                awaitRequest(context)
            case .failure(let error): refuse(error, context)
            }
        }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        if let admitted { gate.leave(admitted) }
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
        // After CONNECT or an upgrade, the connection would not use HTTP any more, and the decoder would only buffer
        // bytes.
        guard head.method != .connect, head.headerFields[.upgrade] == nil else {
            return refuse(.badRequest("cannot answer: this socket supports only HTTP/1.1"), context)
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

    /// Handles a request that could not be decoded. The rest of the connection cannot be decoded either.
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

    /// Closes the connection if no complete request has arrived in time. The limit is shorter while other clients wait.
    private func look(since began: NIODeadline, _ context: ChannelHandlerContext) {
        requestTimer?.cancel()
        let end = began + (gate.isFull ? min(limits.crowdedTime, limits.requestTime) : limits.requestTime)
        let now = NIODeadline.now()
        let next = now < end ? min(end - now, limits.crowdedTime) : .zero
        requestTimer = context.eventLoop.assumeIsolated().scheduleTask(in: next) { [self] in
            guard NIODeadline.now() >= end else { return look(since: began, context) }
            guard head != nil else { return context.close(promise: nil) }
            refuse(
                ControlError(
                    .requestTimeout, "timeout", "cannot read the request: it did not arrive completely in time"),
                context)
        }
    }

    /// Answers with an error and closes the connection. If another answer is being sent, only closes the connection.
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
        // HTTP/2 does not have this field (RFC 9113, 8.2.2): the end of the stream ends the answer.
        if speaksHTTP1 { head.headerFields[.connection] = "close" }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(text)), promise: nil)
        end(nil, context, promise: nil)
    }

    /// Reads more data, unless the connection is being closed. In that case, further data stays in the kernel.
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

    /// Ends an answer. Once the client has received the answer, the connection waits for the next request, or closes.
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

    /// Closes the connection if data waits for the client, but the client reads none of the data within one stall time.
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

    /// Returns the number of bytes that wait for the client. For an HTTP/2 stream this number is unknown: 1 then means
    /// that the stream accepts no more bytes.
    private func pending(_ context: ChannelHandlerContext) -> Int {
        guard speaksHTTP1 else { return context.channel.isWritable ? 0 : 1 }
        return (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
