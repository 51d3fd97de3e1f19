import Foundation

/// A file that a recorder made and finished: one entry of its catalogue.
public struct FinishedRecording: Sendable, Hashable {
    /// Which file a path meant when it was entered. A file that was edited, replaced or copied is another one.
    ///
    /// Not the device number: it is given anew at every boot (stat(2), `st_dev`).
    public struct Identity: Codable, Sendable, Hashable {
        public let inode: UInt64
        public let size: Int64
        /// Nanoseconds of the modification time since 1970; renaming leaves it.
        public let modified: Int64

        init(inode: UInt64, size: Int64, modified: Int64) {
            self.inode = inode
            self.size = size
            self.modified = modified
        }

        init(_ file: stat) {
            inode = UInt64(file.st_ino)
            size = Int64(file.st_size)
            modified = Int64(file.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(file.st_mtim.tv_nsec)
        }
    }

    /// What is told of it; nothing of it decides whether it goes.
    public struct Account: Sendable, Hashable {
        /// Seconds since 1970 at its first sample, by the wall clock.
        public var started: Double?
        /// Seconds.
        public var duration: Double?
        public var ending: RecordingEnding

        public init(started: Double? = nil, duration: Double? = nil, ending: RecordingEnding = .unknown) {
            self.started = started
            self.duration = duration
            self.ending = ending
        }
    }

    /// Its place in the order in which files were finished: larger than that of every one before.
    public let number: Int64
    /// Absolute.
    public let path: String
    public let identity: Identity
    /// When it was finished.
    public let moment: Moment
    /// Directories below this one were made for recordings, and go when they are empty. nil: none.
    public let root: String?
    public var account = Account()
    /// It was on a disk that is not there, when it was looked at.
    var isAway = false

    var directory: String { (path as NSString).deletingLastPathComponent }

    /// Whether this is the file that was entered.
    func isSame(_ file: stat) -> Bool { file.st_mode & S_IFMT == S_IFREG && Identity(file) == identity }
}

/// Why a file ended where it does.
public enum RecordingEnding: String, Codable, Sendable, Hashable, CaseIterable {
    /// By its owner.
    case stopped
    /// The recording went on in the next file.
    case split
    /// Its time was over: `--duration`.
    case duration
    /// The camera or the microphone went away.
    case deviceLost
    case diskFull
    /// Something else went wrong, and what was there was made whole.
    case failed
    /// A crash or a power cut; the next start made it whole.
    case repaired
    /// Nobody wrote it down.
    case unknown
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
