import Foundation
package import RecorderService

/// What is known of recordings before any directory is looked at: recorders, their lists, and where they record. One thread.
package struct RecordingSources {
    private let state: StateDirectory
    private let planned: (RecordingName) -> [RecordingPlace]
    private var catalogues: [RecordingName: (catalogue: RecordingCatalogue, number: Int64)] = [:]
    /// By recorder and directory: how deep.
    private var depths: [String: [String: Int]] = [:]

    /// - Parameter planned: where recordings of one will be.
    package init(
        in state: StateDirectory = StateDirectory(), planned: ((RecordingName) -> [RecordingPlace])? = nil
    ) {
        self.state = state
        self.planned = planned ?? { RecordingPlace.planned($0, in: state) }
    }

    /// Where lists are, which change whenever a recording ends.
    var directory: String { state.path }

    var places: [RecordingPlace] {
        depths.flatMap { recorder, directories in
            directories.map { RecordingPlace(recorder: recorder, directory: $0.key, depth: $0.value) }
        }
    }

    /// All lists have to be read again.
    mutating func forget() {
        for name in catalogues.keys { catalogues[name]?.number = 0 }
        depths = [:]
    }

    /// Who they are, and where they will record.
    mutating func lookForRecorders() {
        let known = KnownRecorders(in: state).recorded
        let begun = ((try? FileManager.default.contentsOfDirectory(atPath: state.path)) ?? [])
            .filter { $0.hasSuffix(".unfinished.json") }
            .compactMap { try? RecordingName(parsing: String($0.dropLast(".unfinished.json".count))) }
        for name in Set(known + begun) {
            if catalogues[name] == nil, known.contains(name) {
                catalogues[name] = (RecordingCatalogue(name, in: state), 0)
            }
            for place in planned(name) { add(place) }
        }
    }

    /// What was entered into their lists since the last time, some at a time. A list that cannot be read says nothing.
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

    /// What a recorder's list says of a path; nil where it is not in it, or nobody can tell.
    func entry(_ path: String, of recorder: String) -> FinishedRecording? {
        guard let name = try? RecordingName(parsing: recorder) else { return nil }
        return try? catalogues[name]?.catalogue.entry(path)
    }

    private mutating func add(_ place: RecordingPlace) {
        let known = depths[place.recorder]?[place.directory] ?? -1
        depths[place.recorder, default: [:]][place.directory] = max(known, place.depth)
    }

    /// Who made a file, as far as its place and name tell.
    static func recorder(of file: String, among recorders: Set<String>) -> String? {
        let named = recorders.filter { file.contains($0) }
        return (named.isEmpty ? recorders : named).max { ($0.count, $1) < ($1.count, $0) }
    }
}
