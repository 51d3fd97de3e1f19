import CommandInterface
import Foundation
import MediaTypes
import RecorderStorage

/// The beginning of a recording, and the notices of its devices.
extension CaptureSession {
    func begin(_ run: RecordingRun) throws(RecordingFailure) {
        let largest = files.places(of: run.location).compactMap { foundations.largestFile($0.directory) }.min()
        progress.begin()
        let signer = makeSigner()
        update { state in
            state.signature.signer = signer
            state.largestFile = largest
            state.run = run
            state.error = nil
            state.warning = nil
            state.closedIn = nil
            state.disk = DiskSpace()
        }
        pipeline?.wake()
        // A stop may have been requested while the devices were being opened, or before an armed process began the
        // recording. It had no effect, because the pipeline had no recording yet. The same holds for a stop that is
        // requested during this call.
        pipeline?.begin(
            duration: configuration.duration, preRoll: configuration.preRoll, at: run.wantedStart,
            stop: stopRequest(of: run), limits: files.limits(), accounts: run.accounts)
        if let asked = stopRequest(of: run) { pipeline?.stop(at: asked) }
    }

    /// Returns the time of the first request to stop a recording; nil if there was none. A request to end the session
    /// also stops the recording.
    private func stopRequest(of run: RecordingRun) -> MediaTime? {
        if let asked = quit.current { _ = run.requestStop(at: asked) }
        return run.stopRequested.map { MediaTime(nanoseconds: $0) }
    }

    func handle(_ notice: SessionNotices.Notice) async {
        switch notice {
        case .pipeline(let notice): await handle(notice)
        case .dispatcher(.ended): progress.end.recordDispatched()
        case .dispatcher(.segment(let number, let event)): await handle(event, of: number)
        case .begin(let run): await record(run)
        case .tick: tick()
        case .look: break
        }
    }

    /// Begins a recording in an armed process.
    func record(_ run: RecordingRun) async {
        guard !isStopped(run) else { return conclude(run) }
        do throws(RecordingFailure) {
            if let error = await refusal(of: run.location) { throw RecordingFailure(.output, error) }
            try begin(run)
        } catch {
            run.fail(error)
            state.run = nil
            run.hasBegun.set(error)
            run.outcome.set(SessionOutcome(status: status, failure: error))
        }
    }

    /// Returns true if a recording was stopped before its first sample.
    private func isStopped(_ run: RecordingRun) -> Bool {
        guard let asked = stopRequest(of: run) else { return false }
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        let start = run.wantedStart ?? now - (configuration.preRoll ?? .zero)
        return asked <= max(start, pipeline?.start ?? now)
    }

    func handle(_ notice: LivePipeline.Notice) async {
        switch notice {
        case .endIsNearer: break
        case .sessionStarted:
            if configuration.isArmed { await reportStart(nil) }
        case .away(let type, let error, let isNews):
            let device = devices.summary(of: type)
            recordError(error, LoggedEvent.hook(.deviceLost).fields(device: device, error: error.description))
            guard isNews else { return }
            hooks?.run(.deviceLost, HookInfo(device: device, error: error.description))
        case .back(let type, let summary):
            log.notice("reconnected: \(summary)", metadata: LoggedEvent.hook(.deviceFound).fields(device: summary))
            update { state in
                state.error = nil
                if type == .video {
                    state.tracks.video = recordedVideo
                } else {
                    state.tracks.audio = devices.microphone?.format.audio
                }
            }
            if type == .video {
                damage.recordReturn()
                currentRun?.recordReconnect()
            }
            devices.recordReturn(of: type)
            hooks?.run(.deviceFound, HookInfo(device: summary))
        case .encoderRefused(let type, let error):
            guard let track = type == .video ? pipeline?.video : pipeline?.audio else { return }
            let proof = EncoderProof { [weak track] format in track?.canEncode(format) ?? true }
            devices.keeper(of: type)?.reject(error) { proof.isGiven(by: $0) }
        case .trackFailed(let type, let error):
            recordError(error)
            let tracks = [pipeline?.video, pipeline?.audio].compactMap(\.self).map(\.mediaType)
            if devices.recordFailure(of: type, among: tracks) { stop(RecordingFailure(.recording, error)) }
        }
    }

    /// Discards a recording that failed before it began.
    func discard(_ run: RecordingRun?) async {
        guard let run else { return }
        for file in dispatcher?.files.values ?? [:].values { file.cancel() }
        run.removeMadeDirectories()
    }
}
