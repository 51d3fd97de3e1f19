import ArchiveService
import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes

/// `recorder archive status`
struct ArchiveStatusCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "How far a plan is; from any machine that sees it.")
    static let examples = ["recorder archive status a.plan"]

    @OptionGroup var plan: ArchivePlanArgument

    @Flag(help: "One JSON object on standard output.")
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
        commandName: "report", abstract: "What was saved, what failed and why, and how to go on.")
    static let examples = ["recorder archive report a.plan"]

    @OptionGroup var plan: ArchivePlanArgument

    @Flag(help: "One JSON object on standard output.")
    var json = false

    @Flag(help: "In Prometheus' text form.")
    var metrics = false

    @Option(help: ArgumentHelp("One page of HTML too.", valueName: "file"), completion: .file())
    var html: String?

    func validate() throws {
        if json, metrics { throw OptionError("--json and --metrics exclude each other: leave one out") }
    }

    func run() throws {
        do throws(MediaError) {
            let report = try ArchiveReport(ofPlan: plan.path)
            if let html {
                let page = Array(ReportPage(report).html.utf8).withUnsafeBytes { MediaData(copying: $0) }
                try WholeFile.write(page, to: FilePath.absolute(html), overwrite: true)
            }
            StandardOutput.line(
                json ? JSONText.line(report) : metrics ? ReportMetrics(report).text : report.text)
        } catch { throw CommandFailure(input: error) }
    }
}

/// `recorder archive cancel`
struct ArchiveCancelCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Ends a run, wherever it is; `resume` goes on.")
    static let examples = ["recorder archive cancel a.plan"]

    @OptionGroup var plan: ArchivePlanArgument

    @Flag(help: "One JSON object on standard output.")
    var json = false

    func run() throws {
        do throws(MediaError) {
            try ArchiveJob.cancel(plan: plan.path)
            let report = try ArchiveReport(ofPlan: plan.path)
            StandardOutput.line(json ? JSONText.line(report) : report.line)
        } catch { throw CommandFailure(input: error) }
    }
}
