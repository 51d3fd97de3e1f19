import FileSystem
import Glibc
import Hummingbird
import HummingbirdCore
package import Logging
package import MediaTypes
import NIOCore
import NIOPosix
import RealTime
package import RecorderControl

/// The page's server. It serves on a Unix socket, on loopback, or with TLS on a network.
/// `docs/reference/web-openapi.yaml` describes its interface.
package final class WebServer: Sendable {
    /// The address that the server listens on.
    package enum Address: Sendable, Equatable {
        /// A socket for a proxy. The members of the group may connect.
        case socket(String, group: UserGroup?)
        /// A host and a port. Without a certificate, the host is always loopback.
        case network(host: String, port: Int)
    }

    private let run: ServerRun
    private let group: MultiThreadedEventLoopGroup
    /// The port that the server listens on; nil for a socket.
    package let port: Int?

    /// Creates a server. Returns once the server listens.
    ///
    /// - Parameters:
    ///   - tls: The certificate and its key, which are read again when they change; nil to serve without TLS.
    ///   - limits: The limits of the server; tests use smaller limits.
    package init(
        _ routes: WebRouting, at address: Address, tls: TLSIdentity? = nil, hosts: WebHosts,
        limits: ControlLimits = .page, log: Logger
    ) async throws(MediaError) {
        let gate = WebGate(hosts: hosts, connections: limits.connections - 64)
        let table = routes.table(isSecure: tls != nil, trustsProxy: address.isSocket, bodyLimit: limits.body)
        let isListening = Once<Result<Int?, MediaError>>()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let requests = HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestGuard(limits, gate)],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.headers, maxHeaderListSize: limits.headers, maxHeaderFieldCount: 100))
        // Without TLS, browsers only use HTTP/1.1.
        var builder = HTTPServerBuilder.http1(configuration: requests)
        if let tls {
            let version = try tls.load()
            builder = HTTPServerBuilder { responder in
                try SecureChannel(
                    tls, version, gate: gate, limits: limits, requests: requests, responder: responder, log: log)
            }
        }
        var quiet = log
        quiet.logLevel = .warning
        let place: BindAddress
        switch address {
        case .socket(let path, _):
            try Self.removeStale(path)
            place = .unixDomainSocket(path: path)
        case .network(let host, let port): place = .hostname(host, port: port)
        }
        let application = Application(
            responder: CallbackResponder { (request: Request, context: ClientContext) in
                await table.answer(request, from: context.address, on: context.loop)
            },
            server: builder,
            configuration: .init(
                address: place, serverName: nil,
                availableConnectionsDelegate: .maximum(limits.connections, logger: quiet)),
            onServerRunning: { channel in
                do throws(MediaError) {
                    if case .socket(let path, let group) = address { try UserGroup.open(path, to: group) }
                    isListening.set(.success(channel.localAddress?.port))
                } catch {
                    isListening.set(.failure(error))
                }
            },
            eventLoopGroupProvider: .shared(group), logger: quiet)
        let words = address.words
        run = ServerRun(application, log: quiet) { error in
            isListening.set(.failure(Self.refusal(error, of: words)))
        }
        self.group = group
        switch await isListening.value() {
        case .success(let port): self.port = port
        case .failure(let error):
            port = nil
            await close()
            throw error
        }
    }

    /// Stops the server. Streams end at once.
    package func close() async { await run.close() }

    /// Removes a socket on which no process listens. Any other file is kept and causes an error.
    private static func removeStale(_ path: String) throws(MediaError) {
        var kind = stat()
        guard lstat(path, &kind) == 0 else { return }
        let isSocket = kind.st_mode & S_IFMT == S_IFSOCK
        guard isSocket, !RecorderControl.SocketAddress.isListening(path) else {
            throw MediaError(
                .busy, "cannot listen on \(path)",
                reason: isSocket ? "another `recorder web` is listening there" : "a file that is not a socket is there",
                wayOut: "\(isSocket ? "stop" : "remove") it, or choose another path with --socket")
        }
        unlink(path)
    }

    /// Returns the error for a server that cannot listen at a place, from the system's error.
    static func refusal(_ error: any Error, of place: String) -> MediaError {
        let action = "cannot listen on \(place)"
        guard let code = (error as? IOError)?.errnoCode else {
            return MediaError(
                .notFound, action, reason: "this name does not resolve to an address of this machine",
                wayOut: "use an address, e.g. 0.0.0.0:8443")
        }
        switch code {
        case EADDRINUSE:
            return MediaError(
                .busy, action, reason: "another program is listening there", underlying: .errno(code),
                wayOut: "choose another port, or stop that program; `ss -ltnp` shows it")
        case EADDRNOTAVAIL:
            return MediaError(
                .notFound, action, reason: "this machine does not have this address", underlying: .errno(code),
                wayOut: "`ip address` lists its addresses; 0.0.0.0 means all of them")
        case ENOENT, ENOTDIR:
            return MediaError(
                .cannotCreate, action, reason: "its directory does not exist", underlying: .errno(code),
                wayOut: "create it, or choose another path with --socket")
        case EACCES, EPERM:
            return MediaError(
                errno: code, action,
                wayOut: "ports below 1024 require root; a socket needs a directory that this user may write to")
        default: return MediaError(errno: code, action)
        }
    }
}

/// The context of a request: its client.
private struct ClientContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The client's address; nil on a Unix socket.
    let address: String?
    /// The event loop of the client's connection.
    let loop: any EventLoop

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        loop = source.channel.eventLoop
        address = source.channel.remoteAddress?.ipAddress
    }
}

extension WebServer.Address {
    var isSocket: Bool { if case .socket = self { true } else { false } }

    var words: String {
        switch self {
        case .socket(let path, _): path
        case .network(let host, let port): "\(host), port \(port)"
        }
    }
}

extension ControlLimits {
    /// The limits of the page's server. They are higher than those of a recorder, because far more clients watch a page
    /// than control a recorder.
    package static let page = {
        var limits = ControlLimits()
        limits.connections = 4096
        limits.crowdedTime = .seconds(2)
        return limits
    }()
}
