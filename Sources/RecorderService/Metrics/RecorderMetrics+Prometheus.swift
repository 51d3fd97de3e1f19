extension RecorderMetrics {
    static let prometheusContentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Returns all metrics in Prometheus' text format. Metrics that do not exist in this recording, or are unknown, are
    /// omitted.
    ///
    /// Names follow Prometheus' conventions: base units, `_total` for counters. Video and audio have families of their
    /// own, because a sum of frames and samples has no meaning. `docs/json.md` lists them.
    ///
    /// - Parameter name: The name of the recording, in the label of every sample.
    func prometheusText(name: String) -> String {
        var text = PrometheusText(label: ("name", name), capacity: 12 << 10)
        text.family("recorder_build_info", .gauge, "The program's version; always 1.")
        text.sample("recorder_build_info", Int64(1), "version", RecorderVersion.number)
        text.family("recorder_state", .gauge, "1 for the state that the recording is in, 0 for every other.")
        for each in RecordingStatus.State.allCases {
            text.sample("recorder_state", each == state ? Int64(1) : 0, "state", each.rawValue)
        }
        if let video {
            append(video, to: &text, as: .pictures)
            appendEffort(of: video, to: &text)
        }
        if let audio {
            append(audio, to: &text, as: .sound)
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
        case pictures
        case sound

        var names: (captured: String, written: String, dropped: String, paused: String) {
            switch self {
            case .pictures:
                (
                    "recorder_frames_captured_total", "recorder_frames_written_total", "recorder_frames_dropped_total",
                    "recorder_frames_paused_total"
                )
            case .sound:
                (
                    "recorder_audio_frames_captured_total", "recorder_audio_frames_written_total",
                    "recorder_audio_frames_dropped_total", "recorder_audio_frames_paused_total"
                )
            }
        }

        var helps: (captured: String, written: String, dropped: String, paused: String) {
            switch self {
            case .pictures:
                (
                    "Pictures that the camera captured.", "Pictures that are in the file.",
                    "Frames that were lost, by cause.", "Frames that pauses left out."
                )
            case .sound:
                (
                    "Audio frames (one sample of each channel) that the microphone captured.",
                    "Audio frames that are in the file.", "Audio frames that were lost, by cause.",
                    "Audio frames that pauses left out."
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
            "recorder_frames_eased_total", .counter, "Pictures encoded with less effort, so that none was dropped.")
        text.sample("recorder_frames_eased_total", video.eased)
        guard let step = video.effortStep else { return }
        text.family("recorder_encoder_easing_depth", .gauge, "Steps that the encoder is below what was asked for.")
        text.sample("recorder_encoder_easing_depth", Int64(step))
    }

    private func appendGaps(of audio: Track, to text: inout PrometheusText) {
        text.family("recorder_audio_gaps_total", .counter, "Stretches of sound that never came.")
        text.sample("recorder_audio_gaps_total", audio.gaps)
        text.family("recorder_audio_gap_frames_total", .counter, "Audio frames of silence in place of them.")
        text.sample("recorder_audio_gap_frames_total", audio.gapSamples)
    }

    private func appendDevices(to text: inout PrometheusText) {
        guard video != nil || audio != nil else { return }
        text.family("recorder_queue_depth", .gauge, "Samples that wait for the track's encoder.")
        if let video { text.sample("recorder_queue_depth", Int64(video.queueDepth), "track", "video") }
        if let audio { text.sample("recorder_queue_depth", Int64(audio.queueDepth), "track", "audio") }
        text.family("recorder_device_present", .gauge, "Whether the track's device is there.")
        if let video { text.sample("recorder_device_present", video.isPresent ? Int64(1) : 0, "track", "video") }
        if let audio { text.sample("recorder_device_present", audio.isPresent ? Int64(1) : 0, "track", "audio") }
        text.family("recorder_device_losses_total", .counter, "How often the track's device went away.")
        if let video { text.sample("recorder_device_losses_total", video.timesLost, "track", "video") }
        if let audio { text.sample("recorder_device_losses_total", audio.timesLost, "track", "audio") }
    }

    private func appendClocks(to text: inout PrometheusText) {
        if let driftPPM {
            text.family(
                "recorder_clock_drift_ratio", .gauge,
                "By how much the microphone's clock is faster than the system's; 0.000001 is one part per million.")
            text.sample("recorder_clock_drift_ratio", driftPPM / 1e6)
        }
        if let syncOffset {
            text.family(
                "recorder_sync_offset_seconds", .gauge, "By how much the sound is late against the pictures.")
            text.sample("recorder_sync_offset_seconds", syncOffset)
        }
    }

    private func appendFiles(to text: inout PrometheusText) {
        if let diskFree {
            text.family("recorder_disk_free_bytes", .gauge, "What may still be written where the file is.")
            text.sample("recorder_disk_free_bytes", diskFree)
        }
        text.family("recorder_written_bytes_total", .counter, "Bytes of media written.")
        text.sample("recorder_written_bytes_total", bytesWritten)
        text.family("recorder_segments_finished_total", .counter, "Files that are whole.")
        text.sample("recorder_segments_finished_total", segmentsFinished)
        if !mirror.isEmpty { appendMirror(to: &text) }
        text.family("recorder_pre_roll_bytes", .gauge, "What is kept in memory of the time before now.")
        text.sample("recorder_pre_roll_bytes", preRollBytes)
    }

    private func appendMirror(to text: inout PrometheusText) {
        let names = ["first", "second"]
        text.family("recorder_mirror_complete", .gauge, "1 for a copy of the newest file that has all there is of it.")
        for (copy, name) in zip(mirror, names) {
            text.sample("recorder_mirror_complete", copy.isComplete ? Int64(1) : 0, "copy", name)
        }
        text.family("recorder_mirror_missing_bytes", .gauge, "What a copy of the newest file lacks.")
        for (copy, name) in zip(mirror, names) {
            text.sample("recorder_mirror_missing_bytes", copy.missing, "copy", name)
        }
    }

    private func appendCopies(to text: inout PrometheusText) {
        guard let copies else { return }
        if let backlog = copies.backlog {
            text.family("recorder_copy_backlog_files", .gauge, "Finished files that have no verified copy yet.")
            text.sample("recorder_copy_backlog_files", backlog.files)
            text.family("recorder_copy_backlog_bytes", .gauge, "Their bytes.")
            text.sample("recorder_copy_backlog_bytes", backlog.bytes)
        }
        if let oldest = copies.oldestFinished {
            text.family(
                "recorder_copy_backlog_oldest_timestamp_seconds", .gauge,
                "When the oldest of them was finished, since 1970.")
            text.sample("recorder_copy_backlog_oldest_timestamp_seconds", oldest)
        }
        text.family("recorder_copy_running", .gauge, "Whether a process copies.")
        text.sample("recorder_copy_running", copies.state == .notRunning ? Int64(0) : 1)
        text.family("recorder_copy_failing", .gauge, "Whether something could not be copied.")
        text.sample("recorder_copy_failing", copies.error == nil ? Int64(0) : 1)
    }

    private func appendLatencies(to text: inout PrometheusText) {
        text.family(
            "recorder_append_latency_seconds", .histogram,
            "For how long a picture's hand-over holds the camera's thread.")
        text.histogram("recorder_append_latency_seconds", appendLatency)
        text.family("recorder_append_latency_longest_seconds", .gauge, "The longest of them.")
        text.sample("recorder_append_latency_longest_seconds", appendLatency.longest)
        text.family("recorder_encode_latency_seconds", .histogram, "From a sample's arrival to its packet.")
        text.histogram("recorder_encode_latency_seconds", encodeLatency)
        text.family("recorder_write_latency_seconds", .histogram, "From a write's call to its return.")
        text.histogram("recorder_write_latency_seconds", writeLatency)
        text.family("recorder_sync_latency_seconds", .histogram, "Of one sync of the file.")
        text.histogram("recorder_sync_latency_seconds", syncLatency)
    }
}
