import CommandInterface

/// The report as one self-contained HTML page.
package struct ReportPage {
    private let report: ArchiveReport

    package init(_ report: ArchiveReport) { self.report = report }

    package var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Archive \(Self.escaped(report.plan))</title>
        <style>
        body { font: 16px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em }
        table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .2em 1em .2em 0; vertical-align: top }
        td:first-child { overflow-wrap: anywhere }
        progress { width: 100% }
        </style>
        <h1>Archive</h1>
        <p>\(Self.escaped(report.plan)), made by \(Self.escaped(report.program))</p>
        <progress value="\(report.done)" max="\(max(1, report.movies))"></progress>
        <p>\(Self.escaped(report.line))</p>
        <p>Sources: \(NumberText.bytes(report.inputBytes)). Copies: \(NumberText.bytes(report.bytes)).</p>
        \(report.wayOut.map { "<p>\(Self.escaped($0))</p>" } ?? "")
        \(machines)
        \(movies("Failed", report.failed))
        \(movies("Left out of copies", report.incomplete))
        \(movies("Not deleted", report.kept))
        \(movies("Skipped", report.skipped))
        </html>

        """
    }

    private var machines: String {
        guard !report.machines.isEmpty else { return "" }
        let rows = report.machines.map {
            "<tr><td>\(Self.escaped($0.name))<td>\(NumberText.duration($0.duration))<td>\(NumberText.fixed($0.speed, places: 1))×"
        }
        return "<h2>Machines</h2>\n<table>\n<tr><th>Machine<th>Video<th>Speed\n" + rows.joined(separator: "\n")
            + "\n</table>"
    }

    private func movies(_ title: String, _ movies: [ArchiveReport.Movie]) -> String {
        guard !movies.isEmpty else { return "" }
        let rows = movies.map { "<tr><td>\(Self.escaped($0.source))<td>\(Self.escaped($0.reason))" }
        return "<h2>\(title)</h2>\n<table>\n" + rows.joined(separator: "\n") + "\n</table>"
    }

    private static func escaped(_ text: String) -> String {
        PlainText.line(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
