import Foundation
import MediaTypes

extension CaptureProcess {
    /// How things stand. Any thread; asks the file system for its free space.
    public var status: RecordingStatus {
        let facts = facts.withLock { $0 }
        var status = RecordingStatus(name: configuration.name.description, state: state(facts))
        status.error = facts.error
        status.warning = facts.warning
        status.closedIn = facts.closedIn
        status.retention = retention?.account(facts.configuration.retention)
        guard let pipeline = facts.pipeline else { return status }
        let hub = pipeline.hub
        if configuration.preRoll != nil {
            let kept = hub.preRoll
            status.preRoll = .init(duration: kept.duration.seconds, bytes: Int64(kept.bytes))
        }
        let run = facts.run ?? facts.lastRun
        let files = facts.run == nil ? [:] : hub.files
        status.video = pipeline.video.map { video($0, run, files, facts) }
        status.audio = pipeline.audio.map { audio($0, run, files, facts) }
        status.syncOffset = pipeline.video == nil ? nil : pipeline.audio?.syncOffset
        guard let run else { return status }
        let newest = facts.run == nil ? nil : pipeline.newest
        status.segments = run.segments(files, newest: newest)
        let hasFile = facts.run != nil || run.hasSample
        status.file = hasFile ? run.location.path : nil
        status.started = Self.timestamp(run.startedAt)
        status.duration = run.duration(newest)
        status.bytes = run.bytes(files)
        status.marks = facts.marks
        status.disk = .init(free: foundations.freeSpace(run.location.directory), writeRate: facts.disk.writeRate)
        return status
    }

    /// The clock when any device last delivered something.
    var lastSampleAt: Int64? { facts.withLock { $0.pipeline }?.lastSampleAt }

    /// The process is finishing its last file. One that is armed goes on after a recording.
    func isEnding(_ status: RecordingStatus) -> Bool {
        if configuration.isArmed { return facts.withLock { $0.isQuitting } || status.state == .failed }
        return status.state == .stopping || status.state == .failed
    }

    func state(_ facts: Facts) -> RecordingStatus.State {
        if facts.hasFailed { return .failed }
        guard let run = facts.run else { return facts.isQuitting || !configuration.isArmed ? ended(facts) : .armed }
        if run.stopRequested != nil { return .stopping }
        if facts.pipeline?.isPaused == true { return .paused }
        return facts.pipeline?.start == nil ? .armed : .recording
    }

    /// Of a process that has nothing more to do, or nothing yet.
    private func ended(_ facts: Facts) -> RecordingStatus.State {
        facts.isQuitting || facts.lastRun != nil ? .stopping : .armed
    }

    /// What was captured of a track: while it is being recorded, what the device has given; then what the files account for.
    private func ledger(
        _ track: LiveTrack, _ run: RecordingRun?, _ files: [Int: any SegmentSink], _ facts: Facts
    ) -> Ledger {
        guard let run else { return Ledger() }
        var ledger = run.ledger(track.mediaType, files) + (facts.pipeline?.hub.dropped(track.mediaType) ?? Ledger())
        // The encoders of an armed process have worked before the recording and go on after it.
        if !configuration.isArmed { ledger.captured = track.ledger.captured }
        return ledger
    }

    private func video(
        _ track: LiveTrack, _ run: RecordingRun?, _ files: [Int: any SegmentSink], _ facts: Facts
    ) -> RecordingStatus.Video {
        let ledger = ledger(track, run, files, facts)
        let rates = facts.pipeline?.frameRates
        var video = RecordingStatus.Video(
            captured: ledger.captured, written: ledger.written, dropped: .init(ledger),
            frameRate: facts.closedIn == nil ? rates?.current : rates?.average, queueDepth: track.queueDepth,
            width: facts.video?.width, height: facts.video?.height)
        video.eased = ledger.eased
        video.effort = track.effort.map { .init(step: $0.step, steps: $0.steps, summary: $0.summary) }
        video.queueMemory = facts.videoBudget.map { Int64($0.bytes) }
        video.queueTime = facts.videoBudget?.duration.seconds
        let away = facts.pipeline?.awayFor(.video)
        video.present = away == nil
        video.awayFor = away.map { Double($0) / 1e9 }
        return video
    }

    private func audio(
        _ track: LiveTrack, _ run: RecordingRun?, _ files: [Int: any SegmentSink], _ facts: Facts
    ) -> RecordingStatus.Audio {
        let ledger = ledger(track, run, files, facts)
        let sound = facts.pipeline?.sound
        let gaps = track.filledGaps
        var audio = RecordingStatus.Audio(
            captured: ledger.captured, written: ledger.written, dropped: .init(ledger), gaps: Int64(gaps.count),
            gapSamples: gaps.frames, xruns: sound?.overruns, levelPeak: sound?.level?.peak,
            levelRMS: sound?.level?.rms, driftPPM: track.driftPPM, sampleRate: facts.audio?.sampleRate,
            channels: facts.audio?.channelCount)
        let away = facts.pipeline?.awayFor(.audio)
        audio.present = away == nil
        audio.awayFor = away.map { Double($0) / 1e9 }
        return audio
    }

    /// "2026-11-21T14:03:22+01:00"
    static func timestamp(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(timeZoneSeparator: .colon, timeZone: .current))
    }
}
