import Foundation
package import MediaTypes
import NIOCore
import RealTime
package import RecorderService

/// All recorders of this machine, and all pages that watch them.
///
/// Asks the recorders how they are while somebody looks, and hands the answers to all; gives each page the pictures that it chose. Any
/// thread.
package final class RecorderWatch: Sendable {
    /// Between two looks at how a recorder is.
    private static let interval = Duration.seconds(1)
    /// A clock for the pages, which take silence for a dead connection.
    private static let clockInterval = Duration.seconds(2)

    /// Whoever asks for names that nobody has, one after the other, takes no numbers away from the recorders that there are.
    private static let mostAskedFor = 4096

    private struct Page {
        let viewer: Viewer
        var chosen: Set<String> = []
    }

    private struct State {
        var numbers: [String: UInt16] = [:]
        var feeds: [String: RecorderFeed] = [:]
        var pages: [String: Page] = [:]
        var newest: [String: WatchedRecorder] = [:]
        var tasks: [Task<Void, Never>] = []
        var meters: [String: Task<Void, Never>] = [:]
        var snapshots: [String: (taken: Int64, picture: Task<Result<MediaData, MediaError>, Never>)] = [:]
    }

    private let runtime: RuntimeDirectory
    private let recorded: @Sendable () -> [String]
    private let ended: @Sendable () -> [RecorderEnd]
    private let mostPages: Int
    private let bytesPerPage: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - recorded: names of those that have recorded something, whether they run or not.
    ///   - ended: recorders that died or ended by an error.
    ///   - pages: so many may watch at the same time.
    ///   - bytes: of pictures that may wait for one of them.
    package init(
        _ runtime: RuntimeDirectory, recorded: @escaping @Sendable () -> [String],
        ended: @escaping @Sendable () -> [RecorderEnd] = { [] }, pages: Int = 1000, bytes: Int = 3 << 20
    ) {
        self.runtime = runtime
        self.recorded = recorded
        self.ended = ended
        mostPages = pages
        bytesPerPage = bytes
    }

    /// One that is asked to do something.
    package func client(_ name: String) throws(MediaError) -> ControlClient {
        ControlClient(try parsed(name), in: runtime)
    }

    private func parsed(_ name: String) throws(MediaError) -> RecordingName {
        do { return try RecordingName(parsing: name) } catch {
            throw MediaError(
                .notFound, "there is no recorder \(name.prefix(80))", reason: "no recorder has such a name")
        }
    }

    // MARK: How they are

    /// All of them, as they are at this moment.
    package func recorders() async -> [WatchedRecorder] {
        let (runtime, recorded, ended) = (runtime, recorded, ended)
        let (running, names, ends) = await blockingCall("look-for-recorders") {
            let running = Set(runtime.running().map(\.description))
            let ends = Dictionary(ended().map { ($0.name, $0) }) { $1 }
            return (running, running.union(recorded()).union(ends.keys).sorted(), ends)
        }
        let statuses = await withTaskGroup(of: (String, RecordingStatus?).self) { group in
            for name in names where running.contains(name) {
                group.addTask {
                    guard let parsed = try? RecordingName(parsing: name) else { return (name, nil) }
                    return (name, try? await ControlClient(parsed, in: runtime, looksOnly: true).status())
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return names.compactMap { name in
            number(of: name).map {
                WatchedRecorder(
                    number: $0, name: name, isRunning: running.contains(name), status: statuses[name] ?? nil,
                    ended: ends[name])
            }
        }
    }

    /// - Parameter most: names that may have one; nil beyond.
    private func number(of name: String, most: Int = Int(UInt16.max)) -> UInt16? {
        state.withLock { state in
            if let number = state.numbers[name] { return number }
            guard state.numbers.count < most else { return nil }
            let number = UInt16(state.numbers.count + 1)
            state.numbers[name] = number
            return number
        }
    }

    // MARK: Pages

    /// - Returns: nil when too many watch.
    package func enter(_ id: String, choosing names: [String]) -> Viewer? {
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
        choose(names, for: id)
        return viewer
    }

    package func leave(_ viewer: Viewer) {
        viewer.end()
        choose([], for: viewer.id)
        state.withLock { state in
            state.pages[viewer.id] = nil
            guard state.pages.isEmpty else { return }
            for task in state.tasks { task.cancel() }
            for task in state.meters.values { task.cancel() }
            state.tasks = []
            state.meters = [:]
            state.newest = [:]
        }
    }

    /// - Returns: false when there is no such page.
    @discardableResult
    package func choose(_ names: [String], for id: String) -> Bool {
        var wanted: Set<String> = []
        for name in names where (try? parsed(name)) != nil && number(of: name, most: Self.mostAskedFor) != nil {
            wanted.insert(name)
        }
        let change: (viewer: Viewer, old: Set<String>)? = state.withLock { state in
            guard let page = state.pages[id] else { return nil }
            state.pages[id]?.chosen = wanted
            return (page.viewer, page.chosen)
        }
        guard let change else { return false }
        for name in change.old.subtracting(wanted) { feed(name)?.remove(change.viewer) }
        for name in wanted.subtracting(change.old) { feed(name)?.add(change.viewer) }
        return true
    }

    private func feed(_ name: String) -> RecorderFeed? {
        guard let number = number(of: name), let parsed = try? parsed(name) else { return nil }
        return state.withLock { state in
            if let feed = state.feeds[name] { return feed }
            let feed = RecorderFeed(
                ControlClient(parsed, in: runtime, looksOnly: true), of: name, number: number)
            state.feeds[name] = feed
            return feed
        }
    }

    // MARK: While somebody looks

    private func look() async {
        while !Task.isCancelled {
            let recorders = await recorders()
            guard !Task.isCancelled else { return }
            state.withLock { state in
                // One that ended, or died, before it had finished anything is among none of them any more.
                let gone = Set(state.newest.keys).subtracting(recorders.map(\.name))
                for name in gone {
                    guard let number = state.newest.removeValue(forKey: name)?.number else { continue }
                    let recorder = WatchedRecorder(number: number, name: name, isRunning: false, status: nil)
                    for page in state.pages.values { page.viewer.show(recorder) }
                }
                for recorder in recorders {
                    let isNews = state.newest[recorder.name] != recorder
                    state.newest[recorder.name] = recorder
                    let runs = recorder.isRunning
                    if runs, state.meters[recorder.name] == nil {
                        state.meters[recorder.name] = Task { await measure(recorder.name, recorder.number) }
                    }
                    guard isNews || runs else { continue }
                    for page in state.pages.values { page.viewer.show(recorder) }
                }
            }
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func tick() async {
        struct Clock: Encodable { let now: Double }
        while !Task.isCancelled {
            let message = WatchMessage.make(.clock, Clock(now: Date().timeIntervalSince1970))
            for page in state.withLock({ Array($0.pages.values) }) { page.viewer.take(message, of: 0, .state(.clock)) }
            try? await Task.sleep(for: Self.clockInterval)
        }
    }

    /// Hands the levels of one recorder on, line by line, until it ends them.
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
                        page.viewer.take(message, of: number, .state(.levels))
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

    /// The newest picture of one, taken at most once a second however many ask.
    package func snapshot(_ name: String) async throws(MediaError) -> MediaData {
        let client = ControlClient(try parsed(name), in: runtime, looksOnly: true)
        let now = MonotonicClock().nanoseconds
        let task = state.withLock { state in
            if let last = state.snapshots[name], now - last.taken < 1_000_000_000 { return last.picture }
            let task = Task { () async -> Result<MediaData, MediaError> in
                do throws(MediaError) { return .success(try await client.snapshot(.jpeg)) } catch {
                    return .failure(error)
                }
            }
            // As many as there are recorders that somebody asks for.
            state.snapshots[name] = (now, task)
            state.snapshots = state.snapshots.filter { now - $0.value.taken < 10_000_000_000 }
            return task
        }
        return try await task.value.get()
    }
}

extension Viewer {
    fileprivate func show(_ recorder: WatchedRecorder) {
        take(WatchMessage.make(.recorder, of: recorder.number, recorder), of: recorder.number, .state(.recorder))
    }
}
