import CommandInterface
import Foundation
import Logging
import MediaTypes
import RealTime
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite(.timeLimit(.minutes(10))) struct ControlTests {
    private let name = RecordingName.standard
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// A process that never runs: the server only needs its status.
    private var idle: CaptureProcess {
        CaptureProcess(configuration: RecordingConfiguration(), opener: FakeOpener(), log: log)
    }

    private func mode(_ path: String) -> mode_t {
        var kind = stat()
        return lstat(path, &kind) == 0 ? kind.st_mode & 0o7777 : 0
    }

    @Test func socket_withoutGroup_isAccessibleToItsOwnerOnly() async throws {
        try await withTemporaryDirectory { base in
            let directory = RuntimeDirectory(path: base + "/recorder")
            let lock = try InstanceLock(name, in: directory)
            let server = try await ControlServer(idle, name, in: directory, log: log)
            #expect(mode(directory.path) == 0o700)
            #expect(mode(directory.socket(name)) == 0o600)
            // systemd-tmpfiles(8) removes no file with the sticky bit.
            #expect(mode(directory.lock(name)) == 0o1600)
            let status = try await ControlClient(name, in: directory).status()
            #expect(status.state == .starting)
            #expect(status.name == "default")
            await server.close()
            #expect(mode(directory.socket(name)) == 0)
            withExtendedLifetime(lock) {}
        }
    }

    @Test func socket_stale_countsAsNotRunningAndIsReplaced() async throws {
        try await withTemporaryDirectory { base in
            let directory = RuntimeDirectory(path: base)
            try leaveSocket(at: directory.socket(name))
            #expect(mode(directory.socket(name)) != 0)
            #expect(directory.running().isEmpty)
            await #expect(throws: MediaError.self) { try await ControlClient(name, in: directory).status() }
            let server = try await ControlServer(idle, name, in: directory, log: log)
            _ = try await ControlClient(name, in: directory).status()
            await server.close()
        }
    }

    @Test func recorder_whoseLockWasRemoved_isRunningWhileItListens() async throws {
        try await withTemporaryDirectory { base in
            let directory = RuntimeDirectory(path: base + "/r")
            let lock = try InstanceLock(name, in: directory)
            let server = try await ControlServer(idle, name, in: directory, log: log)
            #expect(unlink(directory.lock(name)) == 0)
            #expect(directory.isRunning(name) && directory.running() == [name])
            let error = #expect(throws: MediaError.self) { try InstanceLock(name, in: directory) }
            #expect(error?.code == .busy)
            await server.close()
            #expect(!directory.isRunning(name) && directory.running().isEmpty)
            withExtendedLifetime(lock) {}
        }
    }

    @Test func client_noRecorder_reportsNotRecording() async throws {
        let client = ControlClient(name, in: RuntimeDirectory(path: "/nowhere"))
        do throws(MediaError) {
            _ = try await client.status()
            Issue.record("a control answered")
        } catch {
            #expect(error.code == .notFound)
            #expect(error.description.contains("not recording"))
        }
    }

    @Test func name_inUse_isRefusedToASecondProcess() async throws {
        try await withTemporaryDirectory { base in
            let directory = RuntimeDirectory(path: base + "/r")
            let other = try RecordingName(parsing: "other")
            var first: InstanceLock? = try InstanceLock(name, in: directory)
            #expect(throws: MediaError.self) { try InstanceLock(name, in: directory) }
            let second = try InstanceLock(other, in: directory)
            #expect(directory.running() == [name, other])
            #expect(throws: OptionError.self) { try RunningRecordings(in: directory).choose(nil) }
            #expect(try RunningRecordings(in: directory).choose(other) == other)
            withExtendedLifetime(first) {}
            first = nil
            #expect(directory.running() == [other])
            #expect(try RunningRecordings(in: directory).choose(nil) == other)
            #expect(throws: OptionError.self) { try RunningRecordings(in: directory).choose(name) }
            first = try InstanceLock(name, in: directory)
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test func directory_openToOthersOrALink_isClosedOrRefused() async throws {
        try await withTemporaryDirectory { base in
            let open = base + "/open"
            #expect(mkdir(open, 0o777) == 0 && chmod(open, 0o777) == 0)
            try RuntimeDirectory(path: open).prepare()
            #expect(mode(open) == 0o700)
            #expect(symlink(open, base + "/link") == 0)
            #expect(throws: MediaError.self) { try RuntimeDirectory(path: base + "/link").prepare() }
        }
    }

    @Test func runtimeDirectory_followsTheEnvironment() {
        func path(_ environment: [String: String], user: uid_t, there: [String], open: [String] = []) -> String {
            RuntimeDirectory(
                environment: environment, user: user, isDirectory: { there.contains($0) }, isOpen: { open.contains($0) }
            ).path
        }
        let runtime = ["XDG_RUNTIME_DIR": "/run/user/1000"]
        #expect(path(runtime, user: 1000, there: ["/run/user/1000"]) == "/run/user/1000/recorder")
        #expect(path(runtime, user: 1000, there: []) == "/tmp/recorder-1000")
        // The user is a member of the control group, and the directory of another user is open to that group.
        #expect(path(["XDG_RUNTIME_DIR": "/run"], user: 7, there: [], open: ["/run/recorder"]) == "/run/recorder")
        #expect(path([:], user: 0, there: ["/run"]) == "/run/recorder")
        #expect(path(["XDG_RUNTIME_DIR": "relative"], user: 7, there: ["relative"]) == "/tmp/recorder-7")
        let service = runtime.merging(["RECORDER_RUNTIME_DIRECTORY": "/run/recorder"]) { _, new in new }
        #expect(path(service, user: 1000, there: ["/run/user/1000"]) == "/run/recorder")
    }

    @Test func runtimeDirectory_ofAService_staysOpenToItsGroup() async throws {
        try await withTemporaryDirectory { base in
            let path = base + "/service"
            #expect(mkdir(path, 0o750) == 0 && chmod(path, 0o750) == 0)
            try RuntimeDirectory(environment: ["RECORDER_RUNTIME_DIRECTORY": path]).prepare()
            #expect(mode(path) == 0o750)
            #expect(chmod(path, 0o770) == 0)
            try RuntimeDirectory(environment: ["RECORDER_RUNTIME_DIRECTORY": path]).prepare()
            #expect(mode(path) == 0o700)
        }
    }

    @Test func socket_pathTooLong_fails() async throws {
        try await withTemporaryDirectory { base in
            let directory = RuntimeDirectory(path: base + "/" + String(repeating: "x", count: 120))
            await #expect(throws: MediaError.self) { try await ControlServer(idle, name, in: directory, log: log) }
        }
    }

    /// Leaves a socket, as a killed process does.
    private func leaveSocket(at path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        let address = try #require(SocketAddress(path))
        try #require(address.withPointer { bind(descriptor, $0, $1) } == 0)
    }
}
