import Foundation
import Logging
import MediaTypes
import RecorderControl
import RecorderStorage
import TestSupport

@testable import WebService

/// A real server on a real socket, on a machine without recorders.
struct WebFixture {
    let socket: String
    /// The TLS port that replaces the socket.
    let port: Int?
    let state: String
    let visitors: Visitors
    let watch: RecorderWatch
    let recordings: RecordingIndex
    /// The directory with the recorders' lists of recordings.
    let lists: StateDirectory
    /// The directory with the recorders' sockets.
    let runtime: RuntimeDirectory

    static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs the body and closes the server. `ann` is an operator, `ben` a viewer; both have the password "correct
    /// horse".
    ///
    /// - Parameters:
    ///   - token: The token that the metrics require.
    ///   - range: The addresses that may read the metrics. Without both settings the server has none.
    static func run(
        hosts: WebHosts = .named(["lab.example"]), pages: Int = 100, clipLimits: Clips.Limits = .init(),
        limits: ControlLimits = .page, tls: TLSIdentity? = nil, now: @escaping @Sendable () -> Double = { 0 },
        token: String? = nil, from range: String? = nil, metricLimits: MetricsCollector.Limits = .init(),
        _ body: (WebFixture) async throws -> Void
    ) async throws {
        // The path is short, because the length of a socket's path is limited.
        let directory = "/tmp/web-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory + "/page/parts", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for (name, text) in ["index.html": "<!doctype html>", "parts/main.js": "1;", "notes.txt": "not for the page"] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/page/\(name)"))
        }
        let runtime = RuntimeDirectory(path: directory + "/run")
        let lists = StateDirectory(environment: ["XDG_STATE_HOME": directory + "/lists"])
        let ends = RecorderEnds(in: lists, runtime)
        let watch = RecorderWatch(runtime, recorded: { ["front"] }, ended: { ends.all }, pages: pages)
        let visitors = Visitors(in: directory + "/state")
        let accounts = AccountFile(in: directory + "/state")
        for (name, role) in [("ann", UserAccount.Role.operator), ("ben", .viewer)] {
            try accounts.set(UserAccount(name: name, role: role, password: Self.hash, changed: 0))
        }
        let recordings = RecordingIndex(directory + "/state/recordings.sqlite")
        let removal = OwnerRemoval(
            in: lists, recorders: { KnownRecorders(in: lists).recorded },
            configuration: { _ in RecordingConfiguration() })
        let clips = Clips(recordings, in: ClipFolder(in: directory + "/state"), limits: clipLimits, now: now)
        defer { clips.close() }
        var metrics: MetricsOperations?
        if token != nil || range != nil {
            try Data(((token ?? "") + "\n").utf8).write(to: URL(fileURLWithPath: directory + "/token"))
            let access = try MetricsAccess(
                tokenFile: token.map { _ in directory + "/token" },
                from: range.flatMap { AddressRange($0) }.map { [$0] } ?? [])
            metrics = MetricsOperations(MetricsCollector(runtime, limits: metricLimits) { ends.all }, access)
        }
        let server = try await WebServer(
            WebRouting(
                watch: watch, ends: ends, visitors: visitors, recordings: recordings, removal: removal, clips: clips,
                page: try PageFiles(in: directory + "/page"), metrics: metrics),
            at: tls == nil ? .socket(directory + "/s", group: nil) : .network(host: "127.0.0.1", port: 0), tls: tls,
            hosts: hosts, limits: limits, log: log)
        do {
            try await body(
                WebFixture(
                    socket: directory + "/s", port: server.port, state: directory + "/state", visitors: visitors,
                    watch: watch,
                    recordings: recordings, lists: lists, runtime: runtime))
        } catch {
            await server.close()
            throw error
        }
        await server.close()
    }

    private static let hash = (try? PasswordHash.make("correct horse")) ?? ""

    /// Logs a user in and returns the cookie.
    func cookie(_ user: String) async throws -> String {
        guard let secret = try await visitors.login(user, "correct horse") else { throw TooLate() }
        return "Cookie: recorder=\(secret)\r\n"
    }

    func send(
        _ method: String, _ path: String, headers: String = "", host: String = "lab.example",
        origin: String? = "https://lab.example", _ body: String = ""
    ) throws -> RawAnswer {
        try RawAnswer(sent(method, path, headers, host, origin, body).readToEnd())
    }

    /// Returns the body of an answer as bytes.
    func bytes(_ path: String, headers: String) throws -> [UInt8] {
        let all = Data(try sent("GET", path, headers, "lab.example", nil, "").readBytes())
        guard let head = all.range(of: Data("\r\n\r\n".utf8)) else { throw TooLate() }
        return Array(all[head.upperBound...])
    }

    private func sent(
        _ method: String, _ path: String, _ headers: String, _ host: String, _ origin: String?, _ body: String
    ) throws -> RawConnection {
        let connection = try RawConnection(socket)
        let origin = origin.map { "Origin: \($0)\r\n" } ?? ""
        try connection.send(
            "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n\(origin)\(headers)Connection: close\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return connection
    }
}
