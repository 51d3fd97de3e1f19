import AssetIO
import CommandInterface
import Foundation
import Glibc
import MediaTypes
import RealTime
import RecorderStorage

/// Handles files that cannot grow while the recording continues, because they were deleted or moved, or have reached
/// the maximum file size.
extension CaptureSession {
    /// Handles a file that the user moved while it was being recorded. The file is finalized in its new location, and
    /// the next file is created in the configured directory.
    func moved(_ number: Int, to path: String?, _ run: RecordingRun) async {
        let name = run.location(number)?.path ?? "the file"
        guard let path else {
            report(
                MediaError(
                    .notFound, "cannot find \(name) any more", reason: "it was moved while it was being recorded",
                    wayOut: "the recording continues in a new file"), name)
            return continueInNextFile(from: number)
        }
        if let entered = run.entered(number) {
            // The new path is entered first, so that a crash between the two calls still finds the file.
            files.enter(path)
            files.leave(entered)
        }
        run.renamed(number, to: path, entered: path)
        await standsAlone(number, without: 0)
        report(
            MediaError(
                .notFound, "cannot continue \(name)", reason: "it was moved to \(path) while it was being recorded",
                wayOut: "it is finalized there, and the recording continues in a new file"), name)
        continueInNextFile(from: number)
    }

    /// Continues in the next file at the next keyframe.
    func continueInNextFile(from number: Int) { if dispatcher?.openSegment?.number == number { dispatcher?.cut() } }

    /// Handles a file that cannot grow. Another file stores the samples that this file did not write. The other file is
    /// created at once, or after a delay if the disk failed.
    func cutShort(_ number: Int, by error: MediaError, _ run: RecordingRun) async {
        let hasBegun = run.hasBegun(number)
        guard mayContinue(without: number, error, run), let file = dispatcher?.files[number],
            case .after(let delay) = run.retry(after: error, of: number, at: clock.nanoseconds)
        else {
            progress.failed.recordFailed(number)
            resolveSplit(number, nil)
            return stop(RecordingFailure(.recording, error))
        }
        // `isGone` means that the file was deleted. It is false for a file on a disconnected disk, which may be
        // connected again.
        let (isTooLarge, isGone) = (error.underlying == .errno(EFBIG), error.underlying == .errno(ENOENT))
        if isTooLarge { learnLimit(from: number) }
        if !hasBegun { run.abandon(number, file) }
        dispatcher?.moveOn(from: number, isLost: isGone)
        if hasBegun, !isGone {
            log.warning("\(error); the recording continues in a new file")
            Task { await finish(CutShortFile(number: number, error: error), run) }
            return
        }
        let path = run.location(number)?.path ?? ""
        if hasBegun, let entered = run.entered(number) { files.leave(entered) }
        _ = run.closed(number, dispatcher?.remove(number), isWhole: false, isGone: true)
        progress.mirrored.remove(number)
        resolveSplit(number, nil)
        report(error, path)
        if delay > FileRetry.shortestDelay {
            log.warning("trying the next file in \(NumberText.duration(Double(delay) / 1e9))")
        }
        if run.isEnding { run.fail(RecordingFailure(.recording, error)) }
    }

    /// Returns true if the recording may continue in another file, which stores the samples that this file did not
    /// write. While a recording ends, only a file that has stored samples may have a successor. Otherwise the recording
    /// might never end.
    private func mayContinue(without number: Int, _ error: MediaError, _ run: RecordingRun) -> Bool {
        if run.hasBegun(number) { return true }
        if run.isEnding || progress.end.isDispatched { return false }
        // Before the first sample, `start` is still waiting, and returns the error to its caller. A file that the user
        // deleted is not an error, so the recording continues without it.
        return run.hasSample || error.underlying == .errno(ENOENT) && run.isOpen(number)
    }

    /// Makes later files end before they reach the size at which this file could not grow any more.
    private func learnLimit(from number: Int) {
        guard let dispatcher, let bytes = dispatcher.files[number]?.bytesWritten, bytes > 0 else { return }
        state.largestFile = min(state.largestFile ?? .max, DiskSpace.room(bytes))
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        dispatcher.setLimits(files.limits(), at: pipeline?.moment(of: now) ?? now)
    }

    /// Reports an error in the log, in the status and to the user's hook.
    func report(_ error: MediaError, _ file: String) {
        recordError(error, LoggedEvent.hook(.fileLost).fields(file: file, error: error.description))
        hooks?.run(.fileLost, HookInfo(file: file, error: error.description))
    }
}
