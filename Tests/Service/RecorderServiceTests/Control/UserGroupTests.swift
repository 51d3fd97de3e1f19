import CommandInterface
import Foundation
import Glibc
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Access to the control socket: only the group that the owner names may use it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct UserGroupTests {
    private func facts(_ path: String) -> (mode: mode_t, group: gid_t) {
        var kind = stat()
        return lstat(path, &kind) == 0 ? (kind.st_mode & 0o7777, kind.st_gid) : (0, 0)
    }

    /// A group that this user belongs to.
    private func ownGroup() throws -> UserGroup {
        let entry = try #require(getgrgid(getegid()))
        return try UserGroup(named: String(cString: entry.pointee.gr_name))
    }

    @Test func controlGroup_canUseSocketAndDirectory() async throws {
        try await withTemporaryDirectory { base in
            let group = try ownGroup()
            let directory = RuntimeDirectory(path: base + "/r")
            let lock = try InstanceLock(.standard, in: directory, group: group)
            let server = try await ControlServer(
                FakeControl(), .standard, in: directory, group: group, log: ControlFixture.log)
            #expect(facts(directory.path) == (0o750, group.id))
            #expect(facts(directory.socket(.standard)) == (0o660, group.id))
            // With the sticky bit.
            #expect(facts(directory.lock(.standard)).mode == 0o1600)
            let status = try await ControlClient(.standard, in: directory).status()
            #expect(status.name == "front")
            await server.close()
            withExtendedLifetime(lock) {}
        }
    }

    /// Watching and controlling have separate groups.
    @Test func liveSocket_hasItsOwnGroup() async throws {
        try await withTemporaryDirectory { base in
            let group = try ownGroup()
            let directory = RuntimeDirectory(path: base + "/r")
            let lock = try InstanceLock(.standard, in: directory, group: group, isPassed: true)
            let server = try await ControlServer(FakeControl(), .standard, in: directory, log: ControlFixture.log)
            let live = try await ControlServer(
                FakeControl(), .standard, in: directory, for: .live, group: group, log: ControlFixture.log)
            // Others may traverse the directory and cannot list it.
            #expect(facts(directory.path) == (0o751, group.id))
            #expect(facts(directory.socket(.standard)).mode == 0o600)
            #expect(facts(directory.liveSocket(.standard)) == (0o660, group.id))
            // Another recording of that group leaves the mode unchanged.
            let second = try InstanceLock(try RecordingName(parsing: "b"), in: directory, group: group)
            #expect(facts(directory.path).mode == 0o751)
            await live.close()
            await server.close()
            #expect(!FileManager.default.fileExists(atPath: directory.liveSocket(.standard)))
            withExtendedLifetime((lock, second)) {}
        }
    }

    /// A recorder may be named `front.live`.
    @Test func paths_similarRecorderNames_areDistinct() throws {
        let directory = RuntimeDirectory(path: "/run/recorder")
        let (front, frontLive) = (try RecordingName(parsing: "front"), try RecordingName(parsing: "front.live"))
        let paths = [front, frontLive].flatMap {
            [directory.socket($0), directory.liveSocket($0), directory.lock($0), directory.copierLock($0)]
        }
        #expect(Set(paths).count == paths.count)
    }

    @Test func directory_recordingWithoutGroup_staysOpenWhileOneWithGroupRuns() async throws {
        try await withTemporaryDirectory { base in
            let directory = RuntimeDirectory(path: base + "/r")
            var first: InstanceLock? = try InstanceLock(.standard, in: directory, group: ownGroup())
            let name = try RecordingName(parsing: "b")
            var second: InstanceLock? = try InstanceLock(name, in: directory)
            #expect(facts(directory.path).mode == 0o750)
            withExtendedLifetime((first, second)) {}
            // The next recording after both have ended closes the directory.
            (first, second) = (nil, nil)
            try await waitUntil { directory.running().isEmpty }
            second = try InstanceLock(name, in: directory)
            #expect(facts(directory.path).mode == 0o700)
            withExtendedLifetime((first, second)) {}
        }
        try await withTemporaryDirectory { base in
            let directory = RuntimeDirectory(path: base + "/r")
            try directory.prepare(for: ownGroup())
            try directory.prepare()
            #expect(facts(directory.path).mode == 0o700)
        }
    }

    @Test func controlGroup_unknownOrForeign_failsWithAFix() throws {
        do throws(MediaError) {
            _ = try UserGroup(named: "no-such-group")
            Issue.record("it is there")
        } catch {
            #expect(error.code == .notFound)
            #expect(error.wayOut.contains("getent group"))
        }
        let own = try ownGroup().name
        do throws(MediaError) {
            _ = try UserGroup(named: own) { _ in false }
            Issue.record("it was taken")
        } catch {
            #expect(error.code == .notPermitted)
            #expect(error.wayOut.contains("usermod"))
        }
    }

    /// A service with PrivateUsers=yes has only the groups of root and of the service's user.
    @Test func controlGroup_notInTheUserNamespace_failsWithADropIn() throws {
        let own = try ownGroup()
        let map = "         0          0 \(own.id)\n         \(UInt64(own.id) + 1)          0          1\n"
        do throws(MediaError) {
            _ = try UserGroup(named: own.name, map: map) { _ in true }
            Issue.record("it was taken")
        } catch {
            // `recorder@.service` is not restarted after the exit code of wrong settings.
            #expect(error.code == .invalidSettings)
            #expect(ExitCode(for: RecordingFailure(.control, error)) == .usage)
            #expect(error.wayOut.contains("PrivateUsers=no") && error.wayOut.contains("SystemCallFilter=@chown"))
        }
        #expect(try UserGroup(named: own.name, map: "0 0 4294967295\n") { _ in true } == own)
    }

    @Test(
        arguments: [(0, true), (1, false), (4710, false), (4711, true), (4712, false), (.max, false)] as [(gid_t, Bool)]
    )
    func gidMap_ofAService_hasItsOwnGroupAndRoots(id: gid_t, isMapped: Bool) {
        let map = "         0          0          1\n      4711       4711          1\n"
        #expect(UserGroup.isMapped(id, in: map) == isMapped)
        #expect(!UserGroup.isMapped(id, in: ""))
        #expect(!UserGroup.isMapped(id, in: "0 0\nx y z\n0 0 99999999999999999999"))
    }

    @Test func directory_unreachableForMembers_fails() async throws {
        try await withTemporaryDirectory { base in
            let closed = base + "/closed"
            #expect(mkdir(closed, 0o700) == 0)
            let group = try ownGroup()
            do throws(MediaError) {
                try RuntimeDirectory(path: closed + "/r").prepare(for: group)
                Issue.record("it was opened")
            } catch {
                #expect(error.code == .invalidSettings)
                #expect(error.description.contains(closed))
            }
        }
    }

    @Test func isListening_socketOrLockFile_isTrueForTheOpenSocketOnly() async throws {
        try await ControlFixture.run { fixture in
            #expect(SocketAddress.isListening(fixture.directory.socket(fixture.name)))
            #expect(!SocketAddress.isListening(fixture.directory.lock(fixture.name)))
            await fixture.server.close()
            #expect(!SocketAddress.isListening(fixture.directory.socket(fixture.name)))
        }
    }
}
