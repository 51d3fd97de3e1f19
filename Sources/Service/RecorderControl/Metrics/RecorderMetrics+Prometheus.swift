import RecorderStorage

extension RecorderMetrics {
    static let prometheusContentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Returns all metrics in Prometheus' text format. Metrics that do not exist in this recording, or are unknown, are
    /// omitted.
    ///
    /// Names follow Prometheus' conventions: base units, `_total` for counters. Video and audio have families of their
    /// own, because a sum of frames and samples has no meaning. `docs/reference/json.md` lists them.
    ///
    /// - Parameter name: The name of the recording, in the label of every sample.
    func prometheusText(name: String) -> String {
        var text = PrometheusText(label: ("name", name), capacity: 12 << 10)
        text.family("recorder_build_info", .gauge, "Always 1; the label has the program's version.")
        text.sample("recorder_build_info", Int64(1), "version", RecorderVersion.number)
        text.family("recorder_state", .gauge, "1 for the current state, 0 for every other.")
        for each in RecordingStatus.State.allCases {
            text.sample("recorder_state", each == state ? Int64(1) : 0, "state", each.rawValue)
        }
        if let video {
            append(video, to: &text, as: .frames)
            appendEffort(of: video, to: &text)
        }
        if let audio {
            append(audio, to: &text, as: .audio)
            appendGaps(of: audio, to: &text)
        }
        appendDevices(to: &text)
        appendClocks(to: &text)
        appendFiles(to: &text)
        appendCopies(to: &text)
        appendLatencies(to: &text)
        return text.text
    }

    /// The families of the two tracks: their names, and their units.
    private enum Family {
        case frames
        case audio

        var names: (captured: String, written: String, dropped: String, paused: String) {
            switch self {
            case .frames:
                (
                    "recorder_frames_captured_total", "recorder_frames_written_total", "recorder_frames_dropped_total",
                    "recorder_frames_paused_total"
                )
            case .audio:
                (
                    "recorder_audio_frames_captured_total", "recorder_audio_frames_written_total",
                    "recorder_audio_frames_dropped_total", "recorder_audio_frames_paused_total"
                )
            }
        }

        var helps: (captured: String, written: String, dropped: String, paused: String) {
            switch self {
            case .frames:
                (
                    "Frames captured by the camera.", "Frames written to the file.",
                    "Frames dropped, by cause.", "Frames left out by pauses."
                )
            case .audio:
                (
                    "Audio frames (one value for each channel) captured by the microphone.",
                    "Audio frames written to the file.", "Audio frames dropped, by cause.",
                    "Audio frames left out by pauses."
                )
            }
        }
    }

    private func append(_ track: Track, to text: inout PrometheusText, as family: Family) {
        let (names, helps) = (family.names, family.helps)
        text.family(names.captured, .counter, helps.captured)
        text.sample(names.captured, track.captured)
        text.family(names.written, .counter, helps.written)
        text.sample(names.written, track.written)
        text.family(names.dropped, .counter, helps.dropped)
        text.sample(names.dropped, track.dropped.device, "cause", "device")
        text.sample(names.dropped, track.dropped.queue, "cause", "queue")
        text.sample(names.dropped, track.dropped.encoder, "cause", "encoder")
        text.sample(names.dropped, track.dropped.corrupt, "cause", "corrupt")
        text.sample(names.dropped, track.dropped.disk, "cause", "disk")
        text.family(names.paused, .counter, helps.paused)
        text.sample(names.paused, track.paused)
    }

    private func appendEffort(of video: Track, to text: inout PrometheusText) {
        text.family(
            "recorder_frames_eased_total", .counter, "Frames encoded with reduced effort to avoid drops.")
        text.sample("recorder_frames_eased_total", video.eased)
        guard let step = video.effortStep else { return }
        text.family("recorder_encoder_easing_depth", .gauge, "Steps by which the encoder's effort is reduced.")
        text.sample("recorder_encoder_easing_depth", Int64(step))
    }

    private func appendGaps(of audio: Track, to text: inout PrometheusText) {
        text.family("recorder_audio_gaps_total", .counter, "Gaps in the audio that the microphone delivered.")
        text.sample("recorder_audio_gaps_total", audio.gaps)
        text.family("recorder_audio_gap_frames_total", .counter, "Audio frames of silence that fill the gaps.")
        text.sample("recorder_audio_gap_frames_total", audio.gapFrames)
    }

    private func appendDevices(to text: inout PrometheusText) {
        guard video != nil || audio != nil else { return }
        text.family("recorder_queue_depth", .gauge, "Samples waiting for the track's encoder.")
        if let video { text.sample("recorder_queue_depth", Int64(video.queueDepth), "track", "video") }
        if let audio { text.sample("recorder_queue_depth", Int64(audio.queueDepth), "track", "audio") }
        text.family("recorder_device_present", .gauge, "1 if the track's device is connected, 0 if not.")
        if let video { text.sample("recorder_device_present", video.isPresent ? Int64(1) : 0, "track", "video") }
        if let audio { text.sample("recorder_device_present", audio.isPresent ? Int64(1) : 0, "track", "audio") }
        text.family("recorder_device_losses_total", .counter, "Number of times the track's device disconnected.")
        if let video { text.sample("recorder_device_losses_total", video.timesLost, "track", "video") }
        if let audio { text.sample("recorder_device_losses_total", audio.timesLost, "track", "audio") }
    }

    private func appendClocks(to text: inout PrometheusText) {
        if let driftPPM {
            text.family(
                "recorder_clock_drift_ratio", .gauge,
                "How much faster the microphone's clock is than the system's; 0.000001 is one part per million.")
            text.sample("recorder_clock_drift_ratio", driftPPM / 1e6)
        }
        if let syncOffset {
            text.family(
                "recorder_sync_offset_seconds", .gauge, "Seconds by which the audio lags behind the video.")
            text.sample("recorder_sync_offset_seconds", syncOffset)
        }
    }

    private func appendFiles(to text: inout PrometheusText) {
        if let diskFree {
            text.family("recorder_disk_free_bytes", .gauge, "Bytes that can still be written to the file's disk.")
            text.sample("recorder_disk_free_bytes", diskFree)
        }
        text.family("recorder_written_bytes_total", .counter, "Bytes of media written.")
        text.sample("recorder_written_bytes_total", bytesWritten)
        text.family("recorder_segments_finished_total", .counter, "Files finalized.")
        text.sample("recorder_segments_finished_total", segmentsFinished)
        if !mirror.isEmpty { appendMirror(to: &text) }
        text.family("recorder_pre_roll_bytes", .gauge, "Bytes of pre-roll in memory.")
        text.sample("recorder_pre_roll_bytes", preRollBytes)
    }

    private func appendMirror(to text: inout PrometheusText) {
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
        guard let copies else { return }
        if let backlog = copies.backlog {
            text.family("recorder_copy_backlog_files", .gauge, "Finished files without a verified copy.")
            text.sample("recorder_copy_backlog_files", backlog.files)
            text.family("recorder_copy_backlog_bytes", .gauge, "Bytes of the finished files without a verified copy.")
            text.sample("recorder_copy_backlog_bytes", backlog.bytes)
        }
        if let oldest = copies.oldestFinished {
            text.family(
                "recorder_copy_backlog_oldest_timestamp_seconds", .gauge,
                "When the oldest file without a verified copy was finished, in seconds since 1970.")
            text.sample("recorder_copy_backlog_oldest_timestamp_seconds", oldest)
        }
        text.family("recorder_copy_running", .gauge, "1 if a copy process is running, 0 if not.")
        text.sample("recorder_copy_running", copies.state == .notRunning ? Int64(0) : 1)
        text.family("recorder_copy_failing", .gauge, "1 if a file could not be copied, 0 if not.")
        text.sample("recorder_copy_failing", copies.error == nil ? Int64(0) : 1)
    }

    private func appendLatencies(to text: inout PrometheusText) {
        text.family(
            "recorder_append_latency_seconds", .histogram,
            "Time for which handing over a frame blocks the camera's thread.")
        text.histogram("recorder_append_latency_seconds", appendLatency)
        text.family(
            "recorder_append_latency_longest_seconds", .gauge,
            "Longest time for which handing over a frame blocked the camera's thread.")
        text.sample("recorder_append_latency_longest_seconds", appendLatency.longest)
        text.family("recorder_encode_latency_seconds", .histogram, "Time from a sample's arrival to its packet.")
        text.histogram("recorder_encode_latency_seconds", encodeLatency)
        text.family("recorder_write_latency_seconds", .histogram, "Duration of one write to the file.")
        text.histogram("recorder_write_latency_seconds", writeLatency)
        text.family("recorder_sync_latency_seconds", .histogram, "Duration of one sync of the file.")
        text.histogram("recorder_sync_latency_seconds", syncLatency)
    }
}
