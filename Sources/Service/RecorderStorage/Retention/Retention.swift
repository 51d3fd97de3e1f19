import CommandInterface
import FileSystem
import Foundation
package import Logging
import MediaTypes
import RealTime

/// Deletes a recorder's finished recordings once the user's rules no longer keep them.
///
/// Deletes only files that the catalogue lists, that were recorded below `directory`, that have not changed since, and
/// that are not kept. Never follows a link. Errors are logged. They cause no deletion, and no recording fails because
/// of them. Thread-safe: only one call runs at a time. The calls access the disk, so capture threads must not call
/// them.
package final class Retention: Sendable {
    package let catalogue: RecordingCatalogue
    /// The output's directory: the part of its path before the pattern's first field. Recordings in other directories
    /// are ignored. If nil, the recordings in all directories count.
    package let directory: String?
    private let clockPath: String
    private let log: Logger
    private let moment: @Sendable () -> Moment
    private let freeSpace: @Sendable (String) -> Int64?
    /// Only accessed while `applying` is held.
    private let space: FreeSpaceCheck
    private let find: @Sendable () -> [FinishedRecording]
    let counterpart: @Sendable (String) -> String?
    private let state: Locked<State>
    /// Held during I/O: two simultaneous runs would count the same files twice.
    private let applying = NSLock()
    /// Stores where the next check of the entries begins. Only accessed while `applying` is held.
    private let survey = CatalogueSurvey()
    private let entries: CatalogueEntries
    /// The number of the last uncopied entry that `recordCopies` looked at; 0 to begin with the oldest.
    let lastUncopied = Locked<Int64>(0)

    private struct State {
        var account: RetentionAccount
        /// The kept recordings; nil before the first count.
        var kept: KeptAccount?
        /// The errors of the current run. An error of the last run that occurs again is not logged again. Otherwise, a
        /// read-only disk would be logged every minute.
        var failures: [String] = []
        var lastFailures: [String] = []
        /// True if an error of the current run prevented a check or a deletion.
        var hasFailed = false
    }

    /// Creates the retention of a recording with this configuration.
    package convenience init(
        _ configuration: RecordingConfiguration, in state: StateDirectory = StateDirectory(), log: Logger
    ) {
        let directory = OutputLocation.retentionDirectory(configuration)
        let mirror = configuration.mirror
        self.init(
            configuration.name, below: directory, in: state, log: log, moment: Moment.now,
            freeSpace: DiskSpace.free(at:), settle: DiskSpace.settle(_:until:),
            find: { RecordingSearch(configuration)?.recordings() ?? [] },
            counterpart: { OutputLocation.counterpart(of: $0, below: directory, on: mirror) })
    }

    /// Creates a retention from its parts.
    ///
    /// - Parameters:
    ///   - freeSpace: Returns the free bytes on the file system of a directory.
    ///   - settle: Makes the file system of a directory free the space of deleted files.
    ///   - find: Returns this recorder's recordings on the disks, for a catalogue that is created again.
    ///   - counterpart: Returns the path of a file's other mirrored file; nil without a mirror. If one of the two is
    ///     kept, both are kept.
    init(
        _ name: RecordingName, below directory: String? = nil, in state: StateDirectory,
        catalogue: RecordingCatalogue? = nil, clockPath: String? = nil, spacePath: String? = nil, log: Logger,
        moment: @escaping @Sendable () -> Moment, freeSpace: @escaping @Sendable (String) -> Int64?,
        settle: @escaping @Sendable (String, () -> Bool) -> Void = { _, _ in },
        find: @escaping @Sendable () -> [FinishedRecording] = { [] },
        counterpart: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        let catalogue = catalogue ?? RecordingCatalogue(name, in: state)
        self.catalogue = catalogue
        entries = CatalogueEntries(catalogue, log: log)
        self.directory = directory
        self.clockPath = clockPath ?? state.retentionClock(name)
        self.log = log
        self.moment = moment
        self.freeSpace = freeSpace
        space = FreeSpaceCheck(storedAt: spacePath ?? state.freedSpace(name), free: freeSpace, settle: settle)
        self.find = find
        self.counterpart = counterpart
        self.state = Locked(State(account: RetentionAccount(directory: directory)))
    }

    /// Returns the deletions since the start, and the files that were due at the start; nil without rules.
    package func account(_ rules: RetentionRules) -> RetentionAccount? {
        guard !rules.keepsEverything else { return nil }
        var account = state.withLock { $0.account }
        account.error = account.error ?? entries.problem.map { "a finished file is ignored for now: \($0)" }
        return account
    }

    /// The kept recordings at the last `apply`; nil before the first `apply`.
    package var kept: KeptAccount? { state.withLock { $0.kept } }

    /// True if the last check or deletion failed; the log has the error. A disk that is too full is no failure.
    package var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// Checks every entry, and creates the catalogue again if it is damaged. A recorder calls this in parallel with the
    /// start of a recording. A million entries take some seconds.
    ///
    /// - Returns: The recordings that the rules would delete now.
    @discardableResult
    package func lookAtAll(_ rules: RetentionRules) -> [RetentionPlanner.Removal] {
        guard !rules.keepsEverything else { return [] }
        return attempt {
            let planned = noting { () throws(MediaError) -> [RetentionPlanner.Removal] in
                try catalogue.check()
                try examine(atMost: .max)
                return try look(rules).removals
            }
            if let planned { state.withLock { $0.account.plan(planned.map(RetentionAccount.Removal.init)) } }
            return planned ?? []
        }
    }

    /// Enters a finished file, now or as soon as possible: with the next file, or with the next `apply`.
    ///
    /// - Parameters:
    ///   - finished: The time at which the file was finished; nil for now.
    ///   - whenDone: Called when the file has been entered.
    package func enter(
        _ file: String, root: String?, _ account: FinishedRecording.Account, at finished: Moment? = nil,
        whenDone: @escaping @Sendable () -> Void
    ) {
        entries.enter(
            .init(file: file, root: root, account: account, moment: finished ?? moment(), whenDone: whenDone))
    }

    /// Returns the recordings that the rules would delete now. Changes nothing.
    package func plan(_ rules: RetentionRules) -> [RetentionPlanner.Removal] {
        attempt { noting { () throws(MediaError) in try look(rules).removals } ?? [] }
    }

    /// Deletes the recordings that the rules no longer keep. Called after each finished file, every minute, and when a
    /// disk runs low.
    ///
    /// - Parameters:
    ///   - inUse: Files that are kept regardless of the rules.
    ///   - reserve: The free bytes at which a recording ends.
    /// - Returns: The deleted recordings.
    @discardableResult
    package func apply(
        _ rules: RetentionRules, inUse: Set<String> = [], reserve: Int64 = 0
    ) -> [RetentionPlanner.Removal] {
        entries.enterMissing()
        defer { countKept(rules, reserve: reserve) }
        guard !rules.keepsEverything else { return [] }
        return attempt {
            let planned = noting { () throws(MediaError) in
                try examine(atMost: CatalogueSurvey.usual)
                return try look(rules, inUse: inUse)
            }
            guard let (removals, clock, mounts) = planned else { return [] }
            if let clock { store(clock) }
            var done: [RetentionPlanner.Removal] = []
            var forgotten = 0
            for removal in removals {
                do throws(MediaError) {
                    let full = removal.freesSpaceOn.flatMap { mounts[$0] }
                    if let full, let least = rules.freeSpace {
                        guard space.needs(least, on: full, isFirst: done.isEmpty) else { continue }
                    }
                    // The owner may have kept the recording since the plan was made.
                    guard !isKept(removal.recording), try removal.recording.delete() else { continue }
                    done.append(removal)
                    if let full { space.record(removal, on: full, at: moment()) }
                    log.log(
                        level: removal.isOnlyOne ? .error : .notice, "deleted \(removal.path): \(removal.reason)",
                        metadata: LoggedEvent.deleted.fields(file: removal.path))
                } catch { record(error) }
                // Deleted files that are still in the catalogue would be checked again, so their number is limited.
                if done.count - forgotten >= 256 { forget(done, from: &forgotten) }
            }
            forget(done, from: &forgotten)
            if rules.freeSpace != nil {
                let warnings = noting { () throws(MediaError) in try space.end(at: moment()) } ?? []
                for warning in warnings { log.warning("retention: \(warning)") }
            }
            state.withLock { $0.account.record(done.map(RetentionAccount.Removal.init)) }
            return done
        }
    }

    private func forget(_ done: [RetentionPlanner.Removal], from first: inout Int) {
        _ = noting { () throws(MediaError) in try catalogue.remove(done[first...].map(\.recording)) }
        first = done.count
    }

    // MARK: -

    /// Checks entries, and records an error if some of their files cannot be examined.
    private func examine(atMost limit: Int) throws(MediaError) {
        try survey.look(at: catalogue, below: directory, atMost: limit)
        if let failure = survey.failure { record(failure) }
    }

    /// Applies the rules without deleting.
    ///
    /// - Returns: The recordings to delete, the updated clock, and the mount points of the file systems.
    private func look(
        _ rules: RetentionRules, inUse: Set<String> = []
    ) throws(MediaError) -> (removals: [RetentionPlanner.Removal], clock: RetentionClock?, mounts: [UInt64: String]) {
        let reader = try CandidateReader(
            catalogue, below: directory, leavingOut: inUse, copiedTo: rules.hold?.remote, isKept: isKept)
        let mounts = reader.mounts
        guard let newest = reader.newest else { return ([], nil, mounts) }
        let moment = moment()
        var clock = storedClock ?? RetentionClock(newest.moment)
        let now = clock.now(moment)
        if clock.isDoubted, rules.age != nil { record(Self.doubtedClock, isFailure: false) }
        var free: [UInt64: Int64] = [:]
        if let least = rules.freeSpace {
            let looked = space.begin(mounts, least: least, at: moment)
            free = looked.free
            for error in looked.errors { record(error, isFailure: false) }
        }
        let stock = RetentionPlanner.Stock(total: reader.bytes, newest: newest.number, free: free)
        let ages = RetentionAges(at: moment, now: now) { number in
            reader.nextDated(after: number, boot: moment.boot, until: now)
        }
        let plan = RetentionPlanner(rules).plan(
            of: reader.candidates(), on: { reader.candidates(on: $0) }, stock: stock, ages: ages)
        // If reading fails midway, nothing is deleted.
        if let failure = reader.failure { throw failure }
        for (system, count) in plan.linked.sorted(by: { $0.key < $1.key }) {
            record(FreedSpace.error(linked: count, on: mounts[system] ?? ""), isFailure: false)
        }
        return (plan.removals, clock, mounts)
    }

    private static let doubtedClock = MediaError(
        .invalidState, "cannot use the date for keep-for",
        reason: "the clock was set forward, or the machine was off for more than a week",
        wayOut: "it is used once the clock has run for a day, or after three boots on different days")

    /// The stored clock; nil if it does not exist or cannot be read. Without it, time continues from the newest
    /// recording, and a later date is accepted only after a day.
    private var storedClock: RetentionClock? {
        FileContents.bytes(of: clockPath).flatMap {
            try? JSONDecoder().decode(RetentionClock.self, from: Data($0))
        }
    }

    private func store(_ clock: RetentionClock) {
        do { try AtomicFile.write(JSONText.data(clock), to: clockPath, overwrite: true) } catch {
            record(
                MediaError(
                    .ioFailure, "cannot write \(clockPath)", reason: (error as? MediaError)?.reason ?? "\(error)",
                    wayOut: "until this file can be written, retention ignores a clock that is set forward"))
        }
    }

    /// Returns true if the owner keeps a recording, on either disk. Accesses the disks.
    private func isKept(_ recording: FinishedRecording) -> Bool {
        recording.isKept || counterpart(recording.path).map { RecordingPins.isKept($0) } ?? false
    }

    /// Counts the kept recordings, and checks whether they leave enough space. If that fails, the last values stay.
    private func countKept(_ rules: RetentionRules, reserve: Int64) {
        applying.withLock {
            guard let stocks = try? catalogue.keptStocks(), let places = try? catalogue.places() else { return }
            var kept = KeptAccount()
            var rooms: [UInt64: KeptRoom] = [:]
            for place in places {
                let stock = stocks[place.id] ?? RecordingCatalogue.Stock()
                kept.files &+= stock.files
                kept.bytes &+= stock.bytes
                guard let system = MountPoint.mounted(place.mount) else { continue }
                var room = rooms[system] ?? KeptRoom(mount: place.mount)
                room.kept &+= stock.bytes
                if directory == nil || directory == place.directory {
                    room.deletable &+= place.bytes &- stock.bytes
                    let recent = (try? catalogue.candidates(before: .max, in: place, count: 16)) ?? []
                    room.hour = max(room.hour, KeptRoom.hour(recent))
                }
                rooms[system] = room
            }
            for (_, room) in rooms.sorted(by: { $0.key < $1.key }) where kept.warning == nil {
                kept.warning = room.warning(rules, reserve: reserve, free: freeSpace(room.mount))
            }
            let counted = kept
            state.withLock { $0.kept = counted }
        }
    }

    private func remake() {
        _ = noting { () throws(MediaError) in
            guard let directory, try catalogue.isRecreated else { return }
            var new: [(entry: FinishedRecording, directory: String)] = []
            for entry in find() where try catalogue.entry(entry.path) == nil { new.append((entry, directory)) }
            try catalogue.add(new)
            try catalogue.recordScanned()
            log.notice(
                "\(catalogue.path) was created again; added \(new.count) files of this recorder found below \(directory)"
            )
        }
    }

    // MARK: Errors

    /// Runs one operation at a time. Logs its errors, except those that the last operation also had.
    private func attempt<Result>(_ body: () -> Result) -> Result {
        applying.withLock {
            state.withLock { ($0.failures, $0.hasFailed) = ([], false) }
            let result = body()
            remake()
            state.withLock { state in
                state.lastFailures = state.failures
                state.account.error = state.failures.first
            }
            return result
        }
    }

    /// Returns nil if `body` throws, and records the error.
    private func noting<Result>(_ body: () throws(MediaError) -> Result) -> Result? {
        do throws(MediaError) { return try body() } catch {
            record(error)
            return nil
        }
    }

    /// Records an error for the status, and logs it.
    ///
    /// - Parameter isFailure: False if nothing failed, but a disk stays too full.
    private func record(_ error: MediaError, isFailure: Bool = true) {
        let text = error.description
        let isNews = state.withLock { state in
            state.hasFailed = state.hasFailed || isFailure
            // Further errors, for example for each file of a read-only directory, would say nothing new.
            guard state.failures.count < 3, !state.failures.contains(text) else { return false }
            state.failures.append(text)
            return !state.lastFailures.contains(text)
        }
        if isNews { log.error("retention: \(text)") }
    }
}
