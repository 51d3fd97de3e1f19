import FileSystem
import Foundation
import MediaTypes

/// Checks whether the files of a catalogue exist, so that its sums are correct. Each call checks some entries and
/// continues where the last one ended.
///
/// If the user moved, replaced or changed a file, its entry is removed: the file now belongs to the user. Entries on a
/// disconnected disk stay, but are not counted, also if another disk is mounted in its place. The same holds for files
/// that cannot be examined. If one file is missing, others may be missing too. The check then continues until all files
/// of a page are unchanged. If only a sidecar keeps a recording, its pin is entered in the catalogue. A file whose
/// deletion was interrupted gets its name again. Only one thread at a time may use this object.
final class CatalogueSurvey: @unchecked Sendable {
    // Unchecked: only accessed while `Retention.applying` is held.
    private var next: [Int64: Int64] = [:]
    /// The first error of the last call, if some files could not be examined.
    private(set) var failure: MediaError?
    private let presence: (String) -> FilePresence
    private let disk: (String) -> String?
    private let now: () -> Double

    /// The usual number of entries that one call checks. Checking them takes little time. A catalogue with fewer
    /// entries is checked completely each time.
    static let usual = 1000
    private static let page = 1000

    /// Creates a survey.
    ///
    /// - Parameters:
    ///   - presence: Looks for the file at a path.
    ///   - disk: Returns the name of a directory's disk.
    ///   - now: Returns the wall clock in seconds since 1970.
    init(
        _ presence: @escaping (String) -> FilePresence = FilePresence.init(of:),
        disk: @escaping (String) -> String? = MountPoint.disk(of:),
        now: @escaping () -> Double = { Date().timeIntervalSince1970 }
    ) { (self.presence, self.disk, self.now) = (presence, disk, now) }

    /// Checks some entries, beginning after those of the last call.
    ///
    /// - Parameter directory: Same as for `Retention`.
    func look(at catalogue: RecordingCatalogue, below directory: String?, atMost limit: Int) throws(MediaError) {
        failure = nil
        for place in try catalogue.places() where directory == nil || directory == place.directory {
            // The state of files on a missing disk is unknown.
            guard let device = MountPoint.mounted(place.mount) else { continue }
            var number = limit == .max ? 0 : next[place.id] ?? 0
            var seen = 0
            while true {
                let entries = try catalogue.page(after: number, in: place, count: min(limit, Self.page))
                let wasWhole = try look(at: entries, of: place, device, catalogue, learns: limit == .max)
                seen += entries.count
                guard entries.count == min(limit, Self.page), let last = entries.last else {
                    // The next call begins with the oldest entry.
                    next[place.id] = 0
                    break
                }
                number = last.number
                next[place.id] = number
                if wasWhole, seen >= limit { break }
            }
        }
    }

    /// Checks one page of entries.
    ///
    /// - Parameter learns: True to enter the disk of entries that have none, or that are on another disk now.
    /// - Returns: true if all of their files are unchanged.
    private func look(
        at entries: [FinishedRecording], of place: RecordingCatalogue.Place, _ device: UInt64,
        _ catalogue: RecordingCatalogue, learns: Bool
    ) throws(MediaError) -> Bool {
        var gone: [FinishedRecording] = []
        var away = gone
        var here = gone
        var moved = gone
        var unknown = gone
        let disk = entries.isEmpty ? nil : disk(place.mount)
        var directories: [String: UInt64?] = [:]
        for entry in entries {
            let directory = entry.directory
            let system = directories[directory] ?? MountPoint.device(of: directory)
            directories[directory] = .some(system)
            guard let system else {
                if !entry.isAway { away.append(entry) }
                continue
            }
            var found = presence(entry.path)
            if case .absent = found, entry.restore() { found = presence(entry.path) }
            switch found {
            case .present(let file) where entry.isSame(file): break
            case .present, .absent:
                if system == device, entry.isElsewhere(than: disk, now: now()) {
                    if !entry.isAway { away.append(entry) }
                } else {
                    gone.append(entry)
                }
                continue
            case .unknown(let number):
                // The text is the same for all files of a disk that fails, so that it is logged once.
                failure = failure ?? MediaError(errno: number, "cannot examine recordings below \(place.directory)")
                if !entry.isAway { away.append(entry) }
                continue
            }
            if entry.pin == nil, let pin = RecordingPins.pin(of: entry.path, now: entry.moment.wall) {
                try catalogue.record(pin, of: entry)
            }
            if entry.isAway { here.append(entry) }
            if system != device { moved.append(entry) }
            if system == device, entry.disk != disk { unknown.append(entry) }
        }
        try catalogue.remove(gone)
        try catalogue.record(away, areAway: true)
        try catalogue.record(here, areAway: false)
        try catalogue.move(moved, in: place.directory)
        // Entries of earlier versions have no disk. A check of all of them is rare, and may take longer.
        if learns, let disk { try catalogue.record(unknown, areOn: disk) }
        return gone.isEmpty && away.isEmpty
    }
}
