import FileSystem
import Foundation
import RecorderControl
package import RecorderStorage

/// The facts about recordings that are known before a scan: recorders, their lists, and their directories. Only one
/// thread may use this value.
package struct RecordingSources {
    private let state: StateDirectory
    private let planned: (RecordingName) -> [RecordingPlace]
    private var catalogues: [RecordingName: (catalogue: RecordingCatalogue, number: Int64)] = [:]
    /// The depth of each directory to scan, by recorder.
    private var depths: [String: [String: Int]] = [:]

    /// Creates the sources.
    ///
    /// - Parameter planned: Returns the directories in which a recorder will record.
    package init(
        in state: StateDirectory = StateDirectory(), planned: ((RecordingName) -> [RecordingPlace])? = nil
    ) {
        self.state = state
        self.planned = planned ?? { RecordingPlace.planned($0, in: state) }
    }

    /// The directory of the recorders' lists. It changes whenever a recording ends.
    var directory: String { state.path }

    var places: [RecordingPlace] {
        depths.flatMap { recorder, directories in
            directories.map { RecordingPlace(recorder: recorder, directory: $0.key, depth: $0.value) }
        }
    }

    /// Forgets the lists, so that all entries are read again.
    mutating func forget() {
        for name in catalogues.keys { catalogues[name]?.number = 0 }
        depths = [:]
    }

    /// Finds the recorders and the directories in which they will record.
    mutating func lookForRecorders() {
        let known = KnownRecorders(in: state).recorded
        let begun = (FolderContents.names(in: state.path) ?? [])
            .filter { $0.hasSuffix(".unfinished.json") }
            .compactMap { try? RecordingName(parsing: String($0.dropLast(".unfinished.json".count))) }
        for name in Set(known + begun) {
            if catalogues[name] == nil, known.contains(name) {
                catalogues[name] = (RecordingCatalogue(name, in: state), 0)
            }
            for place in planned(name) { add(place) }
        }
    }

    /// Calls `take` with pages of the entries that were added to the lists since the last call. A list that cannot be
    /// read is skipped.
    mutating func newEntries(_ take: (RecordingName, [FinishedRecording]) throws -> Void) rethrows {
        for (name, known) in catalogues {
            var number = known.number
            while let page = try? known.catalogue.page(after: number, count: 256), let last = page.last {
                try take(name, page)
                for entry in page { add(RecordingPlace(entry, of: name)) }
                number = last.number
                catalogues[name]?.number = number
            }
        }
    }

    /// Returns the list entry for a path; nil if the list does not contain it, or cannot be read.
    func entry(_ path: String, of recorder: String) -> FinishedRecording? {
        guard let name = try? RecordingName(parsing: recorder) else { return nil }
        return try? catalogues[name]?.catalogue.entry(path)
    }

    private mutating func add(_ place: RecordingPlace) {
        let known = depths[place.recorder]?[place.directory] ?? -1
        depths[place.recorder, default: [:]][place.directory] = max(known, place.depth)
    }

    /// Returns the recorder that probably made a file, judged by the file's directory and name.
    static func recorder(of file: String, among recorders: Set<String>) -> String? {
        let named = recorders.filter { file.contains($0) }
        return (named.isEmpty ? recorders : named).max { ($0.count, $1) < ($1.count, $0) }
    }
}
