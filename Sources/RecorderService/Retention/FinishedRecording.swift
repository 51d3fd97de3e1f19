import Foundation

/// A file that a recorder made and finished: one line of its catalogue.
public struct FinishedRecording: Codable, Sendable, Hashable {
    /// Which file a path meant when it was entered. A file that was edited, replaced or copied is another one.
    ///
    /// Not the device number: it is given anew at every boot (stat(2), `st_dev`).
    public struct Identity: Codable, Sendable, Hashable {
        public let inode: UInt64
        public let size: Int64
        /// Nanoseconds of the modification time since 1970; renaming leaves it.
        public let modified: Int64

        init(_ file: stat) {
            inode = UInt64(file.st_ino)
            size = Int64(file.st_size)
            modified = Int64(file.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(file.st_mtim.tv_nsec)
        }
    }

    /// Absolute.
    public let path: String
    public let identity: Identity
    /// When it was finished.
    public let moment: Moment
    /// Directories below this one were made for recordings, and go when they are empty. nil: none.
    public let root: String?
}

/// A point in time by the wall clock, which people set, and by the clock of this boot, which nobody does.
public struct Moment: Codable, Sendable, Hashable {
    /// Seconds since 1970.
    public var wall: Double
    /// Seconds since the boot, sleep included (clock_gettime(2), `CLOCK_BOOTTIME`).
    public var uptime: Double
    /// Which boot that was (random(4), `boot_id`).
    public var boot: String

    public init(wall: Double, uptime: Double, boot: String) {
        self.wall = wall
        self.uptime = uptime
        self.boot = boot
    }

    /// This one.
    public static func now() -> Moment {
        var uptime = timespec()
        clock_gettime(CLOCK_BOOTTIME, &uptime)
        return Moment(
            wall: Date().timeIntervalSince1970, uptime: Double(uptime.tv_sec) + Double(uptime.tv_nsec) / 1e9,
            boot: currentBoot)
    }

    private static let currentBoot =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
}
