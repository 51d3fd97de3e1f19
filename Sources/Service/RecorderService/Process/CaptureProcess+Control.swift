import AssetIO
import CommandInterface
import Foundation
package import MediaTypes
import RealTime
package import RecorderControl
package import RecorderStorage

extension CaptureProcess: RecordingControl {
    /// The current status. Reading it queries the free space of the file system.
    package var status: RecordingStatus { session.status }

    package var metrics: RecorderMetrics {
        let (status, state) = (status, session.snapshot)
        let (pipeline, latencies) = (state.pipeline, session.context.latencies)
        var metrics = RecorderMetrics(status)
        metrics.cameraLosses = pipeline?.timesLost(.video) ?? 0
        metrics.microphoneLosses = pipeline?.timesLost(.audio) ?? 0
        metrics.audioQueueDepth = pipeline?.audio?.queueDepth ?? 0
        metrics.segmentsFinished = state.filesFinished
        metrics.clockUncertainty = session.foundations.wallError()
        metrics.appendLatency = latencies.append.histogram
        metrics.encodeLatency = latencies.encode.histogram
        metrics.writeLatency = latencies.write.histogram
        metrics.syncLatency = latencies.sync.histogram
        return metrics
    }

    package var levels: RecordingLevels {
        let state = session.snapshot
        let pipeline = state.pipeline
        let newest = state.run == nil ? nil : pipeline?.newest
        let level = pipeline?.audioMeter?.level
        return RecordingLevels(
            state: session.state(of: state), duration: (state.run ?? state.lastRun)?.duration(newest),
            levelPeak: level?.peak, levelRMS: level?.rms, frameRate: pipeline?.frameRates.current)
    }

    package func record(at moment: MediaTime?) async throws(MediaError) -> RecordingStatus {
        let now = session.foundations.wallClock()
        // This is done outside the actor, because a disk that hangs must not block other requests.
        let location = try session.files.location(settings, now: now, numbersTaken: true)
        let run = RecordingRun(settings, first: location, now: now, start: moment)
        try await session.accept(run)
        if let failure = await run.hasBegun.value() { throw failure.error }
        return status
    }

    package func stop(disarms: Bool, at moment: MediaTime?) async throws(MediaError) -> RecordingStatus {
        let ends = disarms || !configuration.staysArmed
        let run = session.end(quits: ends, at: moment)
        guard ends else {
            guard let run else { throw session.notRecording("stop") }
            return await run.outcome.value().status
        }
        let status = await finished().status
        // If an earlier recording exists, its end was already reported.
        return run == nil && configuration.isArmed ? status.withoutRecording : status
    }

    package func pause(at moment: MediaTime?) throws(MediaError) -> RecordingStatus {
        let pipeline = try session.recording("pause")
        guard pipeline.pause(at: session.moment(moment)) else {
            throw MediaError(.invalidState, "cannot pause \(configuration.name)", reason: "it is already paused")
        }
        Task { [session] in await session.pauseBegan() }
        return status
    }

    package func resume(at moment: MediaTime?) throws(MediaError) -> RecordingStatus {
        let pipeline = try session.recording("resume")
        guard pipeline.resume(at: session.moment(moment)) else {
            throw MediaError(.invalidState, "cannot resume \(configuration.name)", reason: "it is not paused")
        }
        return status
    }

    package func split() async throws(MediaError) -> RecordingStatus.Segment {
        let closed = try await session.split()
        guard let segment = await closed.value() else {
            if let run = session.snapshot.run, run.stopRequested == nil {
                throw MediaError(
                    .invalidState, "cannot split \(configuration.name)",
                    reason: "it was paused before the file could end",
                    wayOut: "`recorder resume \(configuration.name)` continues in the next file")
            }
            throw MediaError(
                .ioFailure, "cannot split \(configuration.name)", reason: status.error ?? "the recording has ended")
        }
        return segment
    }

    package func save(
        last duration: MediaTime?, to path: String?
    ) async throws(MediaError) -> RecordingStatus.Segment {
        try await session.save(last: duration, to: path)
    }

    package func mark(_ title: String, at moment: MediaTime?) throws(MediaError) {
        let pipeline = try session.recording("mark")
        let now = MediaTime(nanoseconds: session.clock.nanoseconds)
        pipeline.dispatcher.addChapter(title, at: pipeline.moment(of: min(moment ?? now, now)))
        session.snapshot.run?.recordMark()
    }

    package func snapshot(_ format: StillImageFormat) async throws(MediaError) -> MediaData {
        let action = "cannot take a snapshot with \(configuration.name)"
        guard let pipeline = session.snapshot.pipeline, pipeline.video != nil else {
            throw MediaError(.invalidState, action, reason: "it has no camera")
        }
        let sample = try await pipeline.newestFrame(action)
        let encoded = await blockingCall("snapshot") {
            Result { () throws(MediaError) in try sample.stillImage(format) }
        }
        return try encoded.get()
    }

    package func watch(limit: Int) throws(MediaError) -> (watch: LiveWatch, formats: [FormatDescription]) {
        let pipeline = try openPipeline()
        pipeline.wake()
        let wallClock = wallClock(of: pipeline, speed: pipeline.timeLapse?.speed ?? 1) { $0.moment(of: $1) }
        return pipeline.dispatcher.watch(limit: limit, wallClock: wallClock)
    }

    package func watchSubstream(limit: Int) throws(MediaError) -> (watch: LiveWatch, formats: [FormatDescription]) {
        let action = "cannot show the sub-stream of \(configuration.name)"
        let pipeline = try openPipeline()
        guard let subStream = pipeline.subStream else {
            throw MediaError(
                .invalidState, action, reason: "it has no sub-stream", wayOut: "start it with --substream 320x180@5")
        }
        if let codec = pipeline.video?.source.video?.codec, codec.hasDependentFrames {
            throw MediaError(
                .unsupported, action, reason: "the camera's \(codec.title) is stored without decoding",
                wayOut: "record with --pixel-format mjpeg, or watch the main stream")
        }
        return try subStream.watch(
            limit: limit, wallClock: wallClock(of: pipeline, speed: 1) { $0.recordingTime(of: $1) })
    }

    private func openPipeline() throws(MediaError) -> LivePipeline {
        guard let pipeline = session.snapshot.pipeline else {
            throw MediaError(
                .deviceLost, "cannot show \(configuration.name)", reason: "its devices are not open yet",
                wayOut: "try again in a moment")
        }
        return pipeline
    }

    /// Returns a function that converts a time of a stream to seconds since 1970.
    ///
    /// - Parameters:
    ///   - speed: How many times faster the stream plays than it was captured.
    ///   - moment: Converts a time of the devices' clock to a time of the stream.
    private func wallClock(
        of pipeline: LivePipeline, speed: Double,
        _ moment: @escaping @Sendable (LivePipeline, MediaTime) -> MediaTime
    ) -> @Sendable (MediaTime) -> Double? {
        let (clock, wallClock) = (session.clock, session.foundations.wallClock)
        return { [weak pipeline] time in
            guard let pipeline else { return nil }
            let age = moment(pipeline, MediaTime(nanoseconds: clock.nanoseconds)) - time
            return wallClock().timeIntervalSince1970 - age.seconds * speed
        }
    }

    package func reload() async throws(MediaError) -> [String] {
        guard let reloader else {
            throw MediaError(
                .invalidState, "cannot reload the configuration",
                reason: "\(configuration.name) was started without a configuration file")
        }
        let read = await blockingCall("reload") { Result { () throws(RecordingFailure) in try reloader() } }
        switch read {
        case .failure(let failure):
            log.error("\(failure.error)")
            throw failure.error
        case .success(let new):
            let changes: [String]
            do throws(MediaError) {
                changes = try await session.adopt(new).map(\.description)
            } catch {
                log.error("\(error)")
                throw error
            }
            log.notice("\(changes.isEmpty ? "no changes" : changes.joined(separator: "; "))")
            return changes
        }
    }
}

extension SampleBuffer {
    /// Encodes the frame as an image file. Blocks while it is decoded and encoded.
    fileprivate func stillImage(_ format: StillImageFormat) throws(MediaError) -> MediaData {
        switch content {
        case .pixels(let frame): return try frame.encoded(as: format)
        case .data(let data):
            if self.format.video?.codec == .mjpeg {
                if format == .jpeg { return data }
                return try PixelBuffer.decoding(jpeg: data, of: self.format).encoded(as: format)
            }
            return try PixelBuffer.decoding(keyframe: self).encoded(as: format)
        }
    }
}
