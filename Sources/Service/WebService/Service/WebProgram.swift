import CommandInterface
import FileSystem
import Foundation
package import Logging
package import MediaTypes
import RealTime
package import RecorderControl
import RecorderStorage

/// The page's program: builds the server and runs it until it is ended.
package struct WebProgram: Sendable {
    private let settings: WebSettings
    private let runtime: RuntimeDirectory
    private let log: Logger

    package init(_ settings: WebSettings, runtime: RuntimeDirectory = RuntimeDirectory(), log: Logger) {
        (self.settings, self.runtime, self.log) = (settings, runtime, log)
    }

    /// Serves until `stop` returns.
    ///
    /// - Parameter ready: A closure that receives the address to open, or the socket's path.
    package func run(
        until stop: @Sendable () async -> Void, ready: (String) -> Void
    ) async throws(MediaError) {
        ResourceLimits.raiseDescriptors()
        let state = settings.state ?? WebSettings.stateDirectory()
        let program = ProcessText.executable ?? ""
        let page = try PageFiles(in: settings.page ?? PageFiles.directory(of: program))
        let secret: String? = if case .open = settings.door { Secret.make() } else { nil }
        let visitors = Visitors(in: state, opening: secret)
        let ends = RecorderEnds(in: StateDirectory(), runtime)
        let watch = RecorderWatch(runtime) {
            KnownRecorders().recorded.map(\.description)
        } ended: {
            ends.all
        }
        let recordings = RecordingIndex(state + "/recordings.sqlite") { name in
            (try? RecordingName(parsing: name)).map(ends.isRunning) ?? false
        }
        let clips = Clips(recordings, in: state)
        defer { clips.close() }
        let routing = WebRouting(
            watch: watch, ends: ends, visitors: visitors, recordings: recordings, removal: OwnerRemoval(), clips: clips,
            page: page, metrics: try metrics(ends))
        let (address, tls) = try place()
        let server = try await WebServer(routing, at: address, tls: tls, hosts: hosts, log: log)
        let scanner = RecordingScanner(recordings, RecordingSources(), log: log)
        defer { scanner.stop() }
        ready(words(address, port: server.port, secret: secret))
        await stop()
        await server.close()
    }

    private func metrics(_ ends: RecorderEnds) throws(MediaError) -> MetricsOperations? {
        guard settings.metricsToken != nil || !settings.metricsFrom.isEmpty else { return nil }
        let access = try MetricsAccess(tokenFile: settings.metricsToken, from: settings.metricsFrom)
        return MetricsOperations(MetricsCollector(runtime) { ends.all }, access)
    }

    private func place() throws(MediaError) -> (WebServer.Address, TLSIdentity?) {
        switch settings.door {
        case .socket(let path):
            let group = try settings.group.map { name throws(MediaError) in try UserGroup(named: name) }
            return (.socket(path ?? WebSettings.socketPath(beside: runtime.path), group: group), nil)
        case .open(let port): return (.network(host: "127.0.0.1", port: port ?? 0), nil)
        case .listen(let host, let port, let certificate, let key):
            return (.network(host: host, port: port), TLSIdentity(certificate: certificate, key: key))
        }
    }

    /// The accepted host names. With `--open`, loopback names are accepted with any port, because the system may choose
    /// the port later. Requests from pages of other sites are still refused, because they name other hosts.
    private var hosts: WebHosts {
        switch settings.door {
        case .socket: settings.hosts.isEmpty ? .any : .named(settings.hosts)
        case .open: .loopback
        case .listen: .named(settings.hosts)
        }
    }

    private func words(_ address: WebServer.Address, port: Int?, secret: String?) -> String {
        switch address {
        case .socket(let path, _): path
        case .network(let host, let asked):
            if let secret {
                "http://127.0.0.1:\(port ?? asked)/open?secret=\(secret)"
            } else {
                "https://\(settings.hosts.first ?? host):\(port ?? asked)/"
            }
        }
    }
}
