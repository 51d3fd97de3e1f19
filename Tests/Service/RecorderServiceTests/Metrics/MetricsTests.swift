import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The text for Prometheus, read by Prometheus' own Python client.
@Suite struct MetricsTests {
    private var full: RecorderMetrics {
        var account = Ledger()
        account[dropped: .queue] = 7
        account[dropped: .disk] = 2
        account.captured = 9_007_199_254_740_993
        account.written = 90
        var status = RecordingStatus(name: "front", state: .paused)
        status.video = RecordingStatus.Video(account)
        status.video?.paused = 5
        status.video?.repeated = 1770
        status.video?.queueDepth = 3
        status.video?.eased = 11
        status.video?.effort = .init(step: 2, steps: 4, summary: "no look-ahead")
        status.video?.present = false
        status.audio = RecordingStatus.Audio(Ledger())
        status.audio?.gaps = 2
        status.audio?.gapSamples = 960
        status.audio?.driftPPM = -12
        status.audio?.levelPeak = -20
        status.audio?.levelRMS = -120
        status.network = .init(
            video: .init(packets: 500, lost: 3, late: 2, duplicates: 1, driftPPM: 25),
            audio: .init(packets: 100, lost: 0, late: 0, duplicates: 0), clockNotices: 4)
        status.syncOffset = 0.0004
        status.disk = .init(free: 5_000_000_000)
        status.bytes = 1234
        status.kept = KeptAccount(files: 2, bytes: 200, warning: "little room")
        status.copies = CopyAccount(remote: "nas:front", state: .sending)
        status.copies?.backlog = .init(files: 3, bytes: 300, oldest: nil)
        status.copies?.oldestFinished = 1_795_269_802
        status.mirror = [
            .init(file: "/a/x.mov", state: "complete", missing: 0),
            .init(file: "/b/x.mov", state: "behind", missing: 9),
        ]
        var metrics = RecorderMetrics(status)
        metrics.cameraLosses = 1
        metrics.audioQueueDepth = 6
        metrics.segmentsFinished = 4
        metrics.clockUncertainty = 0.003
        for milliseconds in [0, 1, 2, 40, 60_000] as [Int64] {
            metrics.writeLatency.add(nanoseconds: milliseconds * 1_000_000)
            metrics.appendLatency.add(nanoseconds: milliseconds * 1_000)
        }
        return metrics
    }

    /// Returns the judge's samples by `name{label=value,…}`, labels in alphabetical order, without the recording's
    /// name.
    private func judge(_ text: String) throws -> [String: String] {
        let directory = try TemporaryDirectory()
        try Data(text.utf8).write(to: directory.file("metrics"))
        let judgement = try PythonJudge.run("metrics.py", directory.path("metrics"))
        #expect(judgement.status == 0, "\(judgement.errors)")
        let samples = try JSONSerialization.jsonObject(with: judgement.output) as? [[Any]] ?? []
        var values: [String: String] = [:]
        for sample in samples {
            let labels = (sample[1] as? [String: String] ?? [:]).filter { $0.key != "name" }
            let inBraces = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
            values["\(sample[0])" + (labels.isEmpty ? "" : "{\(inBraces)}")] = "\(sample[2])"
        }
        return values
    }

    @Test func metrics_allValuesKnown_areExportedByName() throws {
        let values = try judge(full.prometheusText)
        #expect(values["recorder_build_info{version=\(RecorderVersion.number)}"] == "1.0")
        #expect(values["recorder_state{state=paused}"] == "1.0")
        #expect(values["recorder_state{state=recording}"] == "0.0")
        #expect(values.keys.count { $0.hasPrefix("recorder_state") } == RecordingStatus.State.allCases.count)
        #expect(values["recorder_frames_written_total"] == "90.0")
        #expect(values["recorder_frames_dropped_total{cause=queue}"] == "7.0")
        #expect(values["recorder_frames_dropped_total{cause=disk}"] == "2.0")
        #expect(values["recorder_audio_frames_dropped_total{cause=device}"] == "0.0")
        #expect(values["recorder_frames_paused_total"] == "5.0")
        #expect(values["recorder_frames_repeated_total"] == "1770.0")
        #expect(values["recorder_audio_frames_paused_total"] == "0.0")
        #expect(!values.keys.contains { $0.contains("cause=paused") || $0.contains("cause=repeated") })
        #expect(values["recorder_audio_gaps_total"] == "2.0")
        #expect(values["recorder_audio_gap_frames_total"] == "960.0")
        #expect(values["recorder_copy_backlog_files"] == "3.0" && values["recorder_copy_backlog_bytes"] == "300.0")
        #expect(values["recorder_kept_files"] == "2.0" && values["recorder_kept_bytes"] == "200.0")
        #expect(values["recorder_kept_full"] == "1.0")
        #expect(values["recorder_copy_running"] == "1.0" && values["recorder_copy_failing"] == "0.0")
        #expect(values["recorder_copy_backlog_oldest_timestamp_seconds"] == "1795269802.0")
        #expect(values["recorder_queue_depth{track=video}"] == "3.0")
        #expect(values["recorder_queue_depth{track=audio}"] == "6.0")
        #expect(values["recorder_frames_eased_total"] == "11.0" && values["recorder_encoder_easing_depth"] == "2.0")
        #expect(values["recorder_device_present{track=video}"] == "0.0")
        #expect(values["recorder_device_present{track=audio}"] == "1.0")
        #expect(values["recorder_device_losses_total{track=video}"] == "1.0")
        #expect(values["recorder_device_losses_total{track=audio}"] == "0.0")
        #expect(values["recorder_clock_drift_ratio"] == "-1.2e-05")
        #expect(values["recorder_network_packets_received_total{track=video}"] == "500.0")
        #expect(values["recorder_network_packets_received_total{track=audio}"] == "100.0")
        #expect(values["recorder_network_packets_lost_total{track=video}"] == "3.0")
        #expect(values["recorder_network_packets_late_total{track=video}"] == "2.0")
        #expect(values["recorder_network_packets_duplicate_total{track=video}"] == "1.0")
        #expect(values["recorder_network_clock_notices_total"] == "4.0")
        #expect(values["recorder_network_clock_drift_ratio{track=video}"] == "2.5e-05")
        #expect(values["recorder_network_clock_drift_ratio{track=audio}"] == nil)
        #expect(values["recorder_audio_peak_ratio"] == "0.1" && values["recorder_audio_rms_ratio"] == "1e-06")
        #expect(values["recorder_clock_synchronized"] == "1.0")
        #expect(values["recorder_clock_uncertainty_seconds"] == "0.003")
        #expect(values["recorder_sync_offset_seconds"] == "0.0004")
        #expect(values["recorder_disk_free_bytes"] == "5000000000.0")
        #expect(values["recorder_mirror_missing_bytes{copy=second}"] == "9.0")
        #expect(values["recorder_written_bytes_total"] == "1234.0")
        #expect(values["recorder_segments_finished_total"] == "4.0")
        #expect(values["recorder_write_latency_seconds_count"] == "5.0")
        #expect(values["recorder_write_latency_seconds_bucket{le=0.0001}"] == "1.0")
        #expect(values["recorder_write_latency_seconds_bucket{le=0.001}"] == "2.0")
        #expect(values["recorder_write_latency_seconds_bucket{le=30.0}"] == "4.0")
        #expect(values["recorder_write_latency_seconds_bucket{le=+Inf}"] == "5.0")
        #expect(values["recorder_encode_latency_seconds_count"] == "0.0")
        #expect(values["recorder_append_latency_seconds_bucket{le=0.0001}"] == "4.0")
        #expect(values["recorder_append_latency_longest_seconds"] == "0.06")
    }

    /// Unknown values are absent, because an invented number would be believed.
    @Test func metrics_unknownValues_areOmitted() throws {
        let values = try judge(RecorderMetrics(RecordingStatus(name: "front", state: .armed)).prometheusText)
        for name in [
            "frames_captured_total", "audio_gaps_total", "clock_drift_ratio", "disk_free_bytes", "queue_depth", "kept",
            "clock_uncertainty_seconds", "audio_rms_ratio", "network",
        ] {
            #expect(!values.keys.contains { $0.contains(name) }, "\(name)")
        }
        #expect(values["recorder_state{state=armed}"] == "1.0")
        #expect(values["recorder_clock_synchronized"] == "0.0")
    }

    @Test func counter_largeValue_keepsEveryDigit() {
        #expect(
            full.prometheusText.contains(
                "recorder_frames_captured_total{name=\"front\"} 9007199254740993\n"))
    }

    @Test func labelsAndHelp_specialCharacters_areEscaped() throws {
        var text = PrometheusText(label: ("name", "a\"b\\c\nd"), capacity: 100)
        text.family("recorder_test_ratio", .gauge, "A \\ and\na line.")
        text.sample("recorder_test_ratio", Double.infinity, "cause", "é\"")
        text.sample("recorder_test_ratio", -Double.infinity, "cause", "b")
        text.sample("recorder_test_ratio", Double.nan, "cause", "c")
        #expect(
            text.text == #"""
                # HELP recorder_test_ratio A \\ and\na line.
                # TYPE recorder_test_ratio gauge
                recorder_test_ratio{name="a\"b\\c\nd",cause="é\""} +Inf
                recorder_test_ratio{name="a\"b\\c\nd",cause="b"} -Inf
                recorder_test_ratio{name="a\"b\\c\nd",cause="c"} NaN

                """#)
        #expect(try judge(text.text)["recorder_test_ratio{cause=é\"}"] == "inf")
    }

    @Test func histogram_valuesAtBounds_areCountedInTheirBuckets() {
        var histogram = LatencyHistogram()
        histogram.add(nanoseconds: 100_000)
        histogram.add(nanoseconds: 100_001)
        histogram.add(nanoseconds: -5)
        histogram.add(nanoseconds: .max)
        #expect(histogram.counts.first == 2)
        #expect(histogram.counts[1] == 1)
        #expect(histogram.counts.last == 1)
        #expect(histogram.count == 4)
    }

    /// The names that only `recorder web` adds (`MetricsCollector`).
    private static let added = [
        "recorder_up", "recorder_ended", "recorder_publish_up", "recorder_publish_restarts_total",
    ]

    @Test(arguments: ["alerts.yml", "alerts_test.yml", "grafana-dashboard.json"])
    func dashboardAndAlerts_useOnlyExistingMetrics(file: String) throws {
        let text = try String(contentsOfFile: Project.path("monitoring/\(file)"), encoding: .utf8)
        let used = Set(text.matches(of: /recorder_[a-z_]+/).map { String($0.output) })
        let there = Set(try judge(full.prometheusText).keys.map { String($0.prefix { $0 != "{" }) })
        #expect(used.count > 10)
        #expect(used.subtracting(there).subtracting(Self.added).isEmpty)
    }

    @Test func metrics_overHTTP_haveThePrometheusContentType() async throws {
        try await ControlFixture.run { fixture in
            let answer = try fixture.send("GET", "/metrics")
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(answer.body == RecorderMetrics(.live).prometheusText)
        }
    }
}
