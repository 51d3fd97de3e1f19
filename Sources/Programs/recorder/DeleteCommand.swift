import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes
import RecorderControl
import RecorderStorage

/// `recorder delete`
struct DeleteCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Permanently deletes finished recordings.",
        usage: "recorder delete <file> ... [--yes] [--kept] [--dry-run] [--json]",
        discussion: """
            Deletes only finished files that a recorder wrote and that have not changed since. Never deletes a file \
            that is being recorded, that is still to be copied, or whose mirrored file is incomplete. With --kept, \
            also deletes files that `recorder keep` keeps. A mirrored recording is deleted from both disks.
            """)
    static let examples = ["recorder delete ~/Videos/2026-11-24/09-00-00-front.mov", "recorder delete *.mov --dry-run"]

    @Argument(help: "Recordings to delete; `recorder list` shows them.", completion: .file())
    var files: [String]

    @Flag(help: "Delete without asking.")
    var yes = false

    @Flag(help: "Also delete recordings that `recorder keep` keeps.")
    var kept = false

    @Flag(help: "Only show what would be deleted, and why others stay.")
    var dryRun = false

    @Flag(help: "Print one JSON object.")
    var json = false

    private struct Answer: Encodable {
        struct Entry: Encodable {
            let name: String
            let file: String
            @OrNull var copy: String?
            let bytes: Int64

            init(_ plan: OwnerRemoval.Plan) {
                (name, file, bytes) = (plan.name.description, plan.file, plan.bytes)
                copy = plan.copy
            }
        }

        let dryRun: Bool
        var removed: [Entry] = []
        var kept: [FailureReport] = []
    }

    func run() throws {
        let removal = OwnerRemoval()
        var answer = Answer(dryRun: dryRun)
        var failure: MediaError?
        let keep = { (error: MediaError) in
            failure = failure ?? error
            let code = ExitCode(for: RecordingFailure(.input, error)).rawValue
            answer.kept.append(FailureReport(error.description, exitCode: code))
            StandardError.line("recorder: \(error)")
        }
        var plans: [OwnerRemoval.Plan] = []
        for file in files {
            do throws(MediaError) {
                let plan = try removal.plan(FilePath.absolute(file), evenKept: kept)
                if !plans.contains(where: { $0.file == plan.file }) { plans.append(plan) }
            } catch { keep(error) }
        }
        if !dryRun, !yes, !plans.isEmpty { try ask(plans) }
        for plan in plans {
            do throws(MediaError) {
                if !dryRun { try removal.delete(plan) }
                answer.removed.append(.init(plan))
                if !json { StandardOutput.line(dryRun ? "would delete \(text(plan))" : "deleted \(text(plan))") }
            } catch { keep(error) }
        }
        if json { StandardOutput.line(JSONText.line(answer)) }
        // Each has already been reported.
        if let failure { throw CommandFailure("", ExitCode(for: RecordingFailure(.input, failure))) }
    }

    /// Asks for confirmation.
    ///
    /// - Throws: A failure if there is no terminal to ask on, or if the user declines.
    private func ask(_ plans: [OwnerRemoval.Plan]) throws(CommandFailure) {
        guard isatty(0) == 1, !json else {
            throw CommandFailure(
                "cannot ask for confirmation without a terminal, or with --json; use --yes to delete without asking, or "
                    + "--dry-run to see what would be deleted", .usage)
        }
        for plan in plans { StandardError.line(text(plan)) }
        let count = plans.count == 1 ? "this recording" : "these \(plans.count) recordings"
        StandardError.write("Permanently delete \(count)? Type yes: ")
        guard readLine()?.trimmingCharacters(in: .whitespaces) == "yes" else {
            throw CommandFailure("nothing was deleted", .failed)
        }
    }

    private func text(_ plan: OwnerRemoval.Plan) -> String {
        "\(plan.file) · \(NumberText.bytes(plan.bytes))" + (plan.isKept ? " · kept" : "")
            + (plan.copy.map { " and \($0)" } ?? "")
    }
}
