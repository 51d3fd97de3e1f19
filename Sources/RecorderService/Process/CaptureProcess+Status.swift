import Foundation
import MediaTypes

extension CaptureProcess {
    /// What is known about the recording, behind the process's lock.
    struct Facts {
        var state = RecordingStatus.State.armed
        var location: OutputLocation?
        var startedAt: Date?
        var sink: (any MovieSink)?
        var joiner: SessionJoiner?
        var video: VideoFormat?
        var audio: AudioFormat?
        var disk = DiskSpace()
        /// The monotonic clock when somebody or something asked for the end.
        var stopRequested: Int64?
        var closedIn: Double?
        var error: String?
    }

    /// How things stand. Any thread; asks the file system for its free space.
    public var status: RecordingStatus {
        let facts = facts.withLock { $0 }
        var status = RecordingStatus(name: configuration.name.description, state: facts.state)
        status.error = facts.error
        status.closedIn = facts.closedIn
        guard let sink = facts.sink, let joiner = facts.joiner, let location = facts.location else { return status }
        status.file = location.path
        status.started = facts.startedAt.map(Self.timestamp)
        status.duration = joiner.recorded?.seconds
        status.bytes = sink.bytesWritten
        status.segments = [
            .init(file: location.path, started: status.started, duration: status.duration, bytes: status.bytes)
        ]
        status.video = sink.video.map { track in
            let ledger = track.ledger
            let rates = joiner.frameRates
            return RecordingStatus.Video(
                captured: ledger.captured, written: ledger.written, dropped: .init(ledger),
                frameRate: facts.closedIn == nil ? rates.current : rates.average, queueDepth: track.queueDepth,
                width: facts.video?.width, height: facts.video?.height)
        }
        status.audio = sink.audio.map { track in
            let ledger = track.ledger
            let sound = joiner.sound
            let gaps = track.filledGaps
            return RecordingStatus.Audio(
                captured: ledger.captured, written: ledger.written, dropped: .init(ledger), gaps: Int64(gaps.count),
                gapSamples: gaps.frames, xruns: sound?.overruns, levelPeak: sound?.level?.peak,
                levelRMS: sound?.level?.rms,
                driftPPM: nil, sampleRate: facts.audio?.sampleRate,
                channels: facts.audio?.channelCount)
        }
        status.disk = .init(free: DiskSpace.free(at: location.directory), writeRate: facts.disk.writeRate)
        return status
    }

    /// "2026-11-21T14:03:22+01:00"
    static func timestamp(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(timeZoneSeparator: .colon, timeZone: .current))
    }
}
