import Foundation
import MediaTypes

/// How a recording ends.
extension Supervisor {
    /// Ends the recording as of now, for a cause.
    func stop(_ failure: RecordingFailure) {
        guard let run = currentRun else { return }
        run.fail(failure)
        let now = process.clock.nanoseconds
        if run.requestStop(at: now) { pipeline?.stop(at: MediaTime(nanoseconds: now)) }
    }

    /// Carries the end of a recording through, as far as it has come.
    func advance() async {
        guard let run = currentRun, let pipeline, let hub else { return }
        if !configuration.isArmed, isCameraOpen, pipeline.isVideoComplete, let camera = devices.camera {
            isCameraOpen = false
            await blockingCall("close-camera") { camera.stop() }
            pipeline.video?.finish()
        }
        if pipeline.isEnded, !isEndTold {
            isEndTold = true
            if configuration.isArmed {
                endDeadline = process.clock.nanoseconds + Self.endPatience
            } else {
                await closeDevices()
                pipeline.publishLosses()
                hub.end(at: pipeline.end ?? .zero, whenTracksEnd: true)
                pipeline.finish()
            }
        }
        if hasHubEnded { settleFailures(run) }
        if hasHubEnded, !run.hasOpenFiles { conclude(run) }
    }

    /// Files that were lost: nothing more comes that their account had to take.
    func settleFailures(_ run: RecordingRun) {
        for number in failedFiles {
            let (entered, isEmpty) = (run.entered(number), run.isOpenAndEmpty(number))
            let file = hub?.remove(number)
            _ = run.closed(number, file, isWhole: false)
            // What was synced can be repaired, unless that is nothing.
            guard let entered, isEmpty else { continue }
            file?.cancel()
            process.leave(entered)
        }
        failedFiles = []
    }

    func conclude(_ run: RecordingRun) {
        if !run.hasSample, run.failure == nil {
            run.fail(
                RecordingFailure(
                    .recording,
                    MediaError(
                        .cancelled, "nothing was recorded", reason: "it was stopped before the first picture came")))
        }
        let now = process.clock.nanoseconds
        process.facts.withLock { facts in
            if let failure = run.failure { facts.error = failure.description }
            facts.closedIn = run.stopRequested.map { Double(now - $0) / 1e9 }
            facts.hasFailed = run.failure != nil && !configuration.isArmed
        }
        var status = process.status
        if !run.hasSample { run.removeMadeDirectories() }
        process.facts.withLock { facts in
            facts.lastRun = run
            facts.run = nil
            for split in facts.splits.values { split.set(nil) }
            facts.splits = [:]
            // As it is from now on: an armed process waits again.
            status.state = process.state(facts)
        }
        pipeline?.forget()
        // The failure of a process that ends with it is its last word, and others say that.
        if configuration.isArmed, let error = run.failure { process.log.error("\(error)") }
        if !configuration.isArmed { failure = run.failure }
        process.hooks?.run(
            .stop,
            HookFacts(
                file: run.hasSample ? status.file : nil, seconds: status.duration, bytes: status.bytes,
                error: run.failure?.description))
        run.hasBegun.set(run.failure)
        run.outcome.set(CaptureProcess.Outcome(status: status, failure: run.failure))
    }
}
