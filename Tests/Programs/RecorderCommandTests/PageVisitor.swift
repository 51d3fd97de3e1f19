import Foundation
import Glibc
import TestSupport

/// A user with an account, and a server of the page on a port of this machine.
enum PageVisitor {
    private static let (name, password) = ("anna", "correct horse")

    /// Arguments for the judges.
    static var words: [String] { ["--user", name, "--password", password] }

    /// Adds an account; the password comes from standard input, as in a script.
    static func add(to command: Command, _ user: String = PageVisitor.name, role: String = "operator") async throws {
        let added = try await command.start(
            program: "/bin/sh",
            [
                "-c", "printf '%s\\n' \"$1\" | \"$2\" web user add \"$3\" --role \"$5\" --state \"$4\"", "sh",
                password, command.executablePath, user, command.path("state"), role,
            ]
        ).result()
        guard added.exitCode == 0 else { throw TestSupport.Command.Failure(description: added.errors) }
    }

    /// Serves the page while `body` runs; the server has ended when this returns.
    ///
    /// - Parameter body: receives the server and its address without the secret, so that a visitor must log in.
    static func serving(
        _ command: Command, port: Int? = nil, _ body: (_ web: Running, _ address: String) async throws -> Void
    ) async throws {
        let place = port.map { ["--port", "\($0)"] } ?? []
        let web = try command.start(["web", "--open", "--state", command.path("state")] + place)
        do {
            try await waitUntil { web.output.contains("/open?") || !web.isRunning }
            guard let address = web.output.firstMatch(of: /http:\/\/[^\/]+\//)?.0 else {
                throw TestSupport.Command.Failure(description: "no server: \(web.errors)")
            }
            try await body(web, String(address))
        } catch {
            web.send(SIGKILL)
            _ = try await web.result()
            throw error
        }
        web.send(SIGTERM)
        _ = try await web.result()
    }

    /// Runs one of Tests/Judges without blocking a thread.
    ///
    /// - Parameter limit: Maximum seconds, for the slowest machine.
    static func judge<Sight: Decodable & Sendable>(
        _ command: Command, _ judge: String, _ words: [String], within limit: Double = 150
    ) async throws -> Sight {
        let run = try command.start(
            program: Project.path(".build/judges/bin/python"), [Project.path("Tests/Judges/\(judge)")] + words)
        try await waitUntil(within: limit) { !run.isRunning }
        let result = try await run.result()
        guard result.exitCode == 0 else {
            throw TestSupport.Command.Failure(description: "\(judge): \(result.output)\(result.errors.suffix(2000))")
        }
        return try JSONDecoder().decode(Sight.self, from: Data(result.output.utf8))
    }

    /// Returns a port that no program listened on a moment ago.
    static func freePort() throws -> Int {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else { throw TestSupport.Command.Failure(description: "no port is free: errno \(errno)") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
