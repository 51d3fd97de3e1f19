package import FileSystem
import Foundation
import Glibc

/// A file that a recorder created and finished: one entry of its catalogue.
package struct FinishedRecording: Sendable, Hashable {
    /// Identifies the file that was at the entry's path when the entry was made. A file that was edited, replaced or
    /// copied has another identity.
    ///
    /// Does not include the device number, which changes with every boot (stat(2), `st_dev`).
    package struct Identity: Codable, Sendable, Hashable {
        package let inode: UInt64
        package let size: Int64
        /// The modification time in nanoseconds since 1970. Renaming the file does not change it.
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

    /// Facts that are only displayed; they do not affect deletion.
    package struct Account: Sendable, Hashable {
        /// The wall clock at the first sample, in seconds since 1970.
        package var started: Double?
        /// The duration in seconds; nil if unknown.
        package var duration: Double?
        package var ending: RecordingEnding
        /// The activity in each second of the file; nil in an entry from the catalogue, which has only `peak`.
        package var activity: ActivitySeries?
        /// The largest activity, 0 to 100; nil if it was not measured.
        package var peak: Int?

        package init(
            started: Double? = nil, duration: Double? = nil, ending: RecordingEnding = .unknown, peak: Int? = nil
        ) {
            self.started = started
            self.duration = duration
            self.ending = ending
            self.peak = peak
        }
    }

    /// The file's position in the order in which files were finished; every new file gets a larger number.
    package let number: Int64
    /// The absolute path of the file.
    package let path: String
    package let identity: Identity
    /// The time at which the file was finished.
    package let moment: Moment
    /// The directory below which the recorder creates directories for recordings and removes empty ones; nil for none.
    package let root: String?
    package var account = Account()
    /// True if the file's disk was missing at the last check.
    var isAway = false
    /// The number of the remote that has a verified copy, or nil without a copy.
    var copiedTo: Int64?
    /// The recording's pin in the catalogue, or nil if the catalogue has none. `isKept` also looks for a sidecar.
    package var pin: RecordingPin?
    /// The disk of the file (`MountPoint.disk`), or nil if it is unknown.
    var disk: String?

    package var directory: String { path.parentDirectory }

    /// True if the owner keeps the recording, by its entry or by its sidecar. Accesses the disk.
    package var isKept: Bool { pin != nil || RecordingPins.isKept(path) }

    /// Returns true if the file is on another disk than the one that is mounted in its place. An entry counts as such
    /// for a month after the recording, because a broken disk never returns.
    ///
    /// - Parameter disk: The mounted disk; nil if it is unknown.
    func isElsewhere(than disk: String?, now: Double = Date().timeIntervalSince1970) -> Bool {
        MountPoint.areDifferent(self.disk, disk) && now - moment.wall < 30 * 86_400
    }

    /// Returns true if this is the file that was entered.
    package func isSame(_ file: FileStatus) -> Bool { file.st_mode & S_IFMT == S_IFREG && Identity(file) == identity }
}

/// The reason why a recording file ended.
package enum RecordingEnding: String, Codable, Sendable, Hashable, CaseIterable {
    /// The user stopped the recording.
    case stopped
    /// The recording continued in the next file.
    case split
    /// The recording reached `--duration`.
    case duration
    /// The camera or the microphone disconnected.
    case deviceLost
    case diskFull
    /// Another error ended the file, which was finalized.
    case failed
    /// A crash or power loss ended the file, and the next start repaired it.
    case repaired
    /// The catalogue does not have the reason.
    case unknown
}

/// A point in time by two clocks: the wall clock, which can be set, and the clock of this boot, which cannot be set.
package struct Moment: Codable, Sendable, Hashable {
    /// The wall clock, in seconds since 1970.
    package var wall: Double
    /// Seconds since the boot, including sleep (clock_gettime(2), `CLOCK_BOOTTIME`).
    package var uptime: Double
    /// The boot (random(4), `boot_id`).
    package var boot: String

    package init(wall: Double, uptime: Double, boot: String) {
        self.wall = wall
        self.uptime = uptime
        self.boot = boot
    }

    /// Returns the current time.
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
