import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderStorage

/// The metrics of several recorders in one text, read by Prometheus' own Python client.
@Suite struct MetricFamiliesTests {
    private static func metrics(_ name: String, captured: Int64) -> RecorderMetrics {
        var account = Ledger()
        account.captured = captured
        var status = RecordingStatus(name: name, state: .recording)
        status.video = RecordingStatus.Video(account)
        status.bytes = 1234
        var metrics = RecorderMetrics(status)
        metrics.writeLatency.add(nanoseconds: 3_000_000)
        return metrics
    }

    private static var two: MetricFamilies {
        var families = MetricFamilies()
        for (name, captured) in [("back", Int64(7)), ("front-door", 8)] {
            families.add("recorder_up", "1 if the \"recorder\" answers.", 1, of: name)
            families.add(metrics(name, captured: captured).prometheusText, of: name)
        }
        return families
    }

    @Test func families_ofTwoRecorders_areMergedByName() {
        let text = Self.two.text(.prometheus)
        #expect(
            text.contains(
                """
                # HELP recorder_frames_captured_total Frames captured by the camera.
                # TYPE recorder_frames_captured_total counter
                recorder_frames_captured_total{recorder="back"} 7
                recorder_frames_captured_total{recorder="front-door"} 8

                """))
        #expect(text.contains("recorder_frames_dropped_total{recorder=\"back\",cause=\"disk\"} 0\n"))
        #expect(!text.contains("name=\"") && !text.contains("# EOF"))
    }

    @Test func families_inOpenMetrics_haveUnitsAndAnEnd() {
        let text = Self.two.text(.openMetrics)
        #expect(
            text.contains(
                """
                # TYPE recorder_written_bytes counter
                # UNIT recorder_written_bytes bytes
                recorder_written_bytes_total{recorder="back"} 1234

                """))
        #expect(text.contains("# HELP recorder_up 1 if the \\\"recorder\\\" answers.\n"))
        #expect(text.hasSuffix("\n# EOF\n"))
    }

    @Test(arguments: [MetricFormat.prometheus, .openMetrics])
    func families_inEachFormat_areReadByPrometheus(format: MetricFormat) throws {
        let directory = try TemporaryDirectory()
        try Data(Self.two.text(format).utf8).write(to: directory.file("metrics"))
        let options = format == .openMetrics ? ["--openmetrics"] : []
        let judgement = try PythonJudge.run("metrics.py", options + [directory.path("metrics")])
        #expect(judgement.status == 0, "\(judgement.errors)")
        let samples = try #require(try JSONSerialization.jsonObject(with: judgement.output) as? [[Any]])
        let names = samples.compactMap { ($0[1] as? [String: String])?["recorder"] }
        #expect(names.count == samples.count && Set(names) == ["back", "front-door"])
    }

    /// A recorder of another version may send anything; what is passed on must remain valid.
    @Test(arguments: [
        "recorder_a_total{name=\"front\"} 1",
        "# TYPE recorder_a_total counter\nrecorder_a_total{name=\"other\"} 1",
        "# TYPE recorder_a_total counter\nrecorder_a_total{name=\"front\",cause=\"x} 1",
        "# TYPE recorder_a_total counter\nrecorder_a_total{name=\"front\",cause=\"x\"} one",
        "# TYPE recorder_a_total counter\nrecorder_a_total{name=\"front\"",
        "# TYPE recorder_a_total counter\nrecorder_a_total_bucket{name=\"front\"} 1",
        "# TYPE recorder_a_total counter\nrecorder_a_total{name=\"front\"} 1 {x}",
        "# TYPE recorder_a counter\nrecorder_a{name=\"front\"} 1",
        "# TYPE recorder_a_total summary\nrecorder_a_total{name=\"front\"} 1",
        "# TYPE other_total counter\nother_total{name=\"front\"} 1",
        "# TYPE",
        "# TYPE recorder_up counter\nrecorder_up{name=\"front\"} 1",
    ])
    func families_linesOfAnotherForm_areLeftOut(text: String) {
        var families = MetricFamilies()
        families.add("recorder_up", "1 if it answers.", 1, of: "front")
        let before = families.text(.openMetrics)
        families.add(text, of: "front")
        #expect(families.text(.openMetrics) == before)
    }

    @Test func families_labelWithQuotesAndBraces_isKept() {
        var families = MetricFamilies()
        families.add("# TYPE recorder_a gauge\nrecorder_a{name=\"front\",cause=\"a\\\"} {b\\\\\"} +Inf\n", of: "front")
        #expect(families.text(.prometheus).contains("recorder_a{recorder=\"front\",cause=\"a\\\"} {b\\\\\"} +Inf\n"))
    }

    @Test func families_tooMany_areLimited() {
        var families = MetricFamilies()
        let text = (0..<1000).map { "# TYPE recorder_\($0) gauge\nrecorder_\($0){name=\"front\"} 1\n" }.joined()
        families.add(text, of: "front")
        #expect(families.text(.prometheus).split(separator: "\n").count { $0.hasPrefix("# TYPE") } == 256)
    }

    @Test(
        arguments: [
            (nil, MetricFormat.prometheus), ("", .prometheus), ("*/*", .prometheus), ("text/html", .prometheus),
            ("application/openmetrics-text", .openMetrics),
            (
                "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,"
                    + "text/plain;version=1.0.0;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1", .openMetrics
            ),
            ("application/openmetrics-text;version=0.0.1;q=0.75,text/plain;q=0.5", .prometheus),
            ("application/openmetrics-text; version=1.0.0; q=0.2, text/plain; q=0.5", .prometheus),
            ("application/openmetrics-text;q=0", .prometheus), ("application/openmetrics-text;q=x,;;q", .openMetrics),
        ] as [(String?, MetricFormat)])
    func format_isChosenByTheAcceptHeader(header: String?, format: MetricFormat) {
        #expect(MetricFormat(accepting: header) == format)
    }
}
