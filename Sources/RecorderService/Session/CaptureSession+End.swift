import CommandInterface
import Foundation
import MediaTypes
import RealTime

/// How a recording ends.
extension CaptureSession {
    /// Ends the recording as of now, for a cause.
    func stop(_ failure: RecordingFailure) {
        guard let run = currentRun else { return }
        run.fail(failure)
        let now = clock.nanoseconds
        if run.requestStop(at: now) { pipeline?.stop(at: MediaTime(nanoseconds: now)) }
    }

    /// Carries the end of a recording through, as far as it has come.
    func advance() async {
        guard let run = currentRun, let pipeline, let dispatcher else { return }
        // One look at it, since both change at any time, and each change brings a call of its own.
        let (end, isEnded) = pipeline.ending
        if end != nil { run.noteEnding() }
        if !configuration.isArmed, let end {
            // Before a track ends: the sound that comes after the pictures is no recording without a camera, which would be
            // divided by its own length. Later calls change nothing.
            dispatcher.end(at: end, whenTracksEnd: true)
            if isCameraOpen, let camera = devices.camera {
                isCameraOpen = false
                await blockingCall("close-camera") { camera.stop() }
                pipeline.video?.finish()
            }
        }
        if isEnded, !isEndTold {
            isEndTold = true
            if configuration.isArmed {
                endDeadline = clock.nanoseconds + Self.endPatience
            } else {
                await closeDevices()
                pipeline.publishLosses()
                pipeline.finish()
            }
        }
        finishAgain(run)
        if hasDispatchEnded { settleFailures(run) }
        if hasDispatchEnded, !run.hasOpenFiles { conclude(run) }
    }

    /// Files that were lost: nothing more comes that their account had to take.
    func settleFailures(_ run: RecordingRun) {
        for number in failedFiles {
            let (entered, isEmpty) = (run.entered(number), run.isOpenAndEmpty(number))
            let file = dispatcher?.remove(number)
            _ = run.closed(number, file, isWhole: false)
            // What is there can be repaired, unless that is nothing.
            if let file, isEmpty { removeIfEmpty(file, entered) }
        }
        failedFiles = []
        for (file, entered) in run.takeAbandoned() { removeIfEmpty(file, entered) }
    }

    private func removeIfEmpty(_ file: any RecordingFileSink, _ entered: String?) {
        let files = files
        guard file.discardEmpty(), let entered else { return }
        files.leave(entered)
    }

    func conclude(_ run: RecordingRun) {
        if !run.hasSample, run.failure == nil {
            run.fail(
                RecordingFailure(
                    .recording,
                    MediaError(
                        .cancelled, "nothing was recorded", reason: "it was stopped before the first picture came")))
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
        // As it is from now on: an armed process waits again.
        status.state = state(of: snapshot)
        pipeline?.forget()
        if configuration.isArmedOnce { quit.set(now) }
        // The failure of a process that ends with it is its last word, and others say that.
        if configuration.isArmed, let error = run.failure { log.error("\(error)") }
        if !configuration.staysArmed { failure = run.failure }
        hooks?.run(
            .stop,
            HookFacts(
                file: run.hasSample ? status.file : nil, seconds: status.duration, bytes: status.bytes,
                error: run.failure?.description))
        run.hasBegun.set(run.failure)
        run.outcome.set(SessionOutcome(status: status, failure: run.failure))
    }
}
