package import FileSystem
import Foundation
import Glibc

/// A file that a recorder made and finished: one entry of its catalogue.
package struct FinishedRecording: Sendable, Hashable {
    /// Which file a path meant when it was entered. A file that was edited, replaced or copied is another one.
    ///
    /// Not the device number: it is given anew at every boot (stat(2), `st_dev`).
    package struct Identity: Codable, Sendable, Hashable {
        package let inode: UInt64
        package let size: Int64
        /// Nanoseconds of the modification time since 1970; renaming leaves it.
        package let modified: Int64

        package init(inode: UInt64, size: Int64, modified: Int64) {
            self.inode = inode
            self.size = size
            self.modified = modified
        }

        package init(_ file: FileStatus) {
            inode = UInt64(file.st_ino)
            size = Int64(file.st_size)
            modified = Int64(file.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(file.st_mtim.tv_nsec)
        }
    }

    /// What is told of it; nothing of it decides whether it goes.
    package struct Account: Sendable, Hashable {
        /// Seconds since 1970 at its first sample, by the wall clock.
        package var started: Double?
        /// Seconds.
        package var duration: Double?
        package var ending: RecordingEnding

        package init(started: Double? = nil, duration: Double? = nil, ending: RecordingEnding = .unknown) {
            self.started = started
            self.duration = duration
            self.ending = ending
        }
    }

    /// Its place in the order in which files were finished: larger than that of every one before.
    package let number: Int64
    /// Absolute.
    package let path: String
    package let identity: Identity
    /// When it was finished.
    package let moment: Moment
    /// Directories below this one were made for recordings, and go when they are empty. nil: none.
    package let root: String?
    package var account = Account()
    /// It was on a disk that is not there, when it was looked at.
    var isAway = false
    /// The number of the remote where a copy of it was verified; nil: nowhere.
    var copiedTo: Int64?

    package var directory: String { (path as NSString).deletingLastPathComponent }

    /// Whether this is the file that was entered.
    package func isSame(_ file: FileStatus) -> Bool { file.st_mode & S_IFMT == S_IFREG && Identity(file) == identity }
}

/// Why a file ended where it does.
package enum RecordingEnding: String, Codable, Sendable, Hashable, CaseIterable {
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
package struct Moment: Codable, Sendable, Hashable {
    /// Seconds since 1970.
    package var wall: Double
    /// Seconds since the boot, sleep included (clock_gettime(2), `CLOCK_BOOTTIME`).
    package var uptime: Double
    /// Which boot that was (random(4), `boot_id`).
    package var boot: String

    package init(wall: Double, uptime: Double, boot: String) {
        self.wall = wall
        self.uptime = uptime
        self.boot = boot
    }

    /// This one.
    package static func now() -> Moment {
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
