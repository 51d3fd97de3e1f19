import CLinux
import CommandInterface
import FileSystem
import Foundation
package import MediaTypes
import RealTime
import RecorderService

/// One run of a plan, with everything that it needs of this machine. At most one a plan, on whatever machine.
package final class ArchiveJob: Sendable {
    private let plan: String
    private let directory: RunDirectory
    private let options: RunOptions
    private let claim: FileClaim
    private let isStopping = Locked(false)

    /// Takes the plan, and keeps how it is run.
    ///
    /// - Parameter plan: absolute.
    /// - Throws: `busy` where somebody runs it.
    package init(plan: String, options: RunOptions) throws(MediaError) {
        (self.plan, self.options) = (plan, options)
        directory = RunDirectory(ofPlan: plan)
        guard access(plan, R_OK) == 0 else { throw MediaError(errno: errno, "cannot open \(plan)") }
        try directory.make()
        do throws(FileClaim.Failure) { claim = try FileClaim(directory.lock) } catch {
            switch error {
            case .held:
                throw MediaError(
                    .busy, "cannot run \(plan)", reason: "somebody runs it",
                    wayOut: "`recorder archive status \(plan)` shows how far it is")
            case .failed(let error): throw error
            }
        }
        claim.write("\(getpid()) \(Accounting.thisHost)\n")
        try options.save(directory)
        directory.goOn()
    }

    /// Ends it soon; any thread.
    package func stop() { isStopping.withLock { $0 = true } }

    /// Both are called on the run's thread.
    ///
    /// - Parameters:
    ///   - tell: gets the progress.
    ///   - warn: gets what somebody should look at, a line each.
    package func run(
        tell: @escaping @Sendable (ArchiveProgress) -> Void, warn: @escaping @Sendable (String) -> Void
    ) async throws(MediaError) -> ArchiveRun.End {
        let live = options.engine == .local ? LiveRecordings() : nil
        // The workers go with the thread that started them; this one lives until they have ended.
        let result = await blockingCall("archive") { [self] () -> Result<ArchiveRun.End, MediaError> in
            do throws(MediaError) { return .success(try work(live, tell, warn)) } catch { return .failure(error) }
        }
        live?.stop()
        return try result.get()
    }

    private func work(
        _ live: LiveRecordings?, _ tell: @escaping @Sendable (ArchiveProgress) -> Void,
        _ warn: @escaping @Sendable (String) -> Void
    ) throws(MediaError) -> ArchiveRun.End {
        let read = try PlanReader.read(plan)
        guard read.header.program == RecorderVersion.text else {
            throw MediaError(
                .invalidState, "cannot run \(plan)",
                reason: "this is \(RecorderVersion.text), and the plan was made by \(read.header.program)",
                wayOut: "make a plan with this one")
        }
        let engine: any ArchiveEngine
        var adopted: [Int] = []
        switch options.engine {
        case .local:
            let jobs =
                options.jobs
                ?? LocalEngine.usualJobs(
                    threads: read.header.settings.threads, processors: Int(clinux_available_processors()),
                    availableMemory: SystemMemory.available)
            engine = LocalEngine(
                ProcessStarter(plan: plan, niceness: options.niceness, stage: options.stage), jobs: jobs,
                accountingOf: directory,
                isRecording: { live?.isRecording ?? false })
        case .slurm:
            var slurm = options.slurm
            (slurm.threads, slurm.stage) = (read.header.settings.threads, options.stage)
            let program =
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "recorder"
            var joins: [Int: [Int]] = [:]
            for task in read.tasks where !task.work.after.isEmpty { joins[task.number] = task.work.after }
            let cluster = try SlurmEngine(recorder: program, plan: plan, options: slurm, joins: joins)
            adopted = cluster.adopted
            engine = cluster
        }
        let accounting = Accounting(directory)
        let removal = SourceRemoval()
        let header = read.header
        return try ArchiveRun(
            read, directory, engine: engine, leavesTasks: options.engine == .slurm,
            isStopping: { [isStopping] in isStopping.withLock { $0 } },
            whenSafe: options.replaces
                ? { task, film in Self.replace(film, task, header, removal, accounting) } : nil,
            tell: tell, warn: warn
        ).run(adopted: adopted)
    }

    private static func replace(
        _ film: ArchivePlan.Film, _ task: Int, _ header: ArchivePlan.Header, _ removal: SourceRemoval,
        _ accounting: Accounting
    ) {
        let fingerprint = (film.settings ?? header.settings).fingerprint(of: film.identity, program: header.program)
        var line = accounting.line(.deleted, task: task, film: film.source)
        do throws(MediaError) {
            guard try removal.remove(film, fingerprint: fingerprint) else { return }
        } catch {
            line.event = .kept
            line.reason = error.description
        }
        // Without the line the report says less; the source is gone all the same.
        try? accounting.append(line)
    }

    /// Ends a run, wherever it is: what runs sees the mark, and what Slurm has is taken out of its queue.
    package static func cancel(plan: String) throws(MediaError) {
        let directory = RunDirectory(ofPlan: plan)
        try directory.make()
        try directory.cancel()
        if RunOptions.load(directory)?.engine == .slurm { try SlurmEngine.cancel(plan: plan) }
    }
}
