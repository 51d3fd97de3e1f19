import AssetIO
import Foundation
public import MediaTypes

extension CaptureProcess: RecordingControl {
    public var metrics: RecorderMetrics {
        let status = status
        let (pipeline, filesFinished) = facts.withLock { ($0.pipeline, $0.filesFinished) }
        var metrics = RecorderMetrics()
        metrics.state = status.state
        metrics.video = status.video.map { video in
            var track = RecorderMetrics.Track()
            track.captured = video.captured
            track.written = video.written
            track.dropped = video.dropped
            track.queueDepth = video.queueDepth ?? 0
            track.eased = video.eased ?? 0
            track.effortStep = video.effort?.step
            track.timesLost = pipeline?.timesLost(.video) ?? 0
            track.isPresent = video.present ?? true
            return track
        }
        metrics.audio = status.audio.map { audio in
            var track = RecorderMetrics.Track()
            track.captured = audio.captured
            track.written = audio.written
            track.dropped = audio.dropped
            track.queueDepth = pipeline?.audio?.queueDepth ?? 0
            track.gaps = audio.gaps ?? 0
            track.gapSamples = audio.gapSamples ?? 0
            track.timesLost = pipeline?.timesLost(.audio) ?? 0
            track.isPresent = audio.present ?? true
            return track
        }
        metrics.driftPPM = status.audio?.driftPPM
        metrics.syncOffset = status.syncOffset
        metrics.diskFree = status.disk?.free
        metrics.bytesWritten = status.bytes ?? 0
        metrics.segmentsFinished = filesFinished
        metrics.appendLatency = latencies.append.histogram
        metrics.encodeLatency = latencies.encode.histogram
        metrics.writeLatency = latencies.write.histogram
        metrics.syncLatency = latencies.sync.histogram
        metrics.preRollBytes = status.preRoll?.bytes ?? 0
        return metrics
    }

    public var levels: RecordingLevels {
        let facts = facts.withLock { $0 }
        let pipeline = facts.pipeline
        let newest = facts.run == nil ? nil : pipeline?.newest
        return RecordingLevels(
            state: state(facts), duration: (facts.run ?? facts.lastRun)?.duration(newest),
            level: pipeline?.sound?.level, frameRate: pipeline?.frameRates.current)
    }

    public func record() async throws(MediaError) -> RecordingStatus {
        let action = "cannot begin a recording"
        let now = foundations.wallClock()
        let location = try OutputLocation.resolve(settings, now: now, numbersTaken: true)
        let run = RecordingRun(settings, first: location, now: now, begunAt: clock.nanoseconds)
        try facts.withLock { facts throws(MediaError) in
            guard configuration.isArmed, !facts.isQuitting else {
                throw MediaError(
                    .invalidState, action, reason: "\(configuration.name) is not waiting for one",
                    wayOut: "--armed makes it wait")
            }
            guard facts.run == nil else {
                throw MediaError(
                    .invalidState, action, reason: "\(configuration.name) is recording already",
                    wayOut: "`recorder split \(configuration.name)` begins another file")
            }
            facts.run = run
        }
        notify.yield(.begin(run))
        if let failure = await run.hasBegun.value() { throw failure.error }
        return status
    }

    public func stop(disarms: Bool) async throws(MediaError) -> RecordingStatus {
        let ends = disarms || !configuration.isArmed
        let run = end(quits: ends)
        guard ends else {
            guard let run else { throw notRecording("stop") }
            return await run.outcome.value().status
        }
        let status = await finished().status
        // What was recorded before has been told before.
        return run == nil && configuration.isArmed ? status.withoutRecording : status
    }

    public func pause() throws(MediaError) -> RecordingStatus {
        let pipeline = try recording("pause")
        guard pipeline.pause(at: MediaTime(nanoseconds: clock.nanoseconds)) else {
            throw MediaError(.invalidState, "cannot pause \(configuration.name)", reason: "it is paused already")
        }
        return status
    }

    public func resume() throws(MediaError) -> RecordingStatus {
        let pipeline = try recording("resume")
        guard pipeline.resume(at: MediaTime(nanoseconds: clock.nanoseconds)) else {
            throw MediaError(.invalidState, "cannot resume \(configuration.name)", reason: "it is not paused")
        }
        return status
    }

    public func split() async throws(MediaError) -> RecordingStatus.Segment {
        let pipeline = try recording("split")
        let closed = Once<RecordingStatus.Segment?>()
        // Asked before the lock: the hub asks for it while it holds its own.
        let open = pipeline.hub.openSegment?.number
        let isFirst = facts.withLock { facts in
            guard let number = open, facts.splits[number] == nil else { return false }
            facts.splits[number] = closed
            return true
        }
        guard isFirst else {
            throw MediaError(
                .busy, "cannot split \(configuration.name)",
                reason: pipeline.isPaused ? "it is paused" : "its file is just being begun or closed",
                wayOut: "try again in a second")
        }
        pipeline.hub.cut()
        guard let segment = await closed.value() else {
            throw MediaError(
                .ioFailure, "cannot split \(configuration.name)", reason: status.error ?? "the recording has ended")
        }
        return segment
    }

    public func save(
        last duration: MediaTime?, to path: String?
    ) async throws(MediaError) -> RecordingStatus.Segment {
        let action = "cannot save the pre-roll of \(configuration.name)"
        guard configuration.preRoll != nil, let pipeline = facts.withLock({ $0.pipeline }) else {
            throw MediaError(
                .invalidState, action, reason: "none is kept", wayOut: "--pre-roll 30s keeps the last thirty seconds")
        }
        guard let kept = pipeline.hub.keptPackets(last: duration) else {
            throw MediaError(.invalidState, action, reason: "nothing was captured yet")
        }
        let created = wallClock(at: kept.opening.start, of: pipeline)
        let saved = SavedPlace(settings, output: path, created: created, enter: enter)
        let result = Once<MediaError?>()
        let file = foundations.makeFile(
            kept.opening, plan(saved.place, created: created, hasVideo: kept.opening.video != nil)
        ) { event in
            switch event {
            case .finished: result.set(nil)
            case .failed(let error), .cutShort(let error): result.set(error)
            case .moved(let path): if let path { saved.note(path) }
            case .renamed(let path): saved.note(path)
            case .opened, .began, .trackFailed, .waiting: break
            }
        }
        for packet in kept.packets { file.append(packet) }
        file.finish(at: kept.end)
        let error = await result.value()
        if let entered = saved.entered { leave(entered) }
        if let error { throw error }
        return RecordingStatus.Segment(
            file: saved.path, started: Self.timestamp(created), duration: (kept.end - kept.opening.start).seconds,
            bytes: file.bytesWritten)
    }

    public func mark(_ title: String) throws(MediaError) {
        let pipeline = try recording("mark")
        pipeline.hub.addChapter(title, at: pipeline.moment(of: MediaTime(nanoseconds: clock.nanoseconds)))
        facts.withLock { $0.marks += 1 }
    }

    public func snapshot(_ format: StillImageFormat) async throws(MediaError) -> MediaData {
        let action = "cannot take a picture with \(configuration.name)"
        guard let pipeline = facts.withLock({ $0.pipeline }), pipeline.video != nil else {
            throw MediaError(.invalidState, action, reason: "it has no camera")
        }
        let picture = Once<SampleBuffer?>()
        pipeline.nextPicture { picture.set($0) }
        let patience = Task {
            try? await Task.sleep(for: .seconds(3))
            picture.set(nil)
        }
        defer { patience.cancel() }
        guard let sample = await picture.value() else {
            throw MediaError(.deviceLost, action, reason: "the camera gave none within 3 s")
        }
        let encoded = await blockingCall("snapshot") {
            Result { () throws(MediaError) in try sample.stillImage(format) }
        }
        return try encoded.get()
    }

    public func reload() async throws(MediaError) -> [String] {
        guard let reloader else {
            throw MediaError(
                .invalidState, "cannot reload the configuration",
                reason: "\(configuration.name) was started without a file")
        }
        let read = await blockingCall("reload") { Result { () throws(RecordingFailure) in try reloader() } }
        switch read {
        case .failure(let failure):
            log.error("\(failure.error)")
            throw failure.error
        case .success(let new):
            let changes = apply(new)
            log.notice("\(changes.isEmpty ? "the configuration is as it was" : changes.joined(separator: "; "))")
            return changes
        }
    }

    /// Takes over what can change while the process runs.
    ///
    /// - Returns: a line for each change.
    private func apply(_ new: RecordingConfiguration) -> [String] {
        let (changes, pipeline) = facts.withLock { facts in
            let changes = ConfigurationChange.between(facts.configuration, new)
            facts.configuration = ConfigurationChange.adopt(new, into: facts.configuration)
            return (changes, facts.pipeline)
        }
        hooks?.update(new.hooks)
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        if let pipeline { pipeline.hub.setLimits(limits(), at: pipeline.moment(of: now)) }
        return changes.map(\.description)
    }

    // MARK: -

    private func recording(_ action: String) throws(MediaError) -> LivePipeline {
        let (run, pipeline) = facts.withLock { ($0.run, $0.pipeline) }
        guard let run, let pipeline, run.stopRequested == nil, pipeline.start != nil else {
            throw notRecording(action)
        }
        return pipeline
    }

    private func notRecording(_ action: String) -> MediaError {
        MediaError(
            .invalidState, "cannot \(action) \(configuration.name)", reason: "it is not recording",
            wayOut: "`recorder start \(configuration.name)` begins it")
    }
}

extension SampleBuffer {
    /// The picture as a file of one. Blocks while it is decoded and encoded.
    fileprivate func stillImage(_ format: StillImageFormat) throws(MediaError) -> MediaData {
        switch content {
        case .pixels(let picture): return try picture.encoded(as: format)
        case .data(let data):
            if self.format.video?.codec == .mjpeg {
                if format == .jpeg { return data }
                return try PixelBuffer.decoding(jpeg: data, of: self.format).encoded(as: format)
            }
            throw MediaError(
                .unsupported, "cannot take a picture", reason: "the camera gives H.264, which is stored as it comes",
                wayOut: "`recorder save`, then `recorder frames`, gives one")
        }
    }
}
