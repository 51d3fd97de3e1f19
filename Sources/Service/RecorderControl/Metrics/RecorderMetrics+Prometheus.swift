import Glibc
import RecorderStorage

extension RecorderMetrics {
    static let prometheusContentType = "text/plain; version=0.0.4; charset=utf-8"

    /// All metrics in Prometheus' text format. Metrics that do not apply to this recording, or whose value is unknown,
    /// are omitted.
    ///
    /// Names follow Prometheus' conventions: base units, `_total` for counters. Video and audio have separate families,
    /// because a sum of video frames and audio frames has no meaning. `docs/reference/json.md` lists the metrics. Every
    /// sample has the recording's name as a label.
    var prometheusText: String {
        var text = PrometheusText(label: ("name", status.name), capacity: 12 << 10)
        text.family("recorder_build_info", .gauge, "Always 1; the label has the program's version.")
        text.sample("recorder_build_info", Int64(1), "version", RecorderVersion.number)
        text.family("recorder_state", .gauge, "1 for the current state, 0 for every other.")
        for each in RecordingStatus.State.allCases {
            text.sample("recorder_state", each == status.state ? Int64(1) : 0, "state", each.rawValue)
        }
        if let video = status.video { append(video, to: &text) }
        if let audio = status.audio { append(audio, to: &text) }
        appendDevices(to: &text)
        appendClocks(to: &text)
        if let network = status.network { append(network, to: &text) }
        appendFiles(to: &text)
        appendCopies(to: &text)
        appendLatencies(to: &text)
        return text.text
    }

    private func append(_ video: RecordingStatus.Video, to text: inout PrometheusText) {
        text.metric("recorder_frames_captured_total", .counter, "Frames captured by the camera.", video.captured)
        text.metric("recorder_frames_written_total", .counter, "Frames written to the file.", video.written)
        append(video.dropped, "recorder_frames_dropped_total", "Frames dropped, by cause.", to: &text)
        text.metric("recorder_frames_paused_total", .counter, "Frames left out by pauses.", video.paused ?? 0)
        text.metric(
            "recorder_frames_repeated_total", .counter, "Frames left out because they repeat the one before.",
            video.repeated ?? 0)
        text.metric(
            "recorder_frames_eased_total", .counter, "Frames encoded with reduced effort to avoid drops.",
            video.eased ?? 0)
        guard let effort = video.effort else { return }
        text.metric(
            "recorder_encoder_easing_depth", .gauge, "Steps by which the encoder's effort is reduced.",
            Int64(effort.step))
    }

    private func append(_ audio: RecordingStatus.Audio, to text: inout PrometheusText) {
        text.metric(
            "recorder_audio_frames_captured_total", .counter,
            "Audio frames (one value for each channel) captured by the microphone.", audio.captured)
        text.metric("recorder_audio_frames_written_total", .counter, "Audio frames written to the file.", audio.written)
        append(audio.dropped, "recorder_audio_frames_dropped_total", "Audio frames dropped, by cause.", to: &text)
        text.metric(
            "recorder_audio_frames_paused_total", .counter, "Audio frames left out by pauses.", audio.paused ?? 0)
        text.metric(
            "recorder_audio_gaps_total", .counter, "Gaps in the audio that the microphone delivered.", audio.gaps ?? 0)
        text.metric(
            "recorder_audio_gap_frames_total", .counter, "Audio frames of silence that fill the gaps.",
            audio.gapSamples ?? 0)
        func appendLevel(_ name: String, _ help: String, _ decibels: Double?) {
            if let decibels { text.metric(name, .gauge, help, pow(10, decibels / 20)) }
        }
        appendLevel("recorder_audio_peak_ratio", "Peak of the last 300 ms of audio; 1 is full scale.", audio.levelPeak)
        appendLevel("recorder_audio_rms_ratio", "RMS of the last 300 ms of audio; 1 is full scale.", audio.levelRMS)
    }

    private func append(
        _ dropped: RecordingStatus.Drops, _ name: String, _ help: String, to text: inout PrometheusText
    ) {
        text.family(name, .counter, help)
        text.sample(name, dropped.device, "cause", "device")
        text.sample(name, dropped.queue, "cause", "queue")
        text.sample(name, dropped.encoder, "cause", "encoder")
        text.sample(name, dropped.corrupt, "cause", "corrupt")
        text.sample(name, dropped.disk, "cause", "disk")
    }

    private func appendDevices(to text: inout PrometheusText) {
        guard status.video != nil || status.audio != nil else { return }
        func add(_ name: String, _ kind: PrometheusText.Kind, _ help: String, video: Int64?, audio: Int64?) {
            text.family(name, kind, help)
            if let video { text.sample(name, video, "track", "video") }
            if let audio { text.sample(name, audio, "track", "audio") }
        }
        add(
            "recorder_queue_depth", .gauge, "Samples waiting for the track's encoder.",
            video: status.video.map { Int64($0.queueDepth ?? 0) },
            audio: status.audio.map { _ in Int64(audioQueueDepth) })
        add(
            "recorder_device_present", .gauge, "1 if the track's device is connected, 0 if not.",
            video: status.video.map { $0.present ?? true ? 1 : 0 },
            audio: status.audio.map { $0.present ?? true ? 1 : 0 })
        add(
            "recorder_device_losses_total", .counter, "Number of times the track's device disconnected.",
            video: status.video.map { _ in cameraLosses }, audio: status.audio.map { _ in microphoneLosses })
    }

    private func appendClocks(to text: inout PrometheusText) {
        if let drift = status.audio?.driftPPM {
            text.metric(
                "recorder_clock_drift_ratio", .gauge,
                "Relative speed of the microphone's clock to the system's; 0.000001 is 1 ppm faster.",
                drift / 1e6)
        }
        text.metric(
            "recorder_clock_synchronized", .gauge, "1 if the machine's clock is synchronized, 0 if not.",
            clockUncertainty == nil ? Int64(0) : 1)
        if let clockUncertainty {
            text.metric(
                "recorder_clock_uncertainty_seconds", .gauge,
                "Maximum error of the machine's clock, as the kernel estimates it.", clockUncertainty)
        }
        if let offset = status.syncOffset {
            text.metric(
                "recorder_sync_offset_seconds", .gauge, "Seconds by which the audio lags behind the video.", offset)
        }
    }

    private func append(_ network: RecordingStatus.Network, to text: inout PrometheusText) {
        var streams: [(name: String, counts: RecordingStatus.Network.Stream)] = []
        if let video = network.video { streams.append(("video", video)) }
        if let audio = network.audio { streams.append(("audio", audio)) }
        func add(_ name: String, _ help: String, _ value: (RecordingStatus.Network.Stream) -> Int64) {
            text.family(name, .counter, help)
            for stream in streams { text.sample(name, value(stream.counts), "track", stream.name) }
        }
        add("recorder_network_packets_received_total", "Packets of the network camera that arrived in time.") {
            $0.packets
        }
        add("recorder_network_packets_lost_total", "Packets of the network camera that were lost.") { $0.lost }
        add("recorder_network_packets_late_total", "Packets that arrived after they were counted as lost.") { $0.late }
        add("recorder_network_packets_duplicate_total", "Packets that arrived more than once.") { $0.duplicates }
        text.metric(
            "recorder_network_clock_notices_total", .counter,
            "Irregularities of the network camera's clock, which the log describes.", network.clockNotices)
        text.family(
            "recorder_network_clock_drift_ratio", .gauge,
            "Relative speed of the network camera's clock to the system's; 0.000001 is 1 ppm faster.")
        for stream in streams {
            guard let drift = stream.counts.driftPPM else { continue }
            text.sample("recorder_network_clock_drift_ratio", drift / 1e6, "track", stream.name)
        }
    }

    private func appendFiles(to text: inout PrometheusText) {
        if let free = status.disk?.free {
            text.metric(
                "recorder_disk_free_bytes", .gauge, "Bytes that can still be written to the file's disk.", free)
        }
        text.metric("recorder_written_bytes_total", .counter, "Bytes of media written.", status.bytes ?? 0)
        text.metric("recorder_segments_finished_total", .counter, "Files finalized.", segmentsFinished)
        if let mirror = status.mirror, !mirror.isEmpty { append(mirror, to: &text) }
        if let kept = status.kept {
            text.metric("recorder_kept_files", .gauge, "Finished files that their owner keeps.", kept.files)
            text.metric("recorder_kept_bytes", .gauge, "Bytes of the files that their owner keeps.", kept.bytes)
            text.metric(
                "recorder_kept_full", .gauge, "1 if kept files leave too little room for new ones, 0 if not.",
                kept.warning == nil ? Int64(0) : 1)
        }
        text.metric("recorder_pre_roll_bytes", .gauge, "Bytes of pre-roll in memory.", status.preRoll?.bytes ?? 0)
    }

    private func append(_ mirror: [RecordingStatus.MirroredFile], to text: inout PrometheusText) {
        let names = ["first", "second"]
        text.family(
            "recorder_mirror_complete", .gauge,
            "1 if the mirrored file of the newest recording file is complete, 0 if not.")
        for (file, name) in zip(mirror, names) {
            text.sample("recorder_mirror_complete", file.isComplete ? Int64(1) : 0, "copy", name)
        }
        text.family(
            "recorder_mirror_missing_bytes", .gauge, "Bytes that the mirrored file of the newest recording file lacks.")
        for (file, name) in zip(mirror, names) {
            text.sample("recorder_mirror_missing_bytes", file.missing, "copy", name)
        }
    }

    private func appendCopies(to text: inout PrometheusText) {
        guard let copies = status.copies else { return }
        if let backlog = copies.backlog {
            text.metric(
                "recorder_copy_backlog_files", .gauge, "Finished files without a verified copy.", backlog.files)
            text.metric(
                "recorder_copy_backlog_bytes", .gauge, "Bytes of the finished files without a verified copy.",
                backlog.bytes)
        }
        if let oldest = copies.oldestFinished {
            text.metric(
                "recorder_copy_backlog_oldest_timestamp_seconds", .gauge,
                "Unix time at which the oldest file without a verified copy was finished.", oldest)
        }
        text.metric(
            "recorder_copy_running", .gauge, "1 if a copy process is running, 0 if not.",
            copies.state == .notRunning ? Int64(0) : 1)
        text.metric(
            "recorder_copy_failing", .gauge, "1 if a file could not be copied, 0 if not.",
            copies.error == nil ? Int64(0) : 1)
    }

    private func appendLatencies(to text: inout PrometheusText) {
        text.histogram(
            "recorder_append_latency_seconds", "Time for which handing over a frame blocks the camera's thread.",
            appendLatency)
        text.metric(
            "recorder_append_latency_longest_seconds", .gauge,
            "Longest time for which handing over a frame blocked the camera's thread.", appendLatency.longest)
        text.histogram(
            "recorder_encode_latency_seconds", "Time from a sample's arrival to its packet.", encodeLatency)
        text.histogram("recorder_write_latency_seconds", "Duration of one write to the file.", writeLatency)
        text.histogram("recorder_sync_latency_seconds", "Duration of one sync of the file.", syncLatency)
    }
}
