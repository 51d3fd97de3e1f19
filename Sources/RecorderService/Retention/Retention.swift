import CommandInterface
import Foundation
package import Logging
import MediaTypes
import RealTime

/// Deletes the finished recordings of one recorder that its owner's rules no longer keep.
///
/// Only what the catalogue names, what was recorded below the same directory, and what still is the file that was entered;
/// never through a link. What goes wrong is logged, and then nothing is deleted: a recording never fails because of it. Any
/// thread may call, one is inside at a time. The calls touch the disk; a capture thread makes none.
package final class Retention: Sendable {
    package let catalogue: RecordingCatalogue
    /// The output's directory, in front of the pattern's first field: what was recorded elsewhere is no matter of this one.
    /// nil: wherever it was.
    package let directory: String?
    private let clockPath: String
    private let log: Logger
    private let moment: @Sendable () -> Moment
    private let freeSpace: @Sendable (String) -> Int64?
    private let find: @Sendable () -> [FinishedRecording]
    private let state: Locked<State>
    /// Held during I/O: two runs at once would count the same files twice.
    private let applying = NSLock()
    /// Where the next look at the entries begins. Only touched while `applying` is held.
    private let survey = CatalogueSurvey()
    private let entries: CatalogueEntries

    private struct State {
        var account: RetentionAccount
        /// What went wrong this time and the last time: a disk that is read-only is so every minute.
        var failures: [String] = []
        var lastFailures: [String] = []
    }

    /// The retention of a recording with this configuration.
    package convenience init(
        _ configuration: RecordingConfiguration, in state: StateDirectory = StateDirectory(), log: Logger
    ) {
        self.init(
            configuration.name, below: OutputLocation.retentionDirectory(configuration), in: state, log: log,
            moment: Moment.now, freeSpace: DiskSpace.free(at:),
            find: { RecordingSearch(configuration)?.recordings() ?? [] })
    }

    /// - Parameters:
    ///   - freeSpace: bytes that the file system of a directory has left.
    ///   - find: our recordings on the disks, for a catalogue that is made anew.
    init(
        _ name: RecordingName, below directory: String? = nil, in state: StateDirectory,
        catalogue: RecordingCatalogue? = nil, clockPath: String? = nil, log: Logger,
        moment: @escaping @Sendable () -> Moment, freeSpace: @escaping @Sendable (String) -> Int64?,
        find: @escaping @Sendable () -> [FinishedRecording] = { [] }
    ) {
        let catalogue = catalogue ?? RecordingCatalogue(name, in: state)
        self.catalogue = catalogue
        entries = CatalogueEntries(catalogue, log: log)
        self.directory = directory
        self.clockPath = clockPath ?? state.retentionClock(name)
        self.log = log
        self.moment = moment
        self.freeSpace = freeSpace
        self.find = find
        self.state = Locked(State(account: RetentionAccount(directory: directory)))
    }

    /// What went so far, and what was to go at the start; nil without rules.
    package func account(_ rules: RetentionRules) -> RetentionAccount? {
        rules.keepsEverything ? nil : state.withLock { $0.account }
    }

    /// Something could not be looked at, or deleted, the last time; the log has said what.
    package var hasFailed: Bool { state.withLock { $0.account.error != nil } }

    /// What this recorder has recorded below other directories, in words; nil when that is nothing.
    package var elsewhere: String? {
        guard let directory, let places = try? catalogue.places() else { return nil }
        let others = places.filter { $0.directory != directory && $0.files > 0 }
        guard !others.isEmpty else { return nil }
        let names = Set(others.map(\.directory)).sorted()
        let count = others.reduce(0) { $0 + $1.files }
        let more = names.count > 3 ? " and \(names.count - 3) more directories" : ""
        return "only what is below \(directory) is looked at, not \(count) of its recordings in "
            + names.prefix(3).joined(separator: ", ") + more + "; --output says where"
    }

    /// Looks at every entry, and makes the catalogue anew where it is damaged: at the start of a recording, beside it. With a
    /// million entries that takes some seconds.
    ///
    /// - Returns: what would go at this moment.
    @discardableResult
    package func lookAtAll(_ rules: RetentionRules) -> [RetentionPlanner.Removal] {
        guard !rules.keepsEverything else { return [] }
        return attempt {
            let planned = noting { () throws(MediaError) -> [RetentionPlanner.Removal] in
                try catalogue.check()
                try survey.look(at: catalogue, below: directory, atMost: .max)
                return try look(rules).removals
            }
            if let planned { state.withLock { $0.account.plan(planned.map(RetentionAccount.Removal.init)) } }
            return planned ?? []
        }
    }

    /// Enters a finished file, now or as soon as that can be done: with the next one, and with the next `apply`.
    ///
    /// - Parameter whenDone: it is entered.
    func enter(
        _ file: String, root: String?, _ account: FinishedRecording.Account, whenDone: @escaping @Sendable () -> Void
    ) {
        entries.enter(.init(file: file, root: root, account: account, moment: moment(), whenDone: whenDone))
    }

    /// What would go at this moment. Changes nothing.
    package func plan(_ rules: RetentionRules) -> [RetentionPlanner.Removal] {
        attempt { noting { () throws(MediaError) in try look(rules).removals } ?? [] }
    }

    /// Deletes what the rules no longer keep: after each finished file, every minute, and when a disk runs low.
    ///
    /// - Parameter inUse: a file that stays, whatever the rules say.
    /// - Returns: what went.
    @discardableResult
    package func apply(_ rules: RetentionRules, inUse: Set<String> = []) -> [RetentionPlanner.Removal] {
        entries.enterMissing()
        guard !rules.keepsEverything else { return [] }
        return attempt {
            let planned = noting { () throws(MediaError) in
                try survey.look(at: catalogue, below: directory, atMost: CatalogueSurvey.usual)
                return try look(rules, inUse: inUse)
            }
            guard let (removals, clock) = planned else { return [] }
            if let clock { store(clock) }
            var done: [RetentionPlanner.Removal] = []
            var forgotten = 0
            for removal in removals {
                do throws(MediaError) {
                    guard try removal.recording.delete() else { continue }
                    done.append(removal)
                    log.log(level: removal.isOnlyOne ? .error : .notice, "deleted \(removal.path): \(removal.reason)")
                } catch { note(error) }
                // What is deleted and still entered is looked at once more, no more than that.
                if done.count - forgotten >= 256 { forget(done, from: &forgotten) }
            }
            forget(done, from: &forgotten)
            state.withLock { $0.account.note(done.map(RetentionAccount.Removal.init)) }
            return done
        }
    }

    private func forget(_ done: [RetentionPlanner.Removal], from first: inout Int) {
        _ = noting { () throws(MediaError) in try catalogue.remove(done[first...].map(\.recording)) }
        first = done.count
    }

    // MARK: -

    /// - Returns: what goes, and the clock as it is now.
    private func look(
        _ rules: RetentionRules, inUse: Set<String> = []
    ) throws(MediaError) -> (removals: [RetentionPlanner.Removal], clock: RetentionClock?) {
        let reader = try CandidateReader(
            catalogue, below: directory, leavingOut: inUse, copiedTo: rules.hold?.remote)
        guard let newest = reader.newest else { return ([], nil) }
        let moment = moment()
        var clock = storedClock ?? RetentionClock(newest.moment)
        let now = clock.now(moment)
        var free: [UInt64: Int64] = [:]
        if rules.freeSpace != nil {
            for (system, mount) in reader.mounts { free[system] = freeSpace(mount) }
        }
        let stock = RetentionPlanner.Stock(total: reader.bytes, newest: newest.number, free: free)
        let ages = RetentionAges(at: moment, now: now) { number in
            reader.nextDated(after: number, boot: moment.boot, until: now)
        }
        let removals = RetentionPlanner(rules).removals(
            of: reader.candidates(), on: { reader.candidates(on: $0) }, stock: stock, ages: ages)
        // What could not be read to its end decides nothing.
        if let failure = reader.failure { throw failure }
        return (removals, clock)
    }

    /// nil as long as nobody has written one. One that cannot be read is as good as none: time then goes on from the newest
    /// recording, and what the calendar says beyond that must prove itself.
    private var storedClock: RetentionClock? {
        FileManager.default.contents(atPath: clockPath).flatMap {
            try? JSONDecoder().decode(RetentionClock.self, from: $0)
        }
    }

    private func store(_ clock: RetentionClock) {
        do { try JSONText.data(clock).write(to: URL(fileURLWithPath: clockPath), options: .atomic) } catch {
            note(
                MediaError(
                    .ioFailure, "cannot write \(clockPath)", reason: error.localizedDescription,
                    wayOut: "until then a clock that is set forward is believed by none"))
        }
    }

    private func remake() {
        _ = noting { () throws(MediaError) in
            guard let directory, try catalogue.isMadeAnew else { return }
            var new: [(entry: FinishedRecording, directory: String)] = []
            for entry in find() where try catalogue.entry(entry.path) == nil { new.append((entry, directory)) }
            try catalogue.add(new)
            try catalogue.noteLookedThrough()
            log.notice("\(catalogue.path) was made anew; below \(directory) \(new.count) more files are surely ours")
        }
    }

    // MARK: What goes wrong

    /// One at a time; what goes wrong is logged, once as long as it does not change.
    private func attempt<Result>(_ body: () -> Result) -> Result {
        applying.withLock {
            state.withLock { $0.failures = [] }
            let result = body()
            remake()
            state.withLock { state in
                state.lastFailures = state.failures
                state.account.error = state.failures.first
            }
            return result
        }
    }

    /// nil when it cannot be done.
    private func noting<Result>(_ body: () throws(MediaError) -> Result) -> Result? {
        do throws(MediaError) { return try body() } catch {
            note(error)
            return nil
        }
    }

    private func note(_ error: MediaError) {
        let text = error.description
        let isNews = state.withLock { state in
            // The rest of a directory that cannot be written says nothing more.
            guard state.failures.count < 3, !state.failures.contains(text) else { return false }
            state.failures.append(text)
            return !state.lastFailures.contains(text)
        }
        if isNews { log.error("the retention: \(text)") }
    }
}
