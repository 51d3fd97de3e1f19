import AssetIO
import CommandInterface
import Foundation
import MediaTypes
import RealTime
import Signing

/// What its owner asks of a session.
extension CaptureSession {
    /// When something is done that was asked for at a moment: what has passed cannot be changed any more.
    nonisolated func moment(_ asked: MediaTime?) -> MediaTime {
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        return asked.map { max($0, now) } ?? now
    }

    /// Ends the recording as of this moment, or one that comes. Any thread; returns at once.
    ///
    /// - Parameter quits: ends the session with it.
    /// - Returns: the recording that this ends, or that is ending.
    @discardableResult
    nonisolated func end(quits: Bool, at asked: MediaTime? = nil) -> RecordingRun? {
        let now = moment(asked).nanoseconds
        // In this order: a recording that begins meanwhile looks whether it is to end.
        if quits { quit.set(now) }
        let (run, pipeline) = (snapshot.run, snapshot.pipeline)
        // Not by way of the actor: the next picture may be on its way already. While the devices are still being opened
        // there is no pipeline; the actor looks when it is there.
        if run?.requestStop(at: now) == true { pipeline?.stop(at: MediaTime(nanoseconds: now)) }
        notify.yield(.look)
        return run
    }

    /// An armed session is to begin a recording.
    ///
    /// - Throws: `invalidState` while another goes on, and unless it is armed.
    func accept(_ run: RecordingRun) throws(MediaError) {
        let (action, name) = ("cannot begin a recording", configuration.name)
        guard configuration.isArmed, quit.current == nil else {
            throw MediaError(
                .invalidState, action, reason: "\(name) is not waiting for one", wayOut: "--armed makes it wait")
        }
        guard state.run == nil else {
            throw MediaError(
                .invalidState, action, reason: "\(name) is recording already",
                wayOut: "`recorder split \(name)` begins another file")
        }
        state.run = run
        notify.yield(.begin(run))
    }

    /// Closes the file that is open, and begins the next.
    ///
    /// - Returns: what will say when it is whole.
    func split() throws(MediaError) -> Once<RecordingStatus.Segment?> {
        let pipeline = try recording("split")
        guard let number = pipeline.dispatcher.openSegment?.number, state.splits[number] == nil else {
            throw MediaError(
                .busy, "cannot split \(configuration.name)",
                reason: pipeline.isPaused ? "it is paused" : "its file is just being begun or closed",
                wayOut: "try again in a second")
        }
        let closed = Once<RecordingStatus.Segment?>()
        state.splits[number] = closed
        pipeline.dispatcher.cut()
        return closed
    }

    /// Takes over what can change while it runs.
    func adopt(_ new: RecordingConfiguration) -> [ConfigurationChange] {
        let changes = ConfigurationChange.between(state.settings, new)
        state.settings = ConfigurationChange.adopt(new, into: state.settings)
        hooks?.update(new.hooks)
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        if let pipeline { pipeline.dispatcher.setLimits(files.limits(), at: pipeline.moment(of: now)) }
        return changes
    }

    /// Writes the last so much of what is kept in memory into a file of its own, beside everything else.
    nonisolated func save(
        last duration: MediaTime?, to path: String?
    ) async throws(MediaError) -> RecordingStatus.Segment {
        let action = "cannot save the pre-roll of \(configuration.name)"
        guard configuration.preRoll != nil, let pipeline = snapshot.pipeline else {
            throw MediaError(
                .invalidState, action, reason: "none is kept", wayOut: "--pre-roll 30s keeps the last thirty seconds")
        }
        guard let kept = pipeline.dispatcher.keptPackets(last: duration) else {
            throw MediaError(.invalidState, action, reason: "nothing was captured yet")
        }
        let created = files.wallClock(at: kept.opening.start, of: pipeline)
        let saved = SavedPlace(settings, output: path, created: created, files)
        let result = Once<MediaError?>()
        // A recording of its own.
        let signer = snapshot.signer.map { RecordingSigner(like: $0) }
        let file = foundations.makeFile(
            kept.opening,
            files.plan(
                saved.place, created: created, clock: files.clock(at: kept.opening.start, of: pipeline),
                hasVideo: kept.opening.video != nil, signer)
        ) { event in
            switch event {
            case .finished: result.set(nil)
            case .failed(let error), .cutShort(let error): result.set(error)
            case .moved(let path): if let path { saved.note(path) }
            case .renamed(let path): saved.note(path)
            case .opened, .began, .trackFailed, .waiting, .copy: break
            }
        }
        for packet in kept.packets { file.append(packet) }
        file.finish(at: kept.end)
        let error = await result.value()
        // What could not be saved as a whole the next start repairs.
        if error == nil, let entered = saved.entered { files.leave(entered) }
        if let mirrored = saved.mirrored, file.copies.allSatisfy({ $0.condition == .whole }) {
            files.mirrored?.leave(mirrored)
        }
        if let error { throw error }
        return RecordingStatus.Segment(
            file: saved.path, started: TimestampText.text(created), duration: (kept.end - kept.opening.start).seconds,
            bytes: file.bytesWritten)
    }

    /// The pipeline of the recording that is going on.
    ///
    /// - Throws: `invalidState` without one.
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
            wayOut: "`recorder start \(configuration.name)` begins it")
    }
}
