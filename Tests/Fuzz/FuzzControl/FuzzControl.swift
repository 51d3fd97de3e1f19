import Dispatch
import Hummingbird
import MediaTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

@testable import RecorderControl
@testable import RecorderStorage

private let limits = ControlLimits()
private let routes = ControlRoutes.controlling(
    ControlOperations(SilentControl(), limits: limits) { true }, limits: limits)

/// libFuzzer's entry point: any bytes are sent to the control interface by a client. A complete request is answered,
/// for the owner and for a member of the control group. Any other is refused, and its connection closed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzControl(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let channel = EmbeddedChannel()
    let requests = Requests()
    let admission = ControlAdmission(limits, hasMembers: true)
    do {
        try configure(channel, admission, requests)
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/x")).wait()
        _ = try channel.writeInbound(ByteBuffer(bytes: UnsafeRawBufferPointer(start: start, count: count)))
    } catch {
        preconditionFailure("an error without a response: \(error)")
    }
    for request in requests.whole {
        for peer in [ControlPeer.owner, .member] {
            let status = answer(request, peer).status.code
            precondition(status < 500 || status == 503, "unexpected status \(status)")
        }
    }
    _ = try? channel.finish(acceptAlreadyClosed: true)
    return 0
}

/// Adds the handlers of a control interface connection to the channel.
private func configure(_ channel: EmbeddedChannel, _ admission: ControlAdmission, _ requests: Requests) throws {
    var decoding = NIOHTTPDecoderLimitConfiguration()
    decoding.maxHeaderFieldSize = limits.headers
    decoding.maxHeaderListSize = limits.headers
    decoding.maxHeaderFieldCount = 100
    let pipeline = channel.pipeline.syncOperations
    try pipeline.configureHTTPServerPipeline(
        withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
        withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoding)
    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
    try pipeline.addHandler(RequestGuard(limits, admission))
    try pipeline.addHandler(requests)
}

private func answer(_ request: Request, _ peer: ControlPeer) -> Response {
    let answered = DispatchSemaphore(value: 0)
    let result = Answer()
    Task {
        result.response = await routes.answer(request, of: peer)
        answered.signal()
    }
    answered.wait()
    return result.response!
}

/// Unchecked: the semaphore orders the write before the read.
private final class Answer: @unchecked Sendable {
    var response: Response?
}

/// A handler that keeps the requests that the guard accepts.
private final class Requests: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart

    private(set) var whole: [Request] = []
    private var head: HTTPRequest?
    private var body = ByteBuffer()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body(let part): body.writeImmutableBuffer(part)
        case .end:
            guard let head else { preconditionFailure("a request body without a request head") }
            precondition(body.readableBytes <= limits.body, "a body beyond the limit")
            whole.append(Request(head: head, body: RequestBody(buffer: body)))
            (self.head, body) = (nil, ByteBuffer())
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        preconditionFailure("an unexpected error: \(error)")
    }
}
