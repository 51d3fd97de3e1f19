import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes
import RealTime
import RecorderControl
import RecorderStorage
import WebService

/// `recorder web`
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", _superCommandName: "recorder web",
        abstract: "Serves the web page in the foreground until SIGTERM.", usage: "recorder web [<option> ...]",
        discussion: """
            Without options, listens on a Unix socket for a TLS proxy (docs/guide/page.md has examples for nginx and \
            Caddy); users log in with the accounts of `recorder web user add`. --open is for one user at this machine: \
            it prints an address that works once. --listen is for a network without a proxy.

            EXAMPLES:
              recorder web --open
              recorder web --listen 0.0.0.0:8443 --certificate cert.pem --key key.pem
            """,
        shouldDisplay: false)

    /// The text of `recorder web --help`: the options and the subcommands.
    static var help: String {
        RecorderWeb.helpMessage(for: ServeCommand.self, columns: 80)
            .replacing("recorder web serve", with: "recorder web")
            .trimmingCharacters(in: .newlines) + "\n"
                + """

                SUBCOMMANDS:
                  user                    Manages the accounts of the web page.

                  See `recorder web user --help`.
                """
    }

    @Flag(help: "Serve on 127.0.0.1 only and open a browser with an address that works once.")
    var open = false

    @Option(help: ArgumentHelp("Port for --open, e.g. 8080 (default: any free port).", valueName: "number"))
    var port: Int?

    @Option(
        help: ArgumentHelp("Serve with TLS on this address and port, e.g. 0.0.0.0:8443.", valueName: "address:port"))
    var listen: String?

    @Option(
        help: ArgumentHelp("PEM file with the certificate chain for --listen.", valueName: "file"), completion: .file())
    var certificate: String?

    @Option(
        help: ArgumentHelp("PEM file with the private key of the certificate.", valueName: "file"), completion: .file())
    var key: String?

    @Option(
        help: ArgumentHelp("Path of the Unix socket (default: web.socket in the runtime directory).", valueName: "path")
    )
    var socket: String?

    @Option(help: ArgumentHelp("User group that may use the socket, e.g. the proxy's.", valueName: "name"))
    var group: String?

    @Option(help: ArgumentHelp("Host name that users enter in the browser; may be repeated.", valueName: "name"))
    var host: [String] = []

    @Option(
        help: ArgumentHelp(
            "File with the token that GET /metrics requires (default: no metrics, unless --metrics-from is given).",
            valueName: "file"), completion: .file())
    var metricsToken: String?

    @Option(
        help: ArgumentHelp(
            "Address or network that may read /metrics, e.g. 192.0.2.0/24; may be repeated.", valueName: "address"))
    var metricsFrom: [String] = []

    @Option(help: .hidden) var state: String?
    @Option(help: .hidden) var page: String?

    func validate() throws {
        guard [open, listen != nil, socket != nil].filter({ $0 }).count <= 1 else {
            throw ValidationError("use only one of --open, --listen and --socket")
        }
        guard listen == nil || certificate != nil && key != nil && !host.isEmpty else {
            throw ValidationError("--listen needs --certificate, --key and --host")
        }
        guard listen != nil || certificate == nil && key == nil else {
            throw ValidationError("--certificate and --key need --listen")
        }
        if let listen, Self.place(listen) == nil {
            throw ValidationError("--listen: invalid address “\(listen)”; use e.g. 0.0.0.0:8443 or [::]:8443")
        }
        guard port == nil || open, (port ?? 0) >= 0, (port ?? 0) <= 65_535 else {
            throw ValidationError("--port needs --open, and a number from 0 to 65535")
        }
        try checkMetrics()
    }

    private func checkMetrics() throws {
        for text in metricsFrom where AddressRange(text) == nil {
            throw ValidationError("--metrics-from: invalid address “\(text)”; use e.g. 192.0.2.7 or 2001:db8::/32")
        }
        guard metricsFrom.isEmpty || open || listen != nil else {
            throw ValidationError("--metrics-from needs --listen; behind a proxy, use --metrics-token")
        }
    }

    /// Parses an address such as "[::]:8443" or "0.0.0.0:8443".
    private static func place(_ text: String) -> (host: String, port: Int)? {
        guard let colon = text.lastIndex(of: ":"), case let digits = text[text.index(after: colon)...],
            digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = Int(digits), (1...65_535).contains(port)
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        return host.isEmpty ? nil : (host, port)
    }

    func run() async throws {
        var settings = WebSettings()
        if open {
            settings.door = .open(port: port)
        } else if let listen, let place = Self.place(listen), let certificate, let key {
            settings.door = .listen(
                host: place.host, port: place.port, certificate: FilePath.absolute(certificate),
                key: FilePath.absolute(key))
        } else {
            settings.door = .socket(socket.map { FilePath.absolute($0) })
        }
        settings.group = group
        settings.hosts = host
        settings.metricsToken = metricsToken.map { FilePath.absolute($0) }
        settings.metricsFrom = metricsFrom.compactMap { AddressRange($0) }
        settings.state = state.map { FilePath.absolute($0) }
        settings.page = page.map { FilePath.absolute($0) }
        let stop = Once<Void>()
        do {
            try SignalWatcher.start(finish: { stop.set(()) }, quit: {})
        } catch {
            throw MediaError(errno: error.errno, "cannot watch for signals")
        }
        let isOpen = open
        let log = (try? RecordingName(parsing: "web")).flatMap { JournalLog.logger($0) }
        let program = WebProgram(settings, log: log ?? LineLog.logger(hasTimes: false))
        try await program.run(
            until: { await stop.value() },
            ready: { address in
                StandardOutput.line(isOpen ? "Open this address (works once): \(address)" : "Serving at \(address)")
                ServiceReadiness.notify("Serving at \(address)")
                if isOpen { Browser.open(address) }
            })
    }
}

/// Opens an address in a browser.
enum Browser {
    /// Opens the address with xdg-open(1) if there is a desktop; otherwise the user has to use the printed address.
    static func open(_ address: String) {
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/xdg-open")
        program.arguments = [address]
        program.standardOutput = FileHandle.nullDevice
        program.standardError = FileHandle.nullDevice
        try? program.run()
    }
}
