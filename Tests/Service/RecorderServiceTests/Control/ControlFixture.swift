import Foundation
import Glibc
import Logging
import MediaTypes
import RealTime
import TestSupport

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// A real server on a real socket, which controls a fake recording of the test.
struct ControlFixture {
    let control: FakeControl
    let directory: RuntimeDirectory
    let server: ControlServer
    let name: RecordingName
    let purpose: ControlServer.Purpose

    static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs the body and closes the server.
    static func run(
        _ control: FakeControl = FakeControl(), for purpose: ControlServer.Purpose = .control,
        limits: ControlLimits = ControlLimits(),
        admission: ControlAdmission? = nil, _ body: (ControlFixture) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { base in
            let directory = RuntimeDirectory(path: base + "/r")
            let name = try RecordingName(parsing: "front")
            try directory.prepare()
            let server = try await ControlServer(
                control, name, in: directory, for: purpose, limits: limits, admission: admission, log: log)
            let fixture = ControlFixture(
                control: control, directory: directory, server: server, name: name, purpose: purpose)
            do { try await body(fixture) } catch {
                await server.close()
                throw error
            }
            await server.close()
        }
    }

    var client: ControlClient { ControlClient(name, in: directory) }

    func connect() throws -> RawConnection {
        try RawConnection(purpose == .control ? directory.socket(name) : directory.liveSocket(name))
    }

    /// Sends one request on a connection of its own.
    func send(_ method: String, _ path: String, _ body: String = "") throws -> RawAnswer {
        let connection = try connect()
        try connection.send(
            "\(method) \(path) HTTP/1.1\r\nHost: recorder\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return try RawAnswer(connection.readToEnd())
    }
}

extension RawAnswer {
    var error: ControlErrorBody.Details? {
        try? JSONDecoder().decode(ControlErrorBody.self, from: Data(body.utf8)).error
    }
}
