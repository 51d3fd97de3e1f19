import ArchiveService
import CommandInterface
import Foundation
import MediaTypes

/// Runs a plan for the user: shows the progress and the warnings, and turns the result into output and an exit code.
struct ArchiveRunning {
    let plan: ArchivePlanArgument
    let options: RunOptions
    let isQuiet: Bool
    let json: Bool

    func run() async throws {
        let job: ArchiveJob
        do throws(MediaError) {
            job = try ArchiveJob(plan: plan.path, options: options)
        } catch {
            throw CommandFailure(RecordingFailure(error.code == .busy ? .control : .input, error))
        }
        do { try SignalWatcher.start(finish: { job.stop() }, quit: {}) } catch {
            throw CommandFailure("\(error)", .ioError)
        }
        let bar = ArchiveBar(isQuiet: isQuiet)
        let end: ArchiveRun.End
        do throws(MediaError) {
            end = try await job.run {
                bar.show($0)
            } warn: {
                bar.end()
                StandardError.line("recorder: \($0)")
            }
        } catch {
            bar.end()
            throw CommandFailure(RecordingFailure(Self.stage(error), error))
        }
        bar.end()
        let report: ArchiveReport
        do throws(MediaError) {
            report = try ArchiveReport(ofPlan: plan.path, isRunning: false, wasInterrupted: end == .cancelled)
        } catch {
            throw CommandFailure(input: error)
        }
        StandardOutput.line(json ? JSONText.line(report) : report.line)
        for movie in report.failed + report.kept {
            StandardError.line("recorder: \(PlainText.line(movie.source)): \(movie.reason)")
        }
        for movie in report.otherIncomplete {
            StandardError.line("recorder: \(PlainText.line(movie.source)): left out: \(movie.reason)")
        }
        switch end {
        case .done: return
        case .failed: throw CommandFailure("", .badData)
        case .cancelled:
            throw CommandFailure(
                "interrupted; run `recorder archive resume \(plan.path)` to continue", .failed)
        }
    }

    /// Returns the stage of an error: an invalid plan, a missing engine, or a failure during the run.
    private static func stage(_ error: MediaError) -> RecordingFailure.Stage {
        switch error.code {
        case .corruptData: .input
        case .notFound: .devices
        default: .recording
        }
    }
}

/// The progress line of a plan, redrawn on a terminal.
private final class ArchiveBar: Sendable {
    private let isShown: Bool
    private let began = Date()

    init(isQuiet: Bool) { isShown = !isQuiet && StandardError.isTerminal }

    func show(_ progress: ArchiveProgress) {
        guard isShown else { return }
        let elapsed = Date().timeIntervalSince(began)
        var text = progress.text(after: elapsed)
        for (name, machine) in progress.machines.sorted(by: { $0.key < $1.key }).prefix(4) where machine.seconds > 0 {
            text += " · \(PlainText.line(name)) \(NumberText.fixed(machine.duration / machine.seconds, places: 1))×"
        }
        StandardError.write("\r\u{1B}[K  \(text)")
    }

    func end() { if isShown { StandardError.write("\r\u{1B}[K") } }
}
