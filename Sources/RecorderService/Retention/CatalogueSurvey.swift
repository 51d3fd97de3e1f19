import FileSystem
import Foundation
import MediaTypes

/// Looks whether the files that a catalogue names are there, so that its sums stay true: some at each time, in turn.
///
/// An entry whose file its owner moved, replaced or changed is forgotten: it is his now. What is on a disk that is not there
/// at this moment stays, and is not counted. Where something is missing more may be: it then looks on until a whole page is
/// as it was. One thread at a time.
final class CatalogueSurvey: @unchecked Sendable {
    // Unchecked: only touched by the one who holds `Retention.applying`.
    private var next: [Int64: Int64] = [:]

    /// As many entries as cost little. A catalogue with no more is looked at as a whole each time.
    static let usual = 1000
    private static let page = 1000

    /// - Parameter directory: as of `Retention`.
    func look(at catalogue: RecordingCatalogue, below directory: String?, atMost limit: Int) throws(MediaError) {
        for place in try catalogue.places() where directory == nil || directory == place.directory {
            // Without its disk, nothing can be said about any of them.
            guard let device = MountPoint.mounted(place.mount) else { continue }
            var number = limit == .max ? 0 : next[place.id] ?? 0
            var seen = 0
            while true {
                let entries = try catalogue.page(after: number, in: place, count: min(limit, Self.page))
                let wasWhole = try look(at: entries, of: place, device, catalogue)
                seen += entries.count
                guard entries.count == min(limit, Self.page), let last = entries.last else {
                    // The next look begins with the oldest.
                    next[place.id] = 0
                    break
                }
                number = last.number
                next[place.id] = number
                if wasWhole, seen >= limit { break }
            }
        }
    }

    /// - Returns: whether all of them are as they were.
    private func look(
        at entries: [FinishedRecording], of place: RecordingCatalogue.Place, _ device: UInt64,
        _ catalogue: RecordingCatalogue
    ) throws(MediaError) -> Bool {
        var gone: [FinishedRecording] = []
        var away = gone
        var here = gone
        var moved = gone
        var directories: [String: UInt64?] = [:]
        for entry in entries {
            let directory = entry.directory
            let system = directories[directory] ?? MountPoint.device(of: directory)
            directories[directory] = .some(system)
            guard let system else {
                if !entry.isAway { away.append(entry) }
                continue
            }
            var kind = stat()
            guard lstat(entry.path, &kind) == 0, entry.isSame(kind) else {
                gone.append(entry)
                continue
            }
            if entry.isAway { here.append(entry) }
            if system != device { moved.append(entry) }
        }
        try catalogue.remove(gone)
        try catalogue.note(away, areAway: true)
        try catalogue.note(here, areAway: false)
        try catalogue.move(moved, in: place.directory)
        return gone.isEmpty && away.isEmpty
    }
}
