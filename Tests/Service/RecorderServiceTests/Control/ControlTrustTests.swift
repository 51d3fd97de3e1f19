import CommandInterface
import FakeDevices
import Foundation
import Glibc
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Trust on both sides of the socket.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ControlTrustTests {
    private static let stranger: uid_t = 4321

    private func refusal(_ directory: RuntimeDirectory) -> MediaError? {
        do throws(MediaError) { _ = try directory.owner() } catch { return error }
        return nil
    }

    // MARK: The client

    /// Runs as root only: no other user can give a directory to another owner.
    @Test(.enabled(if: geteuid() == 0)) func client_directoryOfAnotherUser_isNotTrusted() async throws {
        try await withTemporaryDirectory { base in
            try #require(chmod(base, 0o1777) == 0)
            let directory = RuntimeDirectory(path: base + "/r")
            let lock = try InstanceLock(.standard, in: directory)
            #expect(try directory.owner() == geteuid() && directory.running() == [.standard])
            try #require(chown(directory.path, Self.stranger, Self.stranger) == 0)
            #expect(refusal(directory)?.code == .notPermitted)
            #expect(refusal(directory)?.description.contains("another user (uid 4321)") == true)
            #expect(directory.running().isEmpty)
            #expect(throws: OptionError.self) { try RunningRecordings(in: directory).choose(nil) }
            let error = await MediaError.of { try await ControlClient(.standard, in: directory).status() }
            #expect(error?.code == .notPermitted)
            withExtendedLifetime(lock) {}
        }
    }

    @Test func client_directoryWritableByOthersOrALink_isNotTrusted() async throws {
        try await withTemporaryDirectory { base in
            let directory = RuntimeDirectory(path: base + "/r")
            #expect(try directory.owner() == nil)
            try directory.prepare()
            #expect(try directory.owner() == geteuid())
            for mode: mode_t in [0o770, 0o702, 0o1777] {
                #expect(chmod(directory.path, mode) == 0)
                #expect(refusal(directory)?.code == .notPermitted)
            }
            #expect(chmod(directory.path, 0o750) == 0 && symlink(directory.path, base + "/link") == 0)
            #expect(refusal(directory) == nil)
            #expect(refusal(RuntimeDirectory(path: base + "/link"))?.code == .notPermitted)
        }
    }

    @Test func trustedPath_weakDirectoryAbove_isFound() {
        #expect(TrustedPath.weakDirectory(above: "/usr/share/doc", users: [], allowsSticky: false) == nil)
        #expect(TrustedPath.weakDirectory(above: "/tmp/recorder-7", users: [7], allowsSticky: false) == "/tmp")
        #expect(TrustedPath.weakDirectory(above: "/tmp/recorder-7", users: [7], allowsSticky: true) == nil)
        #expect(TrustedPath.weakDirectory(above: "/nowhere/a", users: [], allowsSticky: false) == "/nowhere")
    }

    @Test(.enabled(if: geteuid() == 0)) func client_anotherUserListens_isNotTrusted() async throws {
        try await withTemporaryDirectory { base in
            let directory = RuntimeDirectory(path: base + "/r")
            try directory.prepare()
            let path = directory.socket(.standard)
            let program = """
                import os, socket, sys, time
                listener = socket.socket(socket.AF_UNIX)
                listener.bind(sys.argv[1])
                os.setuid(\(Self.stranger))
                listener.listen()
                time.sleep(60)
                """
            let stranger = try ChildProgram(.init("python3", ["-c", program, path]))
            defer {
                stranger.send(SIGKILL)
                _ = stranger.wait()
            }
            try await waitUntil { SocketAddress.isListening(path) }
            let error = await MediaError.of { try await ControlClient(.standard, in: directory).status() }
            #expect(error?.code == .notPermitted)
            #expect(error?.description.contains("another user (uid 4321) listens there") == true)
        }
    }

    @Test func instanceLock_checkedConcurrently_canBeTaken() async throws {
        try await withTemporaryDirectory { base in
            let directory = RuntimeDirectory(path: base + "/r")
            let path = directory.lock(.standard)
            let isDone = Locked(false)
            let looks = Task.detached { while !isDone.withLock({ $0 }) { _ = InstanceLock.isHeld(at: path) } }
            for _ in 0..<1000 {
                let lock = try InstanceLock(.standard, in: directory)
                #expect(InstanceLock.isHeld(at: path) == true)
                withExtendedLifetime(lock) {}
            }
            isDone.withLock { $0 = true }
            await looks.value
            #expect(InstanceLock.isHeld(at: path) == false)
        }
    }

    @Test func instanceLock_cannotBeChecked_isUnknown() async throws {
        try await withTemporaryDirectory { base in
            try FileManager.default.createSymbolicLink(atPath: base + "/link", withDestinationPath: base + "/link")
            #expect(InstanceLock.isHeld(at: base + "/link") == nil)
            #expect(InstanceLock.isHeld(at: base + "/" + String(repeating: "x", count: 300)) == nil)
            #expect(InstanceLock.isHeld(at: base + "/none.lock") == false)
            #expect(InstanceLock.isHeld(at: base + "/none/none.lock") == false)
        }
    }

    // MARK: The server

    @Test func server_floodOfConnections_stillServesTheOwner() async throws {
        try await ControlFixture.run { fixture in
            let address = try #require(SocketAddress(fixture.directory.socket(fixture.name)))
            var flood: [Int32] = []
            defer { for connection in flood { close(connection) } }
            // Connects until the kernel accepts no more connections, not even in its queue.
            var isFull = false
            while !isFull, flood.count < 2000 {
                let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
                flood.append(connection)
                isFull = address.withPointer { connect(connection, $0, $1) } != 0 && errno == EAGAIN
            }
            try #require(isFull)
            let began = ContinuousClock.now
            let status = try await fixture.client.stop()
            #expect(status.state == .stopping)
            #expect(ContinuousClock.now - began < .seconds(120))
        }
    }

    private func serving(
        members: Bool, _ limits: ControlLimits = ControlLimits(), _ body: (ControlFixture) async throws -> Void
    ) async throws {
        let admission = ControlAdmission(limits, hasMembers: members) { _ in false }
        try await ControlFixture.run(limits: limits, admission: admission, body)
    }

    @Test func server_neitherOwnerNorMember_isRefused() async throws {
        try await serving(members: false) { fixture in
            let answer = try RawAnswer(fixture.connect().readToEnd())
            #expect(answer.status == 403 && answer.error?.code == "notPermitted")
        }
    }

    @Test func members_atTheirLimit_areRefused() async throws {
        var limits = ControlLimits()
        limits.memberConnections = 2
        try await serving(members: true, limits) { fixture in
            var members = try (0..<2).map { _ in try fixture.connect() }
            for member in members {
                try member.send("GET /v1/levels HTTP/1.1\r\nHost: recorder\r\n\r\n")
                #expect(try !member.read().isEmpty)
            }
            let third = try RawAnswer(fixture.connect().readToEnd())
            #expect(third.status == 503 && third.error?.code == "tooMany")
            members.removeLast()
            try await waitUntil { (try? fixture.send("GET", "/v1/status").status) == 200 }
        }
    }

    @Test func members_saveElsewhere_areRefused() async throws {
        try await serving(members: true) { fixture in
            let refused = try fixture.send("POST", "/v1/save", #"{"file":"/etc/cron.d/x.mov"}"#)
            #expect(refused.status == 403 && refused.error?.code == "notPermitted")
            #expect(fixture.control.told.isEmpty)
            #expect(try fixture.send("POST", "/v1/save", #"{"file":"/videos/x.mov"}"#).status == 200)
            #expect(try fixture.send("POST", "/v1/save").status == 200)
            #expect(fixture.control.told == ["save all to /videos/x.mov", "save all to its place"])
        }
        try await ControlFixture.run { fixture in
            let answer = try fixture.send("POST", "/v1/save", #"{"file":"/elsewhere/x.mov"}"#)
            #expect(answer.status == 200)
        }
    }

    @Test func memberPath_outsideTheRecordings_isRefused() async throws {
        try await withTemporaryDirectory { base in
            for name in ["/out", "/out/day", "/elsewhere"] { try #require(mkdir(base + name, 0o700) == 0) }
            try #require(symlink(base + "/elsewhere", base + "/out/link") == 0)
            let process = CaptureBench(base + "/out").process
            #expect(try process.memberPath(base + "/out/a.mov").hasSuffix("/out/a.mov"))
            #expect(try process.memberPath(base + "/elsewhere/../out/day/a.mov").hasSuffix("/out/day/a.mov"))
            for path in [
                "/elsewhere/a.mov", "/out/link/a.mov", "/out/../elsewhere/a.mov", "/outer.mov", "/out/missing/a.mov",
                "/out/..",
            ] {
                let error = await MediaError.of { try process.memberPath(base + path) }
                #expect(error?.code == .notPermitted, "\(path)")
            }
        }
    }

    @Test(arguments: [
        "Host: recorder\r\nOrigin: http://evil.example", "Host: evil.example", "Host: localhost:8080", "A: b",
    ])
    func server_requestOfAWebPage_isRefused(headers: String) async throws {
        try await ControlFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send("POST /v1/stop HTTP/1.1\r\n\(headers)\r\nContent-Length: 0\r\n\r\n")
            let answer = try RawAnswer(connection.readToEnd())
            #expect(answer.status == 403 && answer.error?.code == "notPermitted")
            #expect(fixture.control.told.isEmpty)
        }
    }
}
