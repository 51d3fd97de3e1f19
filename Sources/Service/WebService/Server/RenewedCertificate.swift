import HummingbirdHTTP2
import Logging
import NIOSSL
import RealTime

/// The handlers of new TLS connections, with the newest certificate.
///
/// A certificate is valid for weeks or months, and the server runs for longer. So each new connection checks whether the
/// files have changed. Existing connections keep the certificate that they began with. Thread-safe.
final class RenewedCertificate: Sendable {
    private struct State {
        var mark: TLSIdentity.Mark
        var handlers: HTTP2UpgradeChannel
        /// The reported reason why the newest files cannot be used.
        var problem: String?
    }

    private let identity: TLSIdentity
    private let make: @Sendable (TLSConfiguration) throws -> HTTP2UpgradeChannel
    private let log: Logger
    private let state: Locked<State>

    /// Creates the handlers.
    ///
    /// - Parameters:
    ///   - version: The contents of the files, to begin with.
    ///   - make: Makes the handlers for a certificate.
    init(
        _ identity: TLSIdentity, _ version: TLSIdentity.Version, log: Logger,
        make: @escaping @Sendable (TLSConfiguration) throws -> HTTP2UpgradeChannel
    ) throws {
        (self.identity, self.make, self.log) = (identity, make, log)
        state = Locked(State(mark: version.mark, handlers: try make(version.configuration)))
    }

    /// The handlers with the certificate that was read last. The certificate matters only while a connection begins.
    var current: HTTP2UpgradeChannel { state.withLock { $0.handlers } }

    /// Returns the handlers with the newest certificate. Reads the files again if they have changed.
    ///
    /// If they cannot be used, the previous certificate remains: a certificate and its key are replaced one after the
    /// other, and do not match in between. The next connection tries again.
    func newest() -> HTTP2UpgradeChannel {
        let mark = identity.mark
        let known = state.withLock { $0.mark == mark ? $0.handlers : nil }
        if let known { return known }
        do {
            let version = try identity.load()
            let handlers = try make(version.configuration)
            state.withLock { $0 = State(mark: version.mark, handlers: handlers) }
            log.notice("new connections use the renewed certificate \(identity.certificate)")
            return handlers
        } catch {
            let problem = "\(error)"
            let (handlers, isNews) = state.withLock { state in
                let isNews = state.problem != problem
                state.problem = problem
                return (state.handlers, isNews)
            }
            if isNews { log.warning("\(problem); new connections use the previous certificate") }
            return handlers
        }
    }
}
