import FileSystem
import Glibc
import Hummingbird
import HummingbirdCore
package import Logging
package import MediaTypes
import NIOCore
import NIOPosix
import NIOSSL
import RealTime
package import RecorderService
import ServiceLifecycle

/// The page's server: on a Unix socket, on loopback, or with TLS on a network. `docs/web-openapi.yaml` describes it.
package final class WebServer: Sendable {
    /// Where it listens.
    package enum Address: Sendable, Equatable {
        /// For a proxy in front; a group whose members may connect.
        case socket(String, group: ControlGroup?)
        /// Without a certificate only ever loopback.
        case network(host: String, port: Int)
    }

    private let services: ServiceGroup
    private let running: Task<Void, any Error>
    private let group: MultiThreadedEventLoopGroup
    /// Where it listens in fact: the port that was free.
    package let port: Int?

    /// Begins to listen; when this returns it does.
    ///
    /// - Parameters:
    ///   - tls: of a certificate and its key.
    ///   - limits: a test makes them smaller.
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
        // Without TLS browsers speak HTTP/1.1 alone.
        var builder = HTTPServerBuilder.http1(configuration: requests)
        if let tls {
            let configuration = try tls.configuration()
            do { _ = try NIOSSLContext(configuration: configuration) } catch { throw tls.mismatch }
            builder = HTTPServerBuilder { responder in
                try SecureChannel(configuration, gate: gate, limits: limits, requests: requests, responder: responder)
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
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in await table.answer(request) },
            server: builder,
            configuration: .init(
                address: place, serverName: nil,
                availableConnectionsDelegate: .maximum(limits.connections, logger: quiet)),
            onServerRunning: { channel in
                do throws(MediaError) {
                    if case .socket(let path, let group) = address { try Self.admit(group, to: path) }
                    isListening.set(.success(channel.localAddress?.port))
                } catch {
                    isListening.set(.failure(error))
                }
            },
            eventLoopGroupProvider: .shared(group), logger: quiet)
        let services = ServiceGroup(configuration: .init(services: [application], logger: quiet))
        let words = address.words
        running = Task {
            do { try await services.run() } catch {
                isListening.set(.failure(Self.refusal(error, of: words)))
                throw error
            }
        }
        self.services = services
        self.group = group
        switch await isListening.value() {
        case .success(let port): self.port = port
        case .failure(let error):
            port = nil
            await close()
            throw error
        }
    }

    /// Ends it; streams end at once.
    package func close() async {
        let (services, running) = (services, running)
        await services.triggerGracefulShutdown()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await running.result }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            running.cancel()
            group.cancelAll()
        }
    }

    /// A socket that nobody listens on any more is replaced; anything else stays, and is in the way.
    private static func removeStale(_ path: String) throws(MediaError) {
        var kind = stat()
        guard lstat(path, &kind) == 0 else { return }
        let isSocket = kind.st_mode & S_IFMT == S_IFSOCK
        guard isSocket, !RecorderService.SocketAddress.isListening(path) else {
            throw MediaError(
                .busy, "cannot listen on \(path)",
                reason: isSocket ? "another `recorder web` serves there" : "something that is no socket has this name",
                wayOut: "end it, or give --socket another path")
        }
        unlink(path)
    }

    /// Why nobody can listen at a place, by the system's own code.
    static func refusal(_ error: any Error, of place: String) -> MediaError {
        let action = "cannot listen on \(place)"
        guard let code = (error as? IOError)?.errnoCode else {
            return MediaError(
                .notFound, action, reason: "this name stands for no address of this machine",
                wayOut: "write an address, as 0.0.0.0:8443")
        }
        switch code {
        case EADDRINUSE:
            return MediaError(
                .busy, action, reason: "another program listens there", underlying: .errno(code),
                wayOut: "choose another port, or end that program: `ss -ltnp` shows it")
        case EADDRNOTAVAIL:
            return MediaError(
                .notFound, action, reason: "this machine does not have this address", underlying: .errno(code),
                wayOut: "`ip address` shows those that it has; 0.0.0.0 stands for all of them")
        case ENOENT, ENOTDIR:
            return MediaError(
                .cannotCreate, action, reason: "its directory is not there", underlying: .errno(code),
                wayOut: "create it, or give --socket another path")
        case EACCES, EPERM:
            return MediaError(
                errno: code, action, wayOut: "ports below 1024 are root's; a socket needs a directory of this user's")
        default: return MediaError(errno: code, action)
        }
    }

    private static func admit(_ group: ControlGroup?, to path: String) throws(MediaError) {
        if let group {
            try group.open(path, mode: 0o660)
        } else if chmod(path, 0o600) != 0 {
            throw MediaError(errno: errno, "cannot close \(path) to others")
        }
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
    /// Many more may look at a page than steer a recorder.
    package static let page = {
        var limits = ControlLimits()
        limits.connections = 4096
        limits.crowdedTime = .seconds(2)
        return limits
    }()
}

/// A certificate and its key, in files.
package struct TLSIdentity: Sendable {
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }

    /// - Throws: which of the two files cannot be used, and why.
    func configuration() throws(MediaError) -> TLSConfiguration {
        let chain = try read(certificate, "certificate", "--certificate") {
            try NIOSSLCertificate.fromPEMFile(certificate)
        }
        let secret = try read(key, "private key", "--key") { try NIOSSLPrivateKey(file: key, format: .pem) }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(secret))
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }

    private func read<Value>(
        _ path: String, _ what: String, _ option: String, _ body: () throws -> Value
    ) throws(MediaError) -> Value {
        let action = "cannot use the \(what) \(path)"
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw MediaError(errno: errno, action) }
        Glibc.close(file)
        do { return try body() } catch {
            throw MediaError(
                .invalidSettings, action, reason: "it holds no \(what) in PEM",
                wayOut: "\(option) names a file that begins with “-----BEGIN”; were the two files swapped?")
        }
    }

    /// The two files are no pair.
    var mismatch: MediaError {
        MediaError(
            .invalidSettings, "cannot use the certificate \(certificate)", reason: "\(key) is not the key of it",
            wayOut: "give the key that the certificate was made for")
    }
}
