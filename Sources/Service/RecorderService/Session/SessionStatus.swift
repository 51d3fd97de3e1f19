import CommandInterface
import Foundation
import MediaTypes
import NetworkCapture
import RecorderStorage

/// Computes the status of a session from one of its published states. Thread-safe.
struct SessionStatus {
    let context: SessionContext
    let catalogues: SessionCatalogues
    /// True if the recordings are on two disks.
    let isMirrored: Bool
    let now: SessionState

    private var configuration: RecordingConfiguration { context.configuration }

    /// The status for the given state. Reading it queries the free space of the file system.
    var status: RecordingStatus {
        var status = RecordingStatus(name: configuration.name.description, state: state)
        status.group = configuration.group
        // A finalized recording needs no repair, so this is no error of its end.
        let isGrowing = status.state == .recording || status.state == .paused
        status.error = now.error ?? (isGrowing ? catalogues.problem : nil)
        status.warning = now.warning
        status.closedIn = now.closedIn
        status.retention = catalogues.account(now.settings.retention)
        status.kept = catalogues.kept
        status.copies = catalogues.account(now.settings.copies)
        status.network = context.reception().map(Self.network)
        guard let pipeline = now.pipeline else { return status }
        let dispatcher = pipeline.dispatcher
        if configuration.preRoll != nil {
            let kept = dispatcher.preRoll
            status.preRoll = .init(duration: kept.duration.seconds, bytes: Int64(kept.bytes))
        }
        let run = now.run ?? now.lastRun
        let files = now.run == nil ? [:] : dispatcher.files
        status.substream = pipeline.subStream.map { substream in
            let (settings, figures) = (substream.settings, substream.figures)
            return RecordingStatus.Substream(
                width: settings.size.width, height: settings.size.height,
                frameRate: settings.frameRate.framesPerSecond, viewers: figures.viewers, dropped: figures.dropped)
        }
        status.video = pipeline.video.map { video($0, run) }
        status.audio = pipeline.audio.map { audio($0, run) }
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
        if isMirrored, let newest = files.max(by: { $0.key < $1.key })?.value {
            status.mirror = newest.mirroredFiles.map { file in
                .init(
                    file: file.path, state: file.condition.rawValue, missing: Int64(clamping: file.missing),
                    error: file.error?.description)
            }
        }
        status.disk = .init(
            free: context.foundations.freeSpace(run.location.directory), writeRate: now.disk.writeRate)
        return status
    }

    var state: RecordingStatus.State {
        if now.hasFailed { return .failed }
        guard let run = now.run else { return now.isQuitting || !configuration.isArmed ? ended : .armed }
        if run.stopRequested != nil { return .stopping }
        if now.pipeline?.isPaused == true { return .paused }
        return now.pipeline?.start == nil ? .starting : .recording
    }

    /// The state of a process without a current recording.
    private var ended: RecordingStatus.State {
        now.isQuitting || now.lastRun != nil ? .stopping : .starting
    }

    /// Returns the drop counts of a track. `captured` includes frames that wait for their encoder. In an armed process
    /// only the frames of the recording count.
    private func ledger(_ track: LiveTrack, _ run: RecordingRun?) -> Ledger {
        guard let run else { return Ledger() }
        // The recording's account is read before the track's count, so that the count includes every frame of the
        // account.
        var ledger = run.accounts[track.mediaType].ledger
        // In an armed process the encoders also work before and after the recording.
        if !configuration.isArmed { ledger.captured = track.ledger.captured }
        return ledger
    }

    private static func network(_ figures: ReceptionFigures) -> RecordingStatus.Network {
        func stream(_ counts: ReceptionFigures.Stream) -> RecordingStatus.Network.Stream {
            RecordingStatus.Network.Stream(
                packets: counts.packets, lost: counts.lost, late: counts.late, duplicates: counts.duplicates,
                driftPPM: counts.driftPPM)
        }
        return RecordingStatus.Network(
            video: figures.video.map(stream), audio: figures.audio.map(stream), clockNotices: figures.clockNotices)
    }

    private func video(_ track: LiveTrack, _ run: RecordingRun?) -> RecordingStatus.Video {
        let ledger = ledger(track, run)
        let rates = now.pipeline?.frameRates
        var video = RecordingStatus.Video(ledger)
        video.paused = ledger[dropped: .paused]
        video.repeated = ledger[dropped: .repeated]
        video.frameRate = now.closedIn == nil ? rates?.current : rates?.average
        video.queueDepth = track.queueDepth
        video.width = now.tracks.video?.width
        video.height = now.tracks.video?.height
        video.eased = ledger.eased
        video.effort = track.effort.map { .init(step: $0.step, steps: $0.steps, summary: $0.summary) }
        video.queueMemory = now.tracks.videoBudget.map { Int64($0.bytes) }
        video.queueTime = now.tracks.videoBudget?.duration.seconds
        let away = now.pipeline?.awayFor(.video)
        video.present = away == nil
        video.awayFor = away.map { Double($0) / 1e9 }
        return video
    }

    private func audio(_ track: LiveTrack, _ run: RecordingRun?) -> RecordingStatus.Audio {
        let ledger = ledger(track, run)
        let audioMeter = now.pipeline?.audioMeter
        let gaps = track.filledGaps
        var audio = RecordingStatus.Audio(ledger)
        audio.paused = ledger[dropped: .paused]
        audio.gaps = Int64(gaps.count)
        audio.gapSamples = gaps.frames
        audio.xruns = audioMeter?.overruns
        audio.levelPeak = audioMeter?.level?.peak
        audio.levelRMS = audioMeter?.level?.rms
        audio.driftPPM = track.clock.driftPPM
        audio.sampleRate = now.tracks.audio?.sampleRate
        audio.channels = now.tracks.audio?.channelCount
        let away = now.pipeline?.awayFor(.audio)
        audio.present = away == nil
        audio.awayFor = away.map { Double($0) / 1e9 }
        return audio
    }
}
