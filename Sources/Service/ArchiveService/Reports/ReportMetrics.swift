/// The report in Prometheus' text format, for the node exporter's textfile directory.
package struct ReportMetrics {
    private let report: ArchiveReport

    package init(_ report: ArchiveReport) { self.report = report }

    package var text: String {
        let plan = "plan=\"\(Self.escaped(report.plan))\""
        var lines: [String] = []
        func add(_ name: String, _ help: String, _ values: [(labels: String, value: Double)]) {
            lines.append("# HELP recorder_\(name) \(help)")
            lines.append("# TYPE recorder_\(name) gauge")
            for (labels, value) in values {
                let text = value == value.rounded() && abs(value) < 1e15 ? "\(Int64(clamping: value))" : "\(value)"
                lines.append("recorder_\(name){\(plan)\(labels)} \(text)")
            }
        }
        add(
            "archive_files", "Files of the plan by state.",
            [
                (",state=\"done\"", Double(report.done)), (",state=\"failed\"", Double(report.failed.count)),
                (",state=\"left\"", Double(report.left)), (",state=\"skipped\"", Double(report.skipped.count)),
            ])
        add(
            "archive_video_seconds", "Seconds of video.",
            [(",state=\"planned\"", report.duration), (",state=\"done\"", report.doneDuration)])
        add(
            "archive_bytes", "Bytes of the files that are done.",
            [(",of=\"source\"", Double(report.inputBytes)), (",of=\"copy\"", Double(report.bytes))])
        add("archive_deleted_sources", "Sources that were deleted.", [("", Double(report.deletedSources))])
        add("archive_running", "1 if the plan is running, 0 if not.", [("", report.isRunning ? 1 : 0)])
        if !report.machines.isEmpty {
            add(
                "archive_speed", "Seconds of video per second of work.",
                report.machines.map { (",machine=\"\(Self.escaped($0.name))\"", $0.speed) })
        }
        if let left = report.secondsLeft {
            add("archive_seconds_left", "Estimated seconds until the plan is done.", [("", left.rounded())])
        }
        return lines.joined(separator: "\n")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
