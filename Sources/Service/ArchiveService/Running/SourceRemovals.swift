import CLinux
import MediaTypes
import RealTime

/// Deletes sources one after the other, on a separate thread with the lowest priority. Before each removal, the source
/// and its copy are read again. This takes a while, and must not delay the start of tasks.
final class SourceRemovals: Sendable {
    struct Request: Sendable {
        let task: Int
        let movie: ArchivePlan.Movie
    }

    private struct State: Sendable {
        var waiting: [Request] = []
        /// The receipts by movie.
        var receipts: [String: [TranscodeReceipt]] = [:]
        var isEnding = false
        var isWanted = true
        /// The number of copies that are not the verified files.
        var damaged = 0
    }

    private let state = Locked(State())
    private let wakeUp = WakeUp()
    private let removal: SourceRemoval
    private let header: ArchivePlan.Header
    private let accounting: Accounting
    private let thread = Locked<NamedThread?>(nil)

    init(_ removal: SourceRemoval, _ header: ArchivePlan.Header, _ accounting: Accounting) throws(MediaError) {
        (self.removal, self.header, self.accounting) = (removal, header, accounting)
        do throws(ThreadError) {
            let started = try NamedThread("archive-delete") { [self] in work() }
            thread.withLock { $0 = started }
        } catch { throw MediaError(errno: error.errno, "cannot delete sources") }
    }

    /// Remembers the receipt in a line of the accounting, if the line contains one.
    func hear(_ line: AccountLine) {
        guard let receipt = line.receipt, line.event == .verified else { return }
        state.withLock { $0.receipts[receipt.source.path, default: []].append(receipt) }
    }

    func add(_ request: Request) {
        state.withLock { $0.waiting.append(request) }
        wakeUp.fire()
    }

    /// Waits until all requests are handled.
    ///
    /// - Parameter isWanted: False to leave the remaining requests to the next run.
    /// - Returns: The number of copies that are not the verified files.
    func finish(isWanted: Bool) -> Int {
        state.withLock { state in
            state.isEnding = true
            if !isWanted { state.isWanted = false }
        }
        wakeUp.fire()
        thread.withLock { $0 }?.join()
        return state.withLock { $0.damaged }
    }

    private func work() {
        _ = clinux_idle_disk(0)
        _ = clinux_idle_processor(0)
        while true {
            let (next, receipts, isEnding) = state.withLock { state -> (Request?, [TranscodeReceipt], Bool) in
                guard state.isWanted, !state.waiting.isEmpty else { return (nil, [], state.isEnding) }
                let next = state.waiting.removeFirst()
                return (next, state.receipts[next.movie.source.planText] ?? [], state.isEnding)
            }
            guard let next else {
                if isEnding { return }
                _ = clinux_poll_readable(wakeUp.fileDescriptor, 1_000_000_000)
                wakeUp.clear()
                continue
            }
            remove(next, receipts)
        }
    }

    private func remove(_ request: Request, _ receipts: [TranscodeReceipt]) {
        let movie = request.movie
        let fingerprint = (movie.settings ?? header.settings).fingerprint(of: movie.identity, program: header.program)
        var line = accounting.line(.deleted, task: request.task, movie: movie.source)
        do throws(MediaError) {
            let isDeleted = try removal.remove(movie, fingerprint: fingerprint, receipts: receipts) {
                state.withLock { $0.isWanted }
            }
            guard isDeleted else { return }
        } catch {
            guard error.code != .cancelled else { return }
            if error.code == .corruptData { state.withLock { $0.damaged += 1 } }
            line.event = .kept
            line.reason = error.description
        }
        // An error is ignored here, because only the report would lack the line. The source was already deleted or
        // kept.
        try? accounting.append(line)
    }
}
