import CommandInterface
import Foundation
import MediaTypes
import RealTime
import RecorderControl
import RecorderStorage

/// The end of a recording.
extension CaptureSession {
    /// Ends the recording now because of a failure.
    func stop(_ failure: RecordingFailure) {
        guard let run = currentRun else { return }
        run.fail(failure)
        let now = clock.nanoseconds
        if run.requestStop(at: now) { pipeline?.stop(at: MediaTime(nanoseconds: now)) }
    }

    /// Carries out every step of a recording's end that is possible now.
    func advance() async {
        guard let run = currentRun, let pipeline, let dispatcher else { return }
        // Both values are read at once, because they can change at any time. Each change causes another call of this
        // method.
        let (end, isEnded) = pipeline.ending
        if end != nil { run.recordEnding() }
        if !configuration.isArmed, let end {
            // Must be called before a track ends. Otherwise audio after the last frame would be treated as a recording
            // without a camera, which is split at the exact time of its limit. Repeated calls change nothing.
            dispatcher.end(at: end, whenTracksEnd: true)
            if let camera = devices.takeCamera() {
                await blockingCall("close-camera") { camera.stop() }
                pipeline.video?.finish()
            }
        }
        if isEnded, progress.end.begin() {
            if configuration.isArmed {
                progress.end.wait(until: clock.nanoseconds + Self.endPatience)
            } else {
                await closeDevices()
                pipeline.publishLosses()
                pipeline.finish()
            }
        }
        finishAgain(run)
        if progress.end.isDispatched { settleFailures(run) }
        if progress.end.isDispatched, !run.hasOpenFiles { conclude(run) }
    }

    /// Closes the failed files, whose drop counts are final by now.
    func settleFailures(_ run: RecordingRun) {
        for number in progress.failed.takeFailed() {
            let (entered, isEmpty) = (run.entered(number), run.isOpenAndEmpty(number))
            let file = dispatcher?.remove(number)
            _ = run.closed(number, file, isWhole: false)
            // A file with samples can be repaired, so only an empty one is removed.
            if let file, isEmpty { removeIfEmpty(file, entered) }
        }
        for (file, entered) in run.takeAbandoned() { removeIfEmpty(file, entered) }
    }

    private func removeIfEmpty(_ file: any RecordingFileSink, _ entered: String?) {
        let files = files
        guard file.discardEmpty(), let entered else { return }
        files.leave(entered)
    }

    func conclude(_ run: RecordingRun) {
        if !run.hasSample, run.failure == nil {
            let reason = Self.emptiness(run.accounts[.video].ledger)
            run.fail(RecordingFailure(.recording, MediaError(.cancelled, "nothing was recorded", reason: reason)))
        }
        let now = clock.nanoseconds
        update { state in
            if let failure = run.failure { state.error = failure.description }
            state.closedIn = run.stopRequested.map { Double(now - $0) / 1e9 }
            state.hasFailed = run.failure != nil && !configuration.staysArmed
        }
        var status = status
        if !run.hasSample { run.removeMadeDirectories() }
        update { state in
            state.lastRun = run
            state.run = nil
            for split in state.splits.values { split.set(nil) }
            state.splits = [:]
        }
        // From here on an armed process waits again, and the status must show that.
        status.state = state(of: snapshot)
        pipeline?.forget()
        // The next recording is current as soon as it is accepted, and a notice may be handled before it begins. With
        // the progress of this recording, the next one would end at once.
        progress.end = EndProgress()
        if configuration.isArmedOnce { quit.set(now) }
        reportEnd(of: run, status)
        if !configuration.staysArmed { failure = run.failure }
        run.hasBegun.set(run.failure)
        run.outcome.set(SessionOutcome(status: status, failure: run.failure))
    }

    /// Returns the reason why a recording that was stopped has no samples.
    private static func emptiness(_ video: Ledger) -> String {
        let damaged = video[dropped: .corrupt]
        guard damaged > 0, damaged == video.captured else { return "it was stopped before the first frame arrived" }
        return "none of the \(damaged) captured frames can be decoded"
    }

    /// Reports the end of a recording in the log and to the user's hook.
    private func reportEnd(of run: RecordingRun, _ status: RecordingStatus) {
        let (file, error) = (run.hasSample ? status.file : nil, run.failure?.description)
        let fields = LoggedEvent.hook(.stop).fields(
            file: file, seconds: status.duration, bytes: status.bytes, error: error)
        if run.hasSample { log.info("\(status.account)", metadata: fields) }
        // If the process ends together with the recording, the failure is the process's final error, which is logged
        // elsewhere.
        if configuration.staysArmed, let error { log.error("\(error)", metadata: fields) }
        hooks?.run(.stop, HookInfo(file: file, seconds: status.duration, bytes: status.bytes, error: error))
    }
}
