import FileSystem
import Foundation
import MediaTypes

/// Reads the entries that retention decides on, in pages, the oldest first. Checks the file of each entry when it reads
/// the entry.
final class CandidateReader {
    private typealias Place = RecordingCatalogue.Place

    /// The newest entry whose file exists.
    private(set) var newest: FinishedRecording?
    /// Bytes of all existing files that are not kept.
    private(set) var bytes: Int64 = 0
    /// The error that ended reading early; nil if all entries were returned.
    private(set) var failure: MediaError?

    private let catalogue: RecordingCatalogue
    private let places: [(place: Place, device: UInt64)]
    private let leftOut: Set<String>
    /// The number of the configured remote; nil without one. Copies on other remotes do not count.
    private let remote: Int64?
    private let isKept: (FinishedRecording) -> Bool
    /// The directory of the last entry. It is stored because consecutive recordings are usually in the same directory.
    private var last: (directory: String, device: UInt64?) = ("", nil)

    /// Creates a reader, and finds the newest entry.
    ///
    /// - Parameters:
    ///   - directory: Same as for `Retention`.
    ///   - leftOut: Files that are neither counted nor deleted.
    ///   - remote: The configured remote; copies on other remotes do not count.
    ///   - isKept: Returns true if the owner keeps a recording.
    init(
        _ catalogue: RecordingCatalogue, below directory: String?, leavingOut leftOut: Set<String>,
        copiedTo remote: String? = nil, isKept: @escaping (FinishedRecording) -> Bool = { $0.isKept }
    ) throws(MediaError) {
        self.catalogue = catalogue
        self.isKept = isKept
        self.remote = if let remote { try catalogue.remote(remote) } else { nil }
        self.leftOut = leftOut
        places = try catalogue.places().compactMap { place in
            guard directory == nil || directory == place.directory else { return nil }
            return MountPoint.mounted(place.mount).map { (place, $0) }
        }
        let kept = try catalogue.keptStocks()
        bytes = places.reduce(0) { $0 &+ $1.place.bytes &- (kept[$1.place.id]?.bytes ?? 0) }
        for path in leftOut {
            guard let entry = try catalogue.entry(path), entry.pin == nil else { continue }
            bytes -= entry.identity.size
        }
        newest = try findNewest()
    }

    /// The mount point of each file system.
    var mounts: [UInt64: String] { Dictionary(places.map { ($1, $0.mount) }) { first, _ in first } }

    func candidates() -> CandidateSequence { CandidateSequence(reader: self, places: places.map(\.place)) }

    func candidates(on fileSystem: UInt64) -> CandidateSequence {
        CandidateSequence(reader: self, places: places.filter { $0.device == fileSystem }.map(\.place))
    }

    func nextDated(after number: Int64, boot: String, until now: Double) -> RetentionAges.Dated? {
        noting { () throws(MediaError) in try catalogue.nextDated(after: number, boot: boot, until: now) } ?? nil
    }

    fileprivate func page(after number: Int64, in place: RecordingCatalogue.Place) -> [FinishedRecording] {
        noting { () throws(MediaError) in try catalogue.candidates(after: number, in: place, count: 64) } ?? []
    }

    /// Returns the entry with the current state of its file.
    fileprivate func candidate(_ entry: FinishedRecording) -> RetentionPlanner.Candidate {
        let directory = entry.directory
        if directory != last.directory { last = (directory, MountPoint.device(of: directory)) }
        var kind = stat()
        let isThere = last.device != nil && lstat(entry.path, &kind) == 0 && entry.isSame(kind)
        return RetentionPlanner.Candidate(
            recording: entry, fileSystem: last.device ?? 0, isThere: isThere,
            isCopied: remote != nil && entry.copiedTo == remote, isKept: isThere && isKept(entry),
            isLinked: isThere && kind.st_nlink > 1)
    }

    fileprivate func isLeftOut(_ entry: FinishedRecording) -> Bool { leftOut.contains(entry.path) }

    private func findNewest() throws(MediaError) -> FinishedRecording? {
        var newest: FinishedRecording?
        for (place, _) in places {
            var number = Int64.max
            search: while number > newest?.number ?? 0 {
                let entries = try catalogue.candidates(before: number, in: place, count: 16)
                guard let last = entries.last else { break }
                for entry in entries where entry.number > newest?.number ?? 0 && !isLeftOut(entry) {
                    guard candidate(entry).isThere else { continue }
                    newest = entry
                    break search
                }
                number = last.number
            }
        }
        return newest
    }

    private func noting<Result>(_ body: () throws(MediaError) -> Result) -> Result? {
        do throws(MediaError) { return try body() } catch {
            failure = failure ?? error
            return nil
        }
    }
}

/// The entries of several places, merged in the order of their numbers.
struct CandidateSequence: Sequence {
    fileprivate let reader: CandidateReader
    fileprivate let places: [RecordingCatalogue.Place]

    func makeIterator() -> Iterator { Iterator(reader: reader, queues: places.map { Queue(place: $0) }) }

    fileprivate struct Queue {
        let place: RecordingCatalogue.Place
        /// The entries of the current page that were not returned yet, the oldest last.
        var entries: [FinishedRecording] = []
        var number: Int64 = 0
        var isOver = false
    }

    struct Iterator: IteratorProtocol {
        fileprivate let reader: CandidateReader
        fileprivate var queues: [Queue]

        mutating func next() -> RetentionPlanner.Candidate? {
            while true {
                for index in queues.indices where queues[index].entries.isEmpty && !queues[index].isOver {
                    let page = reader.page(after: queues[index].number, in: queues[index].place)
                    queues[index].isOver = page.isEmpty
                    queues[index].number = page.last?.number ?? queues[index].number
                    queues[index].entries = page.reversed()
                }
                func first(_ index: Int) -> Int64 { queues[index].entries.last?.number ?? .max }
                guard let oldest = queues.indices.min(by: { first($0) < first($1) }),
                    let entry = queues[oldest].entries.popLast()
                else { return nil }
                if !reader.isLeftOut(entry) { return reader.candidate(entry) }
            }
        }
    }
}
