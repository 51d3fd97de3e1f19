import FileSystem
import Foundation
import Logging
import MediaTypes
import RealTime
import RecorderStorage

/// The work of `RecordingScanner`, on its thread.
final class ScannerWork {
    /// The number of movies that are read between two checks for changes.
    private static let batch = 8
    /// The number of file names that are entered in one transaction.
    private static let rows = 256
    /// File name extensions of movies.
    private static let endings: Set<String> = ["mov", "mp4", "m4v"]
    private static let lists = [".finished.sqlite", ".unfinished.json"]
    /// Delays in milliseconds. Changes count as complete after `quiet` without a further change. Growing files are
    /// checked every `growingPause`, and directories that cannot be watched every `longPause`.
    private static let (quiet, growingPause, longPause): (Int32, Int32, Int32) = (200, 2000, 15_000)
    /// Nanoseconds between full scans.
    private static let fullScan: Int64 = 600_000_000_000
    /// Nanoseconds between scans of a directory that cannot be watched.
    private static let unwatched: Int64 = 60_000_000_000

    /// A file that is being written.
    private struct Growing {
        var entry: IndexRows.Entry
        var schedule: RereadSchedule
    }

    private let index: RecordingIndex
    private let rereadInterval: Int64
    private var sources: RecordingSources
    private let log: Logger
    private let watch = FolderWatch()
    /// The scanned directories. Each has the recorders whose recordings may be in it, and the depth to which its
    /// subdirectories are scanned.
    private var folders: [String: (recorders: Set<String>, depth: Int)] = [:]
    private var growing: [String: Growing] = [:]
    private var missing: Set<String> = []
    /// The time of the last scan of each directory to which recorders record, in nanoseconds of the monotonic clock.
    private var looked: [String: Int64] = [:]
    private var areListsDue = false
    private var (listed, lookedAgain): (Int64, Int64) = (0, 0)
    private var scanned: Int64 = 0
    private var problem = ""

    /// Creates the work.
    ///
    /// - Parameter rereadInterval: The minimum time between two reads of a growing movie, in nanoseconds.
    init(_ index: RecordingIndex, _ sources: RecordingSources, rereadInterval: Int64, log: Logger) {
        (self.index, self.sources, self.rereadInterval, self.log) = (index, sources, rereadInterval, log)
    }

    func run(until stop: WakeUp) {
        var waits = [stop.fileDescriptor, watch.descriptor, index.news.fileDescriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        var hasMore = true
        while true {
            let isMore = areListsDue || scanned == 0 || !missing.isEmpty
            _ = poll(&waits, 3, hasMore ? 0 : isMore ? Self.quiet : pause)
            if waits[0].revents != 0 { return }
            if waits[2].revents != 0 { index.news.clear() }
            do throws(MediaError) {
                let isDue = scanned == 0 || MonotonicClock().nanoseconds - scanned > Self.fullScan
                if try index.takeIsEmpty() || isDue { try scan { stop.isFired(before: 0) } }
                let news = watch.take()
                try follow(news)
                let isQuiet =
                    !hasMore || MonotonicClock().nanoseconds - lookedAgain > Self.nanoseconds(Self.growingPause)
                if news.isEmpty, isQuiet { try lookAgain() }
                hasMore = try readSome()
                problem = ""
            } catch {
                (hasMore, scanned) = (false, 0)
                // The same error is logged only once, because every further attempt would cause it again.
                if problem != error.description { log.warning("\(error)") }
                problem = error.description
                _ = poll(&waits, 1, Self.growingPause)
            }
        }
    }

    /// The maximum wait for changes, in milliseconds. The wait is limited if a directory cannot be watched, for example
    /// because its disk is unplugged.
    private var pause: Int32 {
        growing.isEmpty && watch.isWatched(sources.directory)
            && sources.places.allSatisfy { watch.isWatched($0.directory) } ? Self.longPause : Self.growingPause
    }

    // MARK: Full scan

    private func scan(_ isStopped: () -> Bool) throws(MediaError) {
        index.record(isScanning: true)
        defer { index.record(isScanning: false) }
        scanned = MonotonicClock().nanoseconds
        sources.forget()
        (folders, looked) = ([:], [:])
        try takeLists()
        for place in sources.places where !isStopped() { try look(at: place) }
        // Remove files that no longer exist.
        var number: Int64 = 0
        while !isStopped() {
            let page = try index.read { database throws(Database.Failure) in
                try IndexRows.page(after: number, count: Self.rows, in: database)
            }
            guard let last = page.last else { break }
            number = last.number
            try remove(page.map(\.path).filter { identity($0) == nil })
            for entry in page where OutputLocation.finalPath(of: entry.path) != nil { follow(growing: entry) }
        }
    }

    /// Reads the recorders' lists. They also name the directories of the recordings.
    private func takeLists() throws(MediaError) {
        areListsDue = false
        listed = MonotonicClock().nanoseconds
        watch.add(sources.directory, tellsWrites: true)
        sources.lookForRecorders()
        var failure: MediaError?
        sources.newEntries { name, page in
            let seen = page.compactMap { entry -> IndexRows.Seen? in
                guard let identity = identity(entry.path), identity == entry.identity else { return nil }
                return .init(path: entry.path, recorder: name.description, identity: identity, account: entry.account)
            }
            do throws(MediaError) { try record(seen) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func look(at place: RecordingPlace) throws(MediaError) {
        try look(in: place.directory, [place.recorder], depth: place.depth)
        looked[place.directory] = folders[place.directory] == nil ? nil : MonotonicClock().nanoseconds
    }

    /// Scans a directory. Links are not followed.
    private func look(in directory: String, _ recorders: Set<String>, depth: Int) throws(MediaError) {
        let known = folders[directory] ?? ([], -1)
        let recorders = recorders.union(known.recorders)
        let depth = max(depth, known.depth)
        folders[directory] = (recorders, depth)
        // Watch before reading, so that later changes are reported.
        watch.add(directory)
        guard let stream = opendir(directory) else {
            folders[directory] = known.depth < 0 ? nil : known
            return
        }
        defer { closedir(stream) }
        var seen: [IndexRows.Seen] = []
        var below: [String] = []
        while let entry = readdir(stream) {
            let name = FolderContents.name(of: entry)
            let path = Self.path(directory, name)
            if depth > 0, name.first != ".", entry.pointee.d_type != UInt8(DT_REG), Self.isDirectory(path) {
                below.append(path)
            } else if let file = file(path, name, recorders) {
                seen.append(file)
            }
            if seen.count == Self.rows {
                try record(seen)
                seen = []
            }
        }
        try record(seen)
        for path in below { try look(in: path, recorders, depth: depth - 1) }
    }

    private func file(_ path: String, _ name: String, _ recorders: Set<String>) -> IndexRows.Seen? {
        guard Self.endings.contains(name.fileExtension.lowercased()),
            let recorder = RecordingSources.recorder(of: name, among: recorders), let identity = identity(path)
        else { return nil }
        return .init(path: path, recorder: recorder, identity: identity)
    }

    // MARK: Changes

    private func follow(_ news: [FolderWatch.News]) throws(MediaError) {
        var changed: Set<String> = []
        for news in news {
            switch news {
            case .lost: scanned = 0
            case .gone(let directory):
                let below = directory + "/"
                looked[directory] = nil
                folders = folders.filter { $0.key != directory && !$0.key.hasPrefix(below) }
                scanned = 0
            case .changed(sources.directory, let name) where folders[sources.directory] == nil:
                areListsDue = areListsDue || Self.lists.contains { name.hasSuffix($0) }
            case .changed(let directory, let name): changed.insert(Self.path(directory, name))
            }
        }
        var seen: [IndexRows.Seen] = []
        for path in changed {
            let directory = path.parentDirectory
            guard let folder = folders[directory] else { continue }
            if let file = file(path, path.lastComponent, folder.recorders) {
                seen.append(file)
            } else if folder.depth > 0, Self.isDirectory(path) {
                try look(in: path, folder.recorders, depth: folder.depth - 1)
            } else {
                missing.insert(path)
            }
        }
        try record(seen)
        // A rename is reported as two events. Therefore a file counts as gone only when no more events arrive.
        guard news.isEmpty, !missing.isEmpty else { return }
        try remove(missing.filter { identity($0) == nil })
        missing = []
    }

    private static func nanoseconds(_ milliseconds: Int32) -> Int64 { Int64(milliseconds) * 1_000_000 }

    /// Checks growing files and unwatched directories. Called after a quiet period, and regularly while many movies are
    /// read.
    private func lookAgain() throws(MediaError) {
        lookedAgain = MonotonicClock().nanoseconds
        for (path, file) in growing {
            guard let identity = identity(path) else {
                missing.insert(path)
                growing[path] = nil
                continue
            }
            if identity != file.entry.identity {
                try index.change { database throws(Database.Failure) in
                    try IndexRows.record(identity, ofGrowing: file.entry, in: database)
                }
                growing[path]?.entry.identity = identity
                growing[path]?.schedule.grow()
            }
            try readAgain(path)
        }
        // The lists are not read every time, because reading a list may itself be reported as a change.
        let known = Set(sources.places)
        let isLong = lookedAgain - listed > Self.nanoseconds(Self.longPause)
        if areListsDue || isLong || !watch.isWatched(sources.directory) { try takeLists() }
        for place in sources.places where !known.contains(place) || isBack(place) { try look(at: place) }
    }

    private func follow(growing entry: IndexRows.Entry) {
        let schedule =
            growing[entry.path]?.schedule
            ?? RereadSchedule(now: MonotonicClock().nanoseconds, interval: rereadInterval)
        growing[entry.path] = Growing(entry: entry, schedule: schedule)
    }

    /// Reads the movie of a growing file again if that is due: it may have new pauses and marks.
    private func readAgain(_ path: String) throws(MediaError) {
        let begin = MonotonicClock().nanoseconds
        guard let file = growing[path], file.schedule.isDue(begin) else { return }
        let info = IndexedRecording.Info(reading: path, isGrowing: true)
        growing[path]?.schedule.read(from: begin, to: MonotonicClock().nanoseconds)
        // The file may have been finalized or removed in the meantime; what is known of it is better than nothing.
        guard info.hasVideo || info.hasAudio else { return }
        try index.change { database throws(Database.Failure) in
            try IndexRows.record(info, of: file.entry, in: database)
        }
    }

    /// Returns true if a directory must be scanned. Either it exists again because its disk was plugged in, or it
    /// cannot be watched and its next scan is due.
    private func isBack(_ place: RecordingPlace) -> Bool {
        guard !watch.isWatched(place.directory), Self.isDirectory(place.directory) else { return false }
        return looked[place.directory].map { lookedAgain - $0 > Self.unwatched } ?? true
    }

    /// Reads some unread movies.
    ///
    /// - Returns: true if there are more unread movies.
    private func readSome() throws(MediaError) -> Bool {
        let entries = try index.read { database throws(Database.Failure) in
            try IndexRows.unread(Self.batch, in: database)
        }
        for var entry in entries {
            guard let identity = identity(entry.path) else {
                try remove([entry.path])
                continue
            }
            entry.identity = identity
            let read = entry
            let isGrowing = OutputLocation.finalPath(of: read.path) != nil
            let info = IndexedRecording.Info(reading: read.path, isGrowing: isGrowing)
            let listed = isGrowing ? nil : listed(read, by: info.recorder ?? read.recorder)
            try index.change { database throws(Database.Failure) in
                try IndexRows.record(info, of: read, in: database)
                if let listed { try IndexRows.record(listed, in: database) }
            }
            if isGrowing { follow(growing: entry) }
        }
        return entries.count == Self.batch
    }

    /// Returns the entry in the recorder's list for a file that a scan found; nil without one. If the file's disk was
    /// unplugged when the list was read, the entry has not been used yet.
    private func listed(_ entry: IndexRows.Entry, by recorder: String) -> IndexRows.Seen? {
        guard entry.claim != .certain, let listed = sources.entry(entry.path, of: recorder),
            listed.identity == entry.identity
        else { return nil }
        return .init(path: entry.path, recorder: recorder, identity: entry.identity, account: listed.account)
    }

    // MARK: -

    private func record(_ seen: [IndexRows.Seen]) throws(MediaError) {
        guard !seen.isEmpty else { return }
        try index.change { database throws(Database.Failure) in
            for file in seen { try IndexRows.record(file, in: database) }
        }
    }

    private func remove(_ paths: some Collection<String>) throws(MediaError) {
        guard !paths.isEmpty else { return }
        for path in paths { growing[path] = nil }
        try index.change { database throws(Database.Failure) in
            for path in paths { try IndexRows.remove(path, from: database) }
        }
    }

    /// Returns a file's identity; nil if it does not exist or is not a regular file.
    private func identity(_ path: String) -> FinishedRecording.Identity? {
        var kind = stat()
        guard lstat(path, &kind) == 0, kind.st_mode & S_IFMT == S_IFREG else { return nil }
        return .init(kind)
    }

    private static func isDirectory(_ path: String) -> Bool {
        var kind = stat()
        return lstat(path, &kind) == 0 && kind.st_mode & S_IFMT == S_IFDIR
    }

    private static func path(_ directory: String, _ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
    }
}
