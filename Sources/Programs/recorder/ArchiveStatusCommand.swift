import ArchiveService
import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes

/// `recorder archive status`
struct ArchiveStatusCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows a plan's progress, on any machine that can read it.")
    static let examples = ["recorder archive status a.plan"]

    @OptionGroup var plan: ArchivePlanArgument

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        do throws(MediaError) {
            let report = try ArchiveReport(ofPlan: plan.path)
            StandardOutput.line(json ? JSONText.line(report) : report.line)
        } catch { throw CommandFailure(input: error) }
    }
}

/// `recorder archive report`
struct ArchiveReportCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Reports the space saved, what failed and why, and what to do.")
    static let examples = ["recorder archive report a.plan"]

    @OptionGroup var plan: ArchivePlanArgument

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Print metrics in Prometheus text format.")
    var metrics = false

    @Option(help: ArgumentHelp("Also write the report as an HTML page.", valueName: "file"), completion: .file())
    var html: String?

    func validate() throws {
        if json, metrics { throw OptionError("--json and --metrics cannot be combined: omit one") }
    }

    func run() throws {
        do throws(MediaError) {
            let report = try ArchiveReport(ofPlan: plan.path)
            if let html {
                let page = FilePath.absolute(html)
                try AtomicFile.check(page, overwrite: true, input: plan.path)
                try AtomicFile.write(ReportPage(report).html.utf8, to: page, overwrite: true)
            }
            StandardOutput.line(
                json ? JSONText.line(report) : metrics ? ReportMetrics(report).text : report.text)
        } catch { throw CommandFailure(input: error) }
    }
}

/// `recorder archive cancel`
struct ArchiveCancelCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancels a run on any machine; `resume` continues it.")
    static let examples = ["recorder archive cancel a.plan"]

    @OptionGroup var plan: ArchivePlanArgument

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        do throws(MediaError) {
            try ArchiveJob.cancel(plan: plan.path)
            let report = try ArchiveReport(ofPlan: plan.path)
            StandardOutput.line(json ? JSONText.line(report) : report.line)
        } catch { throw CommandFailure(input: error) }
    }
}
