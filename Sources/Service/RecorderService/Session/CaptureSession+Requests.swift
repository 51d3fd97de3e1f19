import AssetIO
import CommandInterface
import Foundation
import MediaCodecs
import MediaTypes
import RealTime
import RecorderStorage
import Signing

/// Requests that the user sends to a session.
extension CaptureSession {
    /// Returns the time at which to carry out a request: the requested time, but not before now. If that is later, the
    /// other recorders of the request may already have carried it out.
    nonisolated func moment(_ asked: MediaTime?) -> MediaTime {
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        guard let asked, asked < now else { return asked ?? now }
        let late = ((now - asked).seconds * 100).rounded() / 100
        log.warning("a request for several recorders came late; it takes effect \(late) s after the common time")
        return now
    }

    /// Ends the recording now, or at a later time. Can be called from any thread; returns at once.
    ///
    /// - Parameter quits: True to end the session, too.
    /// - Returns: The recording that ends because of this call, or that is ending already.
    @discardableResult
    nonisolated func end(quits: Bool, at asked: MediaTime? = nil) -> RecordingRun? {
        let now = moment(asked).nanoseconds
        // `quit` is set first, because a recording that begins at this moment checks `quit`.
        if quits { quit.set(now) }
        let (run, pipeline) = (snapshot.run, snapshot.pipeline)
        // The pipeline is stopped without waiting for the actor, because the next frame may arrive at any time. There
        // is no pipeline while the devices are being opened. Once the pipeline exists, the actor checks whether a stop
        // was requested.
        if run?.requestStop(at: now) == true { pipeline?.stop(at: MediaTime(nanoseconds: now)) }
        notices.send(.look)
        return run
    }

    /// Begins a recording in an armed session.
    ///
    /// - Throws: `invalidState` if a recording is in progress, or if the session is not armed.
    func accept(_ run: RecordingRun) throws(MediaError) {
        let (action, name) = ("cannot start a recording", configuration.name)
        guard configuration.isArmed, quit.current == nil else {
            throw MediaError(
                .invalidState, action, reason: "\(name) is not armed", wayOut: "start it with --armed")
        }
        guard state.run == nil else {
            throw MediaError(
                .invalidState, action, reason: "\(name) is already recording",
                wayOut: "`recorder split \(name)` starts the next file")
        }
        state.run = run
        notices.send(.begin(run))
    }

    /// Closes the open file and begins the next one.
    ///
    /// - Returns: A value that is set when the closed file is finalized.
    func split() throws(MediaError) -> Once<RecordingStatus.Segment?> {
        let pipeline = try recording("split")
        // No keyframe comes until the resume, so the file would not end before.
        guard !pipeline.isPaused else {
            throw MediaError(
                .invalidState, "cannot split \(configuration.name)", reason: "it is paused",
                wayOut: "run `recorder resume \(configuration.name)` first")
        }
        guard let number = pipeline.dispatcher.openSegment?.number, state.splits[number] == nil else {
            throw MediaError(
                .busy, "cannot split \(configuration.name)",
                reason: "its file is being opened or closed", wayOut: "try again in a second")
        }
        let closed = Once<RecordingStatus.Segment?>()
        state.splits[number] = closed
        pipeline.dispatcher.cut()
        return closed
    }

    /// Ends the wait for a split if the recording was paused before the keyframe that the split needs. The file then ends
    /// at the resume.
    func pauseBegan() {
        guard let pipeline, pipeline.isPaused, let number = pipeline.dispatcher.openSegment?.number else { return }
        state.splits.removeValue(forKey: number)?.set(nil)
    }

    /// Adopts the settings that can change while a recording is in progress.
    ///
    /// - Throws: An error if this recording cannot have the new masks or the new stamp. Then no setting is adopted.
    func adopt(_ new: RecordingConfiguration) async throws(MediaError) -> [ConfigurationChange] {
        let stamp = try await painter(of: new.frameStage.stamp)
        let changes = ConfigurationChange.between(state.settings, new)
        let settings = ConfigurationChange.adopt(new, into: state.settings)
        try checkFrameStage(of: settings)
        let former = state.settings.frameStage
        let last = context.stage.change(to: settings.frameStage, stamp: stamp)
        state.settings = settings
        hooks?.update(new.hooks)
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        if let pipeline { pipeline.dispatcher.setLimits(files.limits(), at: pipeline.moment(of: now)) }
        // Must follow `setLimits`, which replaces earlier requests for keyframes.
        if (former.masks, former.maskStyle) != (settings.frameStage.masks, settings.frameStage.maskStyle) {
            pipeline?.masksChanged(after: last)
        }
        return changes
    }

    /// Loads the font of a new stamp. Returns nil if the stamp does not change.
    private func painter(of stamp: FrameStamp) async throws(MediaError) -> StampPainter? {
        guard stamp.isActive, stamp != state.settings.frameStage.stamp else { return nil }
        let name = configuration.name.description
        let loaded = await blockingCall("load-font") {
            Result { () throws(MediaError) in try StampPainter(stamp, name: name) }
        }
        return try loaded.get()
    }

    /// Checks that new masks and a new stamp can be applied to the frames of this recording.
    private func checkFrameStage(of settings: RecordingConfiguration) throws(MediaError) {
        guard settings.frameStage != state.settings.frameStage, settings.frameStage.isActive else { return }
        func refusal(_ code: MediaError.Code, _ reason: String) -> MediaError {
            MediaError(
                code, "cannot change the masks or the stamp of \(configuration.name) while it runs", reason: reason,
                wayOut: "run `recorder stop \(configuration.name)`, then start it again")
        }
        do throws(OptionError) { try settings.validateFrameStage() } catch {
            throw refusal(.invalidSettings, error.description)
        }
        guard let format = devices.camera?.format else { return }
        do throws(MediaError) { _ = try CameraStage.recorded(format, settings.frameStage) } catch {
            throw refusal(error.code, error.reason)
        }
    }

    /// Saves the last part of the pre-roll in a separate file. The recording continues meanwhile.
    nonisolated func save(
        last duration: MediaTime?, to path: String?
    ) async throws(MediaError) -> RecordingStatus.Segment {
        let action = "cannot save the pre-roll of \(configuration.name)"
        guard configuration.preRoll != nil, let pipeline = snapshot.pipeline else {
            throw MediaError(
                .invalidState, action, reason: "it has no pre-roll",
                wayOut: "start it with --pre-roll 30s to keep the last 30 s")
        }
        guard let kept = pipeline.dispatcher.keptPackets(last: duration) else {
            throw MediaError(.invalidState, action, reason: "nothing was captured yet")
        }
        let created = files.wallClock(at: kept.opening.start, of: pipeline)
        let saved = SavedPlace(settings, output: path, created: created, files)
        let result = Once<MediaError?>()
        // The saved file counts as a separate recording, so it gets its own signer.
        let signer = snapshot.signature.signer.map { RecordingSigner(like: $0) }
        let file = foundations.makeFile(
            kept.opening,
            files.plan(
                saved.place, created: created, clock: files.clock(at: kept.opening.start, of: pipeline),
                start: kept.opening.start, hasVideo: kept.opening.video != nil, signer)
        ) { event in
            switch event {
            case .finished: result.set(nil)
            case .failed(let error), .cutShort(let error): result.set(error)
            case .moved(let path): if let path { saved.record(path) }
            case .renamed(let path): saved.record(path)
            case .opened, .began, .trackFailed, .waiting, .mirroredFile: break
            }
        }
        for packet in kept.packets { file.append(packet) }
        file.finish(at: kept.end)
        let error = await result.value()
        // If saving failed, the file remains listed, and the next start repairs it.
        if error == nil, let entered = saved.entered { files.leave(entered) }
        if let mirrored = saved.mirrored, file.mirroredFiles.allSatisfy({ $0.condition == .whole }) {
            files.mirrored?.leave(mirrored)
        }
        if let error { throw error }
        return RecordingStatus.Segment(
            file: saved.path, started: TimestampText.text(created), duration: (kept.end - kept.opening.start).seconds,
            bytes: file.bytesWritten)
    }

    /// The pipeline of the recording in progress.
    ///
    /// - Throws: `invalidState` if nothing is being recorded.
    nonisolated func recording(_ action: String) throws(MediaError) -> LivePipeline {
        let state = snapshot
        guard let run = state.run, let pipeline = state.pipeline, run.stopRequested == nil, pipeline.start != nil else {
            throw notRecording(action)
        }
        return pipeline
    }

    nonisolated func notRecording(_ action: String) -> MediaError {
        MediaError(
            .invalidState, "cannot \(action) \(configuration.name)", reason: "it is not recording",
            wayOut: "`recorder start \(configuration.name)` starts it")
    }
}
