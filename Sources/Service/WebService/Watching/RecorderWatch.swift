import Foundation
package import MediaTypes
import NIOCore
import RealTime
package import RecorderControl
package import RecorderStorage

/// The connection between all recorders of this machine and all pages that watch them.
///
/// While pages watch, it queries the status of the recorders, and sends the status to all pages. It sends each page the
/// streams that the page chose. Thread-safe.
package final class RecorderWatch: Sendable {
    /// The interval between two status queries.
    private static let interval = Duration.seconds(1)
    /// The interval of the clock messages. Without these messages, a page would treat silence as a broken connection.
    private static let clockInterval = Duration.seconds(2)

    private struct Page {
        let viewer: Viewer
        /// The streams that the page has requested.
        var wanted: Set<WatchedStream> = []
        /// The requested streams of known recorders, which the page gets.
        var chosen: Set<WatchedStream> = []
    }

    private struct State {
        /// The numbers of recorders, by name, and of sub-streams, by key. A name gets a number only when a recorder has
        /// it. Otherwise, requests with invented names could use up the numbers.
        var numbers: [String: UInt16] = [:]
        /// The number of known recorders when pages last got the streams that they had requested.
        var settled = 0
        var feeds: [WatchedStream: RecorderFeed] = [:]
        var pages: [String: Page] = [:]
        var newest: [String: WatchedRecorder] = [:]
        /// The status queries that have not been answered yet.
        var queries: [String: (began: ContinuousClock.Instant, task: Task<Void, Never>)] = [:]
        var tasks: [Task<Void, Never>] = []
        var meters: [String: Task<Void, Never>] = [:]
        var snapshots: [String: (taken: Int64, image: Task<Result<MediaData, MediaError>, Never>)] = [:]
    }

    private let runtime: RuntimeDirectory
    private let recorded: @Sendable () -> [String]
    private let ended: @Sendable () -> [RecorderEnd]
    private let patience: Duration
    private let mostPages: Int
    private let bytesPerPage: Int
    private let state = Locked(State())

    /// Creates the watch.
    ///
    /// - Parameters:
    ///   - recorded: Returns the names of recorders that have recordings, running or not.
    ///   - ended: Returns the recorders that died or ended with an error.
    ///   - patience: The time after which a recorder that has not answered a query is shown as unreachable.
    ///   - pages: The maximum number of pages that may watch at the same time.
    ///   - bytes: The maximum size of the media that is queued for one page, in bytes.
    package init(
        _ runtime: RuntimeDirectory, recorded: @escaping @Sendable () -> [String],
        ended: @escaping @Sendable () -> [RecorderEnd] = { [] }, patience: Duration = .seconds(2), pages: Int = 1000,
        bytes: Int = 3 << 20
    ) {
        self.runtime = runtime
        self.recorded = recorded
        self.ended = ended
        self.patience = patience
        mostPages = pages
        bytesPerPage = bytes
    }

    /// Returns a client that controls a recorder.
    package func client(_ name: String) throws(MediaError) -> ControlClient {
        ControlClient(try parsed(name), in: runtime)
    }

    private func parsed(_ name: String) throws(MediaError) -> RecordingName {
        do { return try RecordingName(parsing: name) } catch {
            throw MediaError(
                .notFound, "there is no recorder \(name.prefix(80))", reason: "invalid name")
        }
    }

    // MARK: Status

    /// The recorders that exist.
    private struct Found: Sendable {
        let names: [String]
        let running: Set<String>
        let ends: [String: RecorderEnd]
    }

    private func found() async -> Found {
        let (runtime, recorded, ended) = (runtime, recorded, ended)
        return await blockingCall("look-for-recorders") {
            let running = Set(runtime.running().map(\.description))
            let ends = Dictionary(ended().map { ($0.name, $0) }) { $1 }
            return Found(names: running.union(recorded()).union(ends.keys).sorted(), running: running, ends: ends)
        }
    }

    /// Returns the current status of a recorder; nil if it does not respond.
    private func status(_ name: String) async -> RecordingStatus? {
        guard let parsed = try? RecordingName(parsing: name) else { return nil }
        return try? await ControlClient(parsed, in: runtime, looksOnly: true).status()
    }

    /// Returns all recorders with their current status.
    package func recorders() async -> [WatchedRecorder] {
        let found = await found()
        let statuses = await withTaskGroup(of: (String, RecordingStatus?).self) { group in
            for name in found.running { group.addTask { (name, await self.status(name)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return found.names.compactMap { name in
            state.withLock { Self.number(of: name, &$0) }.map {
                WatchedRecorder(
                    number: $0, name: name, isRunning: found.running.contains(name), status: statuses[name] ?? nil,
                    ended: found.ends[name])
            }
        }
    }

    /// Returns the number of a recorder's name or of a stream's key. Assigns a number if there is none; nil if all
    /// numbers are assigned.
    private static func number(of name: String, _ state: inout State) -> UInt16? {
        if let number = state.numbers[name] { return number }
        guard let number = UInt16(exactly: state.numbers.count + 1) else { return nil }
        state.numbers[name] = number
        return number
    }

    // MARK: Pages

    /// Adds a page.
    ///
    /// - Parameters:
    ///   - names: The recorders whose main streams the page watches.
    ///   - small: The recorders whose sub-streams the page watches.
    /// - Returns: nil if too many pages watch.
    package func enter(_ id: String, choosing names: [String], small: [String] = []) -> Viewer? {
        let viewer = Viewer(id: id, limit: bytesPerPage)
        let isIn = state.withLock { state in
            guard state.pages.count < mostPages else { return false }
            state.pages[id] = Page(viewer: viewer)
            if state.tasks.isEmpty {
                state.tasks = [Task { await look() }, Task { await tick() }]
            }
            for recorder in state.newest.values { viewer.show(recorder) }
            return true
        }
        guard isIn else { return nil }
        choose(names, small: small, for: id)
        return viewer
    }

    package func leave(_ viewer: Viewer) {
        viewer.end()
        state.withLock { state in
            // A page that is gone cannot choose any more.
            for stream in state.pages.removeValue(forKey: viewer.id)?.chosen ?? [] {
                state.feeds[stream]?.remove(viewer)
            }
            guard state.pages.isEmpty else { return }
            for task in state.tasks { task.cancel() }
            for task in state.meters.values { task.cancel() }
            for query in state.queries.values { query.task.cancel() }
            state.tasks = []
            state.meters = [:]
            state.queries = [:]
            state.newest = [:]
        }
    }

    /// Changes the streams that a page watches. A stream of an unknown recorder begins when the recorder is known.
    ///
    /// - Returns: false if there is no such page.
    @discardableResult
    package func choose(_ names: [String], small: [String] = [], for id: String) -> Bool {
        let streams =
            names.map { WatchedStream(name: $0, kind: .main) } + small.map { WatchedStream(name: $0, kind: .sub) }
        let wanted = Set(streams.filter { (try? parsed($0.name)) != nil })
        // The check of the page and the change of its choice happen under one lock. Otherwise, a page that chooses
        // while it leaves could keep a stream open.
        return state.withLock { state in
            guard state.pages[id] != nil else { return false }
            state.pages[id]?.wanted = wanted
            settle(id, &state)
            return true
        }
    }

    /// Gives a page the streams that it wants, as far as their recorders are known.
    private func settle(_ id: String, _ state: inout State) {
        guard let page = state.pages[id] else { return }
        let chosen = page.wanted.filter { state.numbers[$0.name] != nil }
        state.pages[id]?.chosen = chosen
        for stream in page.chosen.subtracting(chosen) { state.feeds[stream]?.remove(page.viewer) }
        for stream in chosen.subtracting(page.chosen) {
            guard let name = try? parsed(stream.name), let number = Self.number(of: stream.key, &state)
            else { continue }
            let client = ControlClient(name, in: runtime, looksOnly: true)
            let feed = state.feeds[stream] ?? RecorderFeed(client, of: stream, number: number)
            state.feeds[stream] = feed
            feed.add(page.viewer)
        }
    }

    /// Gives all pages the streams of recorders that have become known.
    private func settle(_ state: inout State) {
        guard state.numbers.count != state.settled else { return }
        for id in state.pages.keys { settle(id, &state) }
        state.settled = state.numbers.count
    }

    // MARK: Updates while there are viewers

    private func look() async {
        while !Task.isCancelled {
            let found = await found()
            state.withLock { state in
                guard !Task.isCancelled else { return }
                // A recorder that ended before it had finalized a file is not in the list.
                for name in Set(state.newest.keys).subtracting(found.names) {
                    guard let number = state.newest.removeValue(forKey: name)?.number else { continue }
                    let recorder = WatchedRecorder(number: number, name: name, isRunning: false, status: nil)
                    for page in state.pages.values { page.viewer.show(recorder) }
                }
                for name in found.names {
                    guard let number = Self.number(of: name, &state) else { continue }
                    guard found.running.contains(name) else {
                        show(
                            WatchedRecorder(
                                number: number, name: name, isRunning: false, status: nil, ended: found.ends[name]),
                            &state)
                        continue
                    }
                    guard let pending = state.queries[name] else {
                        state.queries[name] = (.now, Task { await query(name, number) })
                        continue
                    }
                    guard ContinuousClock.now - pending.began > patience else { continue }
                    show(WatchedRecorder(number: number, name: name, isRunning: true, status: nil), &state)
                }
                settle(&state)
            }
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// Queries the status of one recorder. A recorder that hangs delays no other.
    private func query(_ name: String, _ number: UInt16) async {
        let status = await status(name)
        state.withLock { state in
            // A cancelled query may have been replaced.
            guard !Task.isCancelled else { return }
            state.queries[name] = nil
            show(WatchedRecorder(number: number, name: name, isRunning: true, status: status), &state)
        }
    }

    /// Stores the newest state of a recorder, and shows it on all pages.
    private func show(_ recorder: WatchedRecorder, _ state: inout State) {
        let isNews = state.newest[recorder.name] != recorder
        state.newest[recorder.name] = recorder
        if recorder.isRunning, state.meters[recorder.name] == nil {
            state.meters[recorder.name] = Task { await measure(recorder.name, recorder.number) }
        }
        guard isNews || recorder.isRunning else { return }
        for page in state.pages.values { page.viewer.show(recorder) }
    }

    private func tick() async {
        struct Clock: Encodable { let now: Double }
        while !Task.isCancelled {
            let message = WatchMessage.make(.clock, Clock(now: Date().timeIntervalSince1970))
            for page in state.withLock({ Array($0.pages.values) }) {
                page.viewer.enqueue(message, of: 0, .state(.clock))
            }
            try? await Task.sleep(for: Self.clockInterval)
        }
    }

    /// Forwards the levels of one recorder, line by line, until the recorder ends the stream.
    private func measure(_ name: String, _ number: UInt16) async {
        if let parsed = try? parsed(name),
            let stream = try? await ControlClient(parsed, in: runtime, looksOnly: true).stream("/v1/levels")
        {
            var line = ByteBuffer()
            while !Task.isCancelled, var bytes = await stream.body.next() {
                while let byte: UInt8 = bytes.readInteger() {
                    guard byte == 0x0A else {
                        line.writeInteger(byte)
                        if line.readableBytes > 4096 { line.clear() }
                        continue
                    }
                    let message = WatchMessage.make(.levels, of: number, line)
                    line.clear()
                    for page in state.withLock({ Array($0.pages.values) }) {
                        page.viewer.enqueue(message, of: number, .state(.levels))
                    }
                }
            }
            stream.close()
        }
        try? await Task.sleep(for: Self.interval)
        state.withLock { state in
            guard !Task.isCancelled else { return }
            state.meters[name] = nil
        }
    }

    // MARK: Stills

    /// Returns the newest image of a recorder. For all requests together, an image is taken at most once per second.
    package func snapshot(_ name: String) async throws(MediaError) -> MediaData {
        let client = ControlClient(try parsed(name), in: runtime, looksOnly: true)
        let now = MonotonicClock().nanoseconds
        let task = state.withLock { state in
            if let last = state.snapshots[name], now - last.taken < 1_000_000_000 { return last.image }
            let task = Task { () async -> Result<MediaData, MediaError> in
                do throws(MediaError) { return .success(try await client.snapshot(.jpeg)) } catch {
                    return .failure(error)
                }
            }
            // The dictionary contains at most the recorders that were requested in the last 10 s.
            state.snapshots[name] = (now, task)
            state.snapshots = state.snapshots.filter { now - $0.value.taken < 10_000_000_000 }
            return task
        }
        return try await task.value.get()
    }
}

extension Viewer {
    fileprivate func show(_ recorder: WatchedRecorder) {
        enqueue(WatchMessage.make(.recorder, of: recorder.number, recorder), of: recorder.number, .state(.recorder))
    }
}
