import CommandInterface
import Foundation
import MediaTypes
import RecorderStorage

/// The status of a session, from the last published state. Thread-safe.
extension CaptureSession {
    /// The current status. Thread-safe; asks the file system for its free space.
    nonisolated var status: RecordingStatus {
        let now = snapshot
        var status = RecordingStatus(name: configuration.name.description, state: state(of: now))
        status.group = configuration.group
        status.error = now.error
        status.warning = now.warning
        status.closedIn = now.closedIn
        status.retention = retention?.account(now.settings.retention)
        status.copies = copies?.account(now.settings.copies)
        guard let pipeline = now.pipeline else { return status }
        let dispatcher = pipeline.dispatcher
        if configuration.preRoll != nil {
            let kept = dispatcher.preRoll
            status.preRoll = .init(duration: kept.duration.seconds, bytes: Int64(kept.bytes))
        }
        let run = now.run ?? now.lastRun
        let files = now.run == nil ? [:] : dispatcher.files
        status.video = pipeline.video.map { video($0, run, files, now) }
        status.audio = pipeline.audio.map { audio($0, run, files, now) }
        status.syncOffset = pipeline.video == nil ? nil : pipeline.audio?.clock.syncOffset
        guard let run else { return status }
        let newest = now.run == nil ? nil : pipeline.newest
        status.segments = run.segments(files, newest: newest)
        let hasFile = now.run != nil || run.hasSample
        status.file = hasFile ? run.location.path : nil
        status.started = TimestampText.text(run.startedAt)
        status.duration = run.duration(newest)
        status.bytes = run.bytes(files)
        status.marks = run.marks
        if self.files.mirror != nil, let newest = files.max(by: { $0.key < $1.key })?.value {
            status.mirror = newest.copies.map { copy in
                .init(
                    file: copy.path, state: copy.condition.rawValue, missing: Int64(clamping: copy.missing),
                    error: copy.error?.description)
            }
        }
        status.disk = .init(free: foundations.freeSpace(run.location.directory), writeRate: now.disk.writeRate)
        return status
    }

    /// The clock's time of the last sample of any device.
    nonisolated var lastSampleAt: Int64? { snapshot.pipeline?.lastSampleAt }

    /// Returns true if the process is finalizing its last file. An armed process continues after a recording.
    nonisolated func isEnding(_ status: RecordingStatus) -> Bool {
        if configuration.isArmed { return quit.current != nil || status.state == .failed }
        return status.state == .stopping || status.state == .failed
    }

    nonisolated func state(of now: SessionState) -> RecordingStatus.State {
        if now.hasFailed { return .failed }
        guard let run = now.run else { return now.isQuitting || !configuration.isArmed ? ended(now) : .armed }
        if run.stopRequested != nil { return .stopping }
        if now.pipeline?.isPaused == true { return .paused }
        return now.pipeline?.start == nil ? .armed : .recording
    }

    /// The state of a process without a current recording.
    private nonisolated func ended(_ now: SessionState) -> RecordingStatus.State {
        now.isQuitting || now.lastRun != nil ? .stopping : .armed
    }

    /// The drop counts of a track. While it is being recorded, `captured` is the device's count; later it is the sum of
    /// the files' counts.
    private nonisolated func ledger(
        _ track: LiveTrack, _ run: RecordingRun?, _ files: [Int: any RecordingFileSink], _ now: SessionState
    ) -> Ledger {
        guard let run else { return Ledger() }
        var ledger =
            run.ledger(track.mediaType, files) + (now.pipeline?.dispatcher.dropped(track.mediaType) ?? Ledger())
        // In an armed process the encoders also work before and after the recording.
        if !configuration.isArmed { ledger.captured = track.ledger.captured }
        return ledger
    }

    private nonisolated func video(
        _ track: LiveTrack, _ run: RecordingRun?, _ files: [Int: any RecordingFileSink], _ now: SessionState
    ) -> RecordingStatus.Video {
        let ledger = ledger(track, run, files, now)
        let rates = now.pipeline?.frameRates
        var video = RecordingStatus.Video(
            captured: ledger.captured, written: ledger.written, dropped: .init(ledger),
            paused: ledger[dropped: .paused], frameRate: now.closedIn == nil ? rates?.current : rates?.average,
            queueDepth: track.queueDepth,
            width: now.video?.width, height: now.video?.height)
        video.eased = ledger.eased
        video.effort = track.effort.map { .init(step: $0.step, steps: $0.steps, summary: $0.summary) }
        video.queueMemory = now.videoBudget.map { Int64($0.bytes) }
        video.queueTime = now.videoBudget?.duration.seconds
        let away = now.pipeline?.awayFor(.video)
        video.present = away == nil
        video.awayFor = away.map { Double($0) / 1e9 }
        return video
    }

    private nonisolated func audio(
        _ track: LiveTrack, _ run: RecordingRun?, _ files: [Int: any RecordingFileSink], _ now: SessionState
    ) -> RecordingStatus.Audio {
        let ledger = ledger(track, run, files, now)
        let audioMeter = now.pipeline?.audioMeter
        let gaps = track.filledGaps
        var audio = RecordingStatus.Audio(
            captured: ledger.captured, written: ledger.written, dropped: .init(ledger),
            paused: ledger[dropped: .paused], gaps: Int64(gaps.count), gapSamples: gaps.frames,
            xruns: audioMeter?.overruns,
            levelPeak: audioMeter?.level?.peak,
            levelRMS: audioMeter?.level?.rms, driftPPM: track.clock.driftPPM, sampleRate: now.audio?.sampleRate,
            channels: now.audio?.channelCount)
        let away = now.pipeline?.awayFor(.audio)
        audio.present = away == nil
        audio.awayFor = away.map { Double($0) / 1e9 }
        return audio
    }
}
