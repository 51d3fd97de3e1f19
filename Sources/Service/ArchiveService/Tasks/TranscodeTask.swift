import AssetIO
import CommandInterface
import Foundation
package import MediaTypes
import RealTime

/// Runs one task of a plan. Makes the copy of each movie, even if the previous movie failed. A task can be repeated at
/// any time, and then makes only the missing copies.
package struct TranscodeTask: Sendable {
    let header: ArchivePlan.Header
    let task: ArchivePlan.Task
    /// The tasks that made the parts to be joined.
    private let parts: [ArchivePlan.Task]
    let accounting: Accounting
    let encoder: TranscodeEncoder
    private let stage: StageDirectory?
    private let key: RunKey?
    private let isStopping: @Sendable () -> Bool

    /// Creates a task.
    ///
    /// - Parameters:
    ///   - parts: The tasks that made the parts to be joined.
    ///   - stage: The working directory; nil to work beside the outputs. Tasks for parts and joins always work beside
    ///     the outputs. Copying an entire movie to encode only one chunk of it would take too long.
    ///   - key: The key that seals the receipts of copies. If nil, no receipts are written, so no source is deleted
    ///     because of this task.
    ///   - isStopping: Called before each movie. If it returns true, the remaining movies are left to the next attempt.
    package init(
        _ task: ArchivePlan.Task, _ header: ArchivePlan.Header, parts: [ArchivePlan.Task] = [], accounting: Accounting,
        encoder: TranscodeEncoder, stage: StageDirectory? = nil, key: RunKey? = nil,
        isStopping: @escaping @Sendable () -> Bool = { false }
    ) {
        self.key = key
        (self.task, self.header, self.parts, self.accounting) = (task, header, parts, accounting)
        (self.encoder, self.isStopping) = (encoder, isStopping)
        self.stage = task.work == .movies ? stage : nil
    }

    /// Runs the task.
    ///
    /// - Parameters:
    ///   - restart: The number of times that the engine started the task before.
    ///   - report: Receives lines for the log.
    /// - Returns: The exit code of the process. Temporary failures take precedence over permanent ones.
    package func run(restart: Int? = nil, report: (String) -> Void) async throws(MediaError) -> Int32 {
        var line = accounting.line(.begun, task: task.number)
        line.restart = restart
        try accounting.append(line)
        let clock = MonotonicClock()
        let began = clock.nanoseconds
        var codes: [Int32] = []
        for movie in task.movies {
            guard !isStopping() else {
                codes.append(ExitCode.busy.rawValue)
                break
            }
            codes.append(task.work.makesCopies ? try await run(movie, report) : try await runPart(report))
        }
        let failures = codes.filter { $0 != 0 }
        let exit = failures.first(where: Self.isTransient) ?? failures.first ?? 0
        line = accounting.line(.ended, task: task.number)
        line.restart = restart
        line.exit = exit
        line.seconds = Double(clock.nanoseconds - began) / 1e9
        try accounting.append(line)
        return exit
    }

    /// Records that the task cannot run on this machine, with the reason for each movie.
    package func refuse(restart: Int? = nil, exit: Int32, reason: String) throws(MediaError) {
        for movie in task.movies {
            var line = accounting.line(.failed, task: task.number, movie: movie.source)
            (line.exit, line.reason) = (exit, PlainText.line(reason))
            try accounting.append(line)
        }
        var line = accounting.line(.ended, task: task.number)
        (line.restart, line.exit) = (restart, exit)
        try accounting.append(line)
    }

    /// Returns true for the exit codes 74 and 75 (sysexits(3)). They mean that an operation failed because of a disk or
    /// another process, and may succeed later.
    package static func isTransient(_ code: Int32) -> Bool {
        code == ExitCode.ioError.rawValue || code == ExitCode.busy.rawValue
    }

    private func run(_ movie: ArchivePlan.Movie, _ report: (String) -> Void) async throws(MediaError) -> Int32 {
        let clock = MonotonicClock()
        let began = clock.nanoseconds
        let settings = movie.settings ?? header.settings
        let fingerprint = settings.fingerprint(of: movie.identity, program: header.program)
        let (outcome, leftOut) = await copy(movie, settings, fingerprint)
        var line: AccountLine
        var code: Int32 = 0
        switch outcome {
        case .made:
            line = accounting.line(.made, task: task.number, movie: movie.source)
            line.leftOut = leftOut.isEmpty ? nil : leftOut
        case .found: line = accounting.line(.found, task: task.number, movie: movie.source)
        case .failed(let exit, let reason):
            line = accounting.line(.failed, task: task.number, movie: movie.source)
            (line.exit, line.reason, code) = (exit, PlainText.line(reason), exit)
        }
        if code == 0 {
            // The duration of a joined movie was already counted by the tasks of its chunks.
            line.duration = task.work == .movies ? movie.duration : nil
            line.inputBytes = movie.identity.size
            line.bytes = FileMetadata.of(movie.output).map { Int64($0.st_size) }
            line.fingerprint = fingerprint
        }
        line.seconds = Double(clock.nanoseconds - began) / 1e9
        try accounting.append(line)
        report("\(movie.source.display): \(line.event.rawValue)" + (line.reason.map { ": \($0)" } ?? ""))
        for loss in line.leftOut ?? [] { report("\(movie.source.display): left out: \(loss)") }
        return code
    }

    private func receiptHandler(_ movie: ArchivePlan.Movie) -> TranscodeAttempt.ReceiptHandler? {
        guard let key else { return nil }
        return { receipt throws(MediaError) in
            var line = accounting.line(.verified, task: task.number, movie: movie.source)
            line.receipt = key.seal(receipt)
            try accounting.append(line)
        }
    }

    private func copy(
        _ movie: ArchivePlan.Movie, _ settings: ArchiveSettings, _ fingerprint: String
    ) async -> (outcome: TranscodeSteps.Outcome, leftOut: [String]) {
        var lostInParts: [String] = []
        var made: (part: ExportPart, borrowed: [BorrowedPath]) = (.whole, [])
        // If the copy already exists, its parts are not needed.
        if task.work != .movies, !TranscodeAttempt.isThere(movie.output, fingerprint: fingerprint) {
            do throws(TranscodeFailure) {
                made = try part(parts)
                lostInParts = try losses(of: parts)
            } catch {
                return (.failed(exit: error.exit, reason: error.reason), [])
            }
        }
        let work = TranscodeAttempt(
            movie, settings, fingerprint: fingerprint, encoder: encoder, judge: TranscodeJudge(), stage: stage,
            part: made.part, lostInParts: lostInParts, handleReceipt: receiptHandler(movie))
        let outcome = await work.run()
        work.clean()
        withExtendedLifetime(made.borrowed) {}
        guard task.work != .movies else { return (outcome, work.leftOut) }
        switch outcome {
        case .failed: return (outcome, [])
        case .made: break
        case .found:
            // An earlier attempt gave the copy its name, and may have been killed before it synced the copy.
            do throws(MediaError) {
                try FileMetadata.synchronize(movie.output)
                try FileMetadata.synchronize(movie.output.directory)
            } catch { return (.failed(exit: ExitCode.ioError.rawValue, reason: error.description), []) }
        }
        PartsDirectory(for: movie.output).remove()
        return (outcome, work.leftOut)
    }
}
