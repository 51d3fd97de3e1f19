import Testing

@testable import RecorderService

/// The decision whether the disk of a remote that is a directory of this machine is mounted.
@Suite struct RemoteDiskTests {
    /// Checks `/mnt/nas/rec` for a recording in `/data`.
    ///
    /// - Parameter devices: The file systems of the existing directories.
    private func mount(known: String?, _ devices: [String: UInt64]) throws -> String {
        let all = devices.merging(["/": 1, "/mnt": 1, "/mnt/nas": 1, "/data": 1]) { own, _ in own }
        func device(_ path: String) -> UInt64? { all[path] }
        func mountPoint(_ path: String) -> String {
            var path = path
            while path != "/", device(path) == nil || device(path) == device(parent(path)) { path = parent(path) }
            return path
        }
        func parent(_ path: String) -> String {
            let parent = path.split(separator: "/").dropLast().joined(separator: "/")
            return "/" + parent
        }
        let disk = RemoteDisk(directory: "/mnt/nas/rec", mountPoint: mountPoint, device: device)
        return try disk.check(known: known, source: "/data").mount
    }

    @Test func check_diskMounted_returnsItsMountPoint() throws {
        #expect(try mount(known: nil, ["/mnt/nas": 2, "/mnt/nas/rec": 2]) == "/mnt/nas")
        #expect(try mount(known: "/mnt/nas", ["/mnt/nas": 2, "/mnt/nas/rec": 2]) == "/mnt/nas")
        // rclone creates the directory on the mounted disk.
        #expect(try mount(known: nil, ["/mnt/nas": 2]) == "/mnt/nas")
        #expect(try mount(known: "/", ["/mnt/nas": 2, "/mnt/nas/rec": 2]) == "/mnt/nas")
    }

    @Test func check_diskNotMounted_isRefused() {
        #expect(throws: CopyFailure.self) { try mount(known: "/mnt/nas", [:]) }
        // An earlier version created it on the disk of the system.
        #expect(throws: CopyFailure.self) { try mount(known: "/mnt/nas", ["/mnt/nas/rec": 1]) }
    }

    @Test func check_unknownDirectoryIsMissing_isRefusedOnTheSystemDisk() {
        #expect(throws: CopyFailure.self) { try mount(known: nil, [:]) }
        #expect(throws: CopyFailure.self) { try mount(known: nil, ["/mnt": 2, "/mnt/nas": 2, "/data": 2]) }
    }

    /// A directory that another program synchronizes, on the disk of the recordings.
    @Test func check_directoryOnTheSameDisk_isAccepted() throws {
        #expect(try mount(known: nil, ["/mnt/nas/rec": 1]) == "/")
        #expect(try mount(known: "/", ["/mnt/nas/rec": 1]) == "/")
    }
}
