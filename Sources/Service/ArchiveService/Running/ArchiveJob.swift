import CLinux
import CommandInterface
import FileSystem
import Foundation
package import MediaTypes
import RealTime
import RecorderStorage

/// One run of a plan, with the lock, the key and the engine that it needs. A plan has at most one run at a time, on any
/// machine.
package final class ArchiveJob: Sendable {
    private let plan: String
    private let directory: RunDirectory
    private let options: RunOptions
    private let claim: FileClaim
    /// The key that seals receipts; nil if it cannot be read or stored. Then no source is deleted.
    private let key: RunKey?
    private let isStopping = Locked(false)

    /// Locks the plan, and stores the options of the run.
    ///
    /// - Parameter plan: The plan's absolute path.
    /// - Throws: `busy` if the plan is already running.
    package init(plan: String, options: RunOptions) throws(MediaError) {
        (self.plan, self.options) = (plan, options)
        directory = RunDirectory(ofPlan: plan)
        guard access(plan, R_OK) == 0 else { throw MediaError(errno: errno, "cannot open \(plan)") }
        try directory.make()
        do throws(FileClaim.Failure) { claim = try FileClaim(directory.lock) } catch {
            switch error {
            case .held:
                throw MediaError(
                    .busy, "cannot run \(plan)", reason: "it is already running",
                    wayOut: "run `recorder archive status \(plan)` to see its progress")
            case .failed(let error): throw error
            }
        }
        key = try Self.key(plan: plan, directory, options)
        claim.write("\(getpid()) \(Accounting.thisHost)\n")
        try options.save(directory)
        directory.clearCancellation()
    }

    /// Returns the key that seals receipts.
    private static func key(
        plan: String, _ directory: RunDirectory, _ options: RunOptions
    ) throws(MediaError) -> RunKey? {
        if options.replaces { try directory.checkOwner(plan: plan) }
        do throws(MediaError) {
            let key = try RunKey(ofPlan: plan)
            if options.engine == .slurm { try key.share(in: directory) }
            return key
        } catch {
            guard !options.replaces else { throw error }
            return nil
        }
    }

    /// Requests the end of the run. Thread-safe.
    package func stop() { isStopping.withLock { $0 = true } }

    /// Runs the plan. Both closures are called on the run's thread.
    ///
    /// - Parameters:
    ///   - report: Receives the progress.
    ///   - warn: Receives warnings for the user, one line each.
    package func run(
        report: @escaping @Sendable (ArchiveProgress) -> Void, warn: @escaping @Sendable (String) -> Void
    ) async throws(MediaError) -> ArchiveRun.End {
        // Workers are killed when the thread that started them ends, so this thread lives until they have ended.
        let result = await blockingCall("archive") { [self] () -> Result<ArchiveRun.End, MediaError> in
            do throws(MediaError) { return .success(try work(report, warn)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    private func work(
        _ report: @escaping @Sendable (ArchiveProgress) -> Void, _ warn: @escaping @Sendable (String) -> Void
    ) throws(MediaError) -> ArchiveRun.End {
        let (plan, replaces) = (plan, options.replaces)
        let read = try PlanReader.read(plan, ownFor: replaces ? "cannot delete sources of \(plan)" : nil)
        guard read.header.program == RecorderVersion.text else {
            throw MediaError(
                .invalidState, "cannot run \(plan)",
                reason: "this is \(RecorderVersion.text), but the plan was made by \(read.header.program)",
                wayOut: "make a new plan with this version")
        }
        let engine: any ArchiveEngine
        var adopted: [Int] = []
        var watch: RecorderActivity?
        defer { watch?.stop() }
        switch options.engine {
        case .local:
            let jobs =
                options.jobs
                ?? LocalEngine.usualJobs(
                    threads: read.header.settings.threads, processors: Int(clinux_available_processors()),
                    availableMemory: SystemMemory.available)
            let recorders = RecorderActivity(most: jobs)
            watch = recorders
            engine = LocalEngine(
                ProcessStarter(plan: plan, niceness: options.niceness, stage: options.stage), jobs: jobs,
                accountingOf: directory,
                allowance: { recorders.allowed })
        case .slurm:
            var slurm = options.slurm
            (slurm.threads, slurm.stage) = (read.header.settings.threads, options.stage)
            let program = ProcessText.executable ?? "recorder"
            var joins: [Int: [Int]] = [:]
            for task in read.tasks where !task.work.after.isEmpty { joins[task.number] = task.work.after }
            let cluster = try SlurmEngine(recorder: program, plan: plan, options: slurm, joins: joins)
            adopted = cluster.adopted
            engine = cluster
        }
        var removals: SourceRemovals?
        if replaces, let key {
            let removal = SourceRemoval(key: key, acceptsLosses: options.replacesIncomplete ?? false)
            removals = try SourceRemovals(removal, read.header, Accounting(directory))
        }
        // This is done after an error too, because the thread of the removals must end.
        defer { _ = removals?.finish(isWanted: false) }
        let end = try ArchiveRun(
            read, directory, engine: engine, leavesTasks: options.engine == .slurm,
            isStopping: { [isStopping] in isStopping.withLock { $0 } }, hear: { removals?.hear($0) },
            whenSafe: removals.map { removals in { removals.add(.init(task: $0, movie: $1)) } }, report: report,
            warn: warn
        ).run(adopted: adopted)
        let damaged = removals?.finish(isWanted: end != .cancelled) ?? 0
        return end == .done && damaged > 0 ? .failed : end
    }

    /// Cancels a run on any machine. Creates the file that ends running tasks, and removes the plan's jobs from Slurm's
    /// queue.
    package static func cancel(plan: String) throws(MediaError) {
        let directory = RunDirectory(ofPlan: plan)
        try directory.cancel()
        if RunOptions.load(directory)?.engine == .slurm { try SlurmEngine.cancel(plan: plan) }
    }
}
