import CommandInterface
import FileSystem
import Foundation
import Logging
import MediaTypes
import RealTime
import RecorderStorage

/// Copies the finished recordings of one recorder, one by one, the oldest first. The uncopied entries of the catalogue
/// are its queue, so an interruption loses nothing. It runs on one thread, which ends within a second or two after
/// `stop` is set.
final class Copier: @unchecked Sendable {
    // Unchecked: mutable state is only accessed by the thread that runs `run`.
    struct Surroundings: Sendable {
        var environment: [String: String] = ProcessText.environment
        var clock: any HostClock = MonotonicClock()
        /// Returns the local time in minutes after midnight.
        var minute: @Sendable () -> Int = { LocalTime.minute(of: Date()) }
        var wallClock: @Sendable () -> Date = { Date() }
    }

    /// The file in which a copier publishes its state.
    private struct StateFile {
        let path: String
        private(set) var lastStored = Int64.min
        private var stored: CopierState?

        init(path: String) { self.path = path }

        /// Stores a state that has changed.
        mutating func store(_ state: CopierState, at now: Int64) {
            guard state != stored else { return }
            (stored, lastStored) = (state, now)
            state.store(at: path)
        }
    }

    private struct Failures {
        /// The errors that were already logged. They may be logged again only after a copy has succeeded.
        var told: Set<String> = []
        /// The last reason why a file was not copied.
        var last: MediaError?
        /// The number of consecutive failures of the remote.
        var ofRemote = 0
        /// True if any other file would fail too, because rclone or the remote is missing, or because the remote has
        /// failed repeatedly.
        var isHopeless = false
    }

    /// Information about partly sent files that an earlier process may have left at the remote.
    private struct Predecessor {
        /// The file that the earlier process was sending when it ended; nil if unknown. In that case, the first file
        /// may be partly sent.
        var interrupted: String?
        var isFirst = true

        func mayHaveBegun(_ path: String) -> Bool { interrupted.map { $0 == path } ?? isFirst }
    }

    private struct Remote {
        let text: String
        let number: Int64
        /// The mount point of a remote that is a directory of this machine; nil if it is unknown.
        var mount: String?
        /// True once the log says that the remote's disk also has the recordings.
        var isOnSameDisk = false
    }

    private let catalogue: RecordingCatalogue
    private let settings: @Sendable () -> CopySettings
    private let hooks: HookRunner?
    private let log: Logger
    private let surroundings: Surroundings
    private let names: CopyNames
    private let stop: CopyStop
    private let watch: CatalogueWatch

    private var state = CopierState()
    private var schedule = CopySchedule()
    private var remote: Remote?
    private var abilities: RemoteStore.Abilities?
    private var predecessor = Predecessor()
    /// A verified copy that is not in the catalogue yet, because the catalogue's disk is full.
    private var unnoted: (entry: FinishedRecording, remote: Int64)?
    private var stateFile: StateFile
    private var failures = Failures()

    private static let second: Int64 = 1_000_000_000
    /// Maximum interval between two checks of the catalogue, in nanoseconds, in case an event was missed.
    private static let longestWait = 60 * second
    /// Interval between two checks of the allowed hours, in nanoseconds.
    private static let hoursInterval = 20 * second
    private static let page = 64
    /// Maximum number of attempts per file if `run` is called with `once`.
    private static let triesOnce = 3

    /// Creates a copier; `run` starts it.
    ///
    /// - Parameters:
    ///   - names: The names that other copiers use on remotes.
    ///   - settings: Returns the current settings; called repeatedly.
    init(
        _ catalogue: RecordingCatalogue, statePath: String, names: CopyNames,
        settings: @escaping @Sendable () -> CopySettings, hooks: HookRunner?, log: Logger, stop: CopyStop,
        surroundings: Surroundings = Surroundings()
    ) {
        self.catalogue = catalogue
        stateFile = StateFile(path: statePath)
        self.names = names
        self.settings = settings
        self.hooks = hooks
        self.log = log
        self.stop = stop
        self.surroundings = surroundings
        watch = CatalogueWatch(catalogue.path)
        if let before = CopierState(at: statePath) {
            state.lastCopied = before.lastCopied
            predecessor.interrupted = before.sending?.file
        }
    }

    private var now: Int64 { surroundings.clock.nanoseconds }

    /// Copies recordings. Blocks until it is stopped.
    ///
    /// - Parameter once: True to end when nothing is left to copy, or when every remaining file has failed.
    /// - Returns: The reason why some files were not copied; nil if all files were copied, or without `once`.
    @discardableResult
    func run(once: Bool = false) -> MediaError? {
        while !stop.isWished {
            let settings = settings()
            do throws(MediaError) {
                guard let place = settings.remote else { return nil }
                try begin(place)
                if let hours = settings.hours, !hours.contains(surroundings.minute()) {
                    publish(.outsideHours)
                    wait(until: now + Self.hoursInterval, orNews: false)
                    continue
                }
                if once, try hasTriedAll() { return failures.last }
                guard now >= schedule.pausedUntil else {
                    publish(.waiting, until: schedule.pausedUntil)
                    wait(until: schedule.pausedUntil, orNews: false)
                    continue
                }
                _ = watch.hasNews()
                guard let entry = try next() else {
                    let due = schedule.nextDue
                    if due == nil { state.error = nil }
                    publish(due == nil ? .idle : .waiting, until: due)
                    if due == nil, once { return nil }
                    wait(until: min(due ?? .max, now + Self.longestWait), orNews: true)
                    continue
                }
                try copy(entry, to: place, settings)
            } catch {
                // The catalogue cannot be read or written.
                report(error)
                if once { return error }
                publish(.waiting, until: now + 5 * Self.second)
                wait(until: now + 5 * Self.second, orNews: false)
            }
        }
        return nil
    }

    /// Returns true if there are uncopied files, and all of them have used up their attempts.
    private func hasTriedAll() throws(MediaError) -> Bool {
        guard failures.last != nil, schedule.isTroubled else { return false }
        if failures.isHopeless { return true }
        var number: Int64 = 0
        while true {
            let entries = try catalogue.uncopied(after: number, count: Self.page)
            guard entries.allSatisfy({ schedule.tries($0.number) >= Self.triesOnce }) else { return false }
            guard entries.count == Self.page, let last = entries.last else { return true }
            number = last.number
        }
    }

    private func begin(_ place: CopyRemote) throws(MediaError) {
        if let unnoted {
            try catalogue.recordCopied(unnoted.entry, to: unnoted.remote)
            self.unnoted = nil
        }
        // Nothing is created before the first recording.
        guard remote?.text != place.text, catalogue.isThere else { return }
        let number = try catalogue.beginCopies(to: place.text)
        remote = Remote(text: place.text, number: number, mount: try catalogue.mountPoint(ofRemote: number))
        (abilities, schedule) = (nil, CopySchedule())
    }

    /// Returns the oldest entry whose file may be tried now; nil if there is none.
    private func next() throws(MediaError) -> FinishedRecording? {
        var number: Int64 = 0
        var waiting: Set<Int64> = []
        while true {
            let entries = try catalogue.uncopied(after: number, count: Self.page)
            if let entry = entries.first(where: { schedule.isDue($0.number, at: now) }) { return entry }
            waiting.formUnion(entries.lazy.map(\.number))
            guard entries.count == Self.page, let last = entries.last else { break }
            number = last.number
        }
        // The failures of entries that were deleted or replaced are removed.
        schedule.forgetAll(except: waiting)
        return nil
    }

    private func copy(_ entry: FinishedRecording, to place: CopyRemote, _ settings: CopySettings) throws(MediaError) {
        guard let remote else { return }
        state.sending = .init(file: entry.path, bytes: entry.identity.size, sent: 0)
        publish(.sending)
        do throws(CopyFailure) {
            let program = RcloneProgram(environment: surroundings.environment, stop: stop)
            let store = RemoteStore(remote: place, program: program, limit: settings.limit)
            let abilities = if let known = self.abilities { known } else { try store.abilities() }
            self.abilities = abilities
            try checkDisk(of: abilities, for: entry)
            let transfer = CopyTransfer(store: store, abilities: abilities, names: names, stop: stop) { [self] bytes in
                state.sending?.sent = bytes
                if stateFile.lastStored < now - Self.second { publish(.sending) }
            }
            let wasBegun = predecessor.mayHaveBegun(entry.path) || schedule.wasTried(entry.number)
            let copy = try transfer.copy(entry.path, as: entry.remoteName, wasBegun: wasBegun)
            // The disk may have been unmounted meanwhile.
            try checkDisk(of: abilities, for: entry)
            predecessor.isFirst = false
            schedule.succeeded(entry.number)
            (failures.ofRemote, failures.isHopeless) = (0, false)
            state.lastCopied = TimestampText.text(surroundings.wallClock())
            state.sending = nil
            if !schedule.isTroubled { (state.error, failures.told) = (nil, []) }
            unnoted = (entry, remote.number)
            record()
            log.info(
                "\(copy.wasThere ? "already copied" : "copied") \(entry.path): \(place.path(of: copy.name))",
                metadata: LoggedEvent.hook(.copied).fields(
                    file: entry.path, bytes: entry.identity.size, copy: place.path(of: copy.name)))
            hooks?.run(
                .copied, HookInfo(file: entry.path, bytes: entry.identity.size, copy: place.path(of: copy.name)))
        } catch {
            predecessor.isFirst = false
            guard error.scope != .stopped else { return }
            try failed(entry, error)
        }
    }

    /// Checks that the disk of a remote that is a directory of this machine is mounted, and remembers its mount point.
    private func checkDisk(of abilities: RemoteStore.Abilities, for entry: FinishedRecording) throws(CopyFailure) {
        guard let directory = abilities.directory, let remote else { return }
        let disk = try RemoteDisk(directory: directory).check(known: remote.mount, source: entry.directory)
        if disk.hasRecording, !remote.isOnSameDisk {
            log.warning("\(directory) is on the disk of the recordings, so copies there do not survive its failure")
        }
        self.remote?.isOnSameDisk = disk.hasRecording
        guard disk.mount != remote.mount else { return }
        do throws(MediaError) { try catalogue.record(mountPoint: disk.mount, ofRemote: remote.number) } catch {
            throw CopyFailure(.remote, error)
        }
        self.remote?.mount = disk.mount
    }

    /// Records a verified copy in the catalogue. As long as that fails, no other file is copied.
    private func record() {
        guard let unnoted else { return }
        do throws(MediaError) {
            try catalogue.recordCopied(unnoted.entry, to: unnoted.remote)
            self.unnoted = nil
        } catch { report(error) }
    }

    private func failed(_ entry: FinishedRecording, _ failure: CopyFailure) throws(MediaError) {
        state.sending = nil
        var failure = failure
        if failure.scope == .gone, entry.restore() { failure = CopyFingerprint.changed(entry.path) }
        if failure.scope == .gone, try !catalogue.isMounted(entry) {
            failure = CopyFailure(
                .away,
                MediaError(
                    .notFound, "cannot copy \(entry.path)", reason: "its disk is not mounted",
                    wayOut: "it is retried automatically"))
        }
        if failure.scope == .gone {
            schedule.forget(entry.number)
            log.warning("\(failure.error); it is removed from the catalogue without a copy")
            return try catalogue.remove([entry])
        }
        schedule.failed(entry.number, failure.scope, at: now)
        failures.last = failure.error
        if failure.scope == .remote {
            failures.ofRemote += 1
            failures.isHopeless = failure.error.code == .notFound || failures.ofRemote >= Self.triesOnce
        }
        if failure.scope == .remote { abilities = nil }
        let isNews = report(
            failure.error,
            LoggedEvent.hook(.copyFailed).fields(
                file: entry.path, bytes: entry.identity.size, error: failure.error.description))
        guard isNews, failure.scope != .changed else { return }
        hooks?.run(
            .copyFailed, HookInfo(file: entry.path, bytes: entry.identity.size, error: failure.error.description))
    }

    /// Reports an error in the status, and in the log. Until a copy succeeds, the same error is logged only once.
    ///
    /// - Parameter fields: The event and its facts for the journal.
    /// - Returns: true if the error was logged.
    @discardableResult
    private func report(_ error: MediaError, _ fields: Logger.Metadata? = nil) -> Bool {
        let text = error.description
        state.error = text
        guard failures.told.count < 100, failures.told.insert(text).inserted else { return false }
        log.error("\(text)", metadata: fields)
        return true
    }

    private func publish(_ new: CopyAccount.State, until due: Int64? = nil) {
        state.state = new
        state.nextTry = due.map {
            TimestampText.text(surroundings.wallClock().addingTimeInterval(max(0, Double($0 - now) / 1e9)))
        }
        stateFile.store(state, at: now)
    }

    private func wait(until due: Int64, orNews: Bool) {
        while !stop.isWished {
            let left = due - now
            guard left > 0 else { return }
            var wanted = [
                pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: orNews ? watch.descriptor : -1, events: Int16(POLLIN), revents: 0),
            ]
            // Without inotify the catalogue is checked every second.
            let most = orNews && watch.descriptor < 0 ? Self.second : Self.longestWait
            _ = poll(&wanted, nfds_t(wanted.count), Int32(min(left, most) / 1_000_000 + 1))
            if orNews, watch.descriptor < 0 || wanted[1].revents != 0 && watch.hasNews() { return }
        }
    }
}

extension FinishedRecording {
    /// The directory that the output pattern names before its first field. The copy's name is relative to this
    /// directory.
    var copyRoot: String { root ?? directory }

    /// The copy's path at the remote, relative to the remote's root.
    var remoteName: String {
        let prefix = copyRoot.hasSuffix("/") ? copyRoot : copyRoot + "/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path.lastComponent
    }
}
