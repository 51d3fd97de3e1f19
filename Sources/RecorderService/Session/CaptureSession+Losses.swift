import AssetIO
import CommandInterface
import Foundation
import Glibc
import MediaTypes
import RealTime

/// Files that can take no more while the recording goes on: deleted or moved by somebody, or as large as may be.
extension CaptureSession {
    /// What is moved while it grows is finished where it is, and the next file has the name that was asked for.
    func moved(_ number: Int, to path: String?, _ run: RecordingRun) async {
        let name = run.location(number)?.path ?? "the file"
        guard let path else {
            tell(
                MediaError(
                    .notFound, "cannot find \(name) any more", reason: "it was moved away while it was recorded",
                    wayOut: "the recording goes on in a new file"), name)
            return goOn(from: number)
        }
        if let entered = run.entered(number) {
            // First the new place: between the two a crash must find it.
            files.enter(path)
            files.leave(entered)
        }
        run.renamed(number, to: path, entered: path)
        await standsAlone(number, without: 0)
        tell(
            MediaError(
                .notFound, "cannot go on with \(name)", reason: "it was moved to \(path) while it was recorded",
                wayOut: "it is finished there, and the recording goes on in a new file"), name)
        goOn(from: number)
    }

    /// The next file, from the next key frame on.
    func goOn(from number: Int) { if dispatcher?.openSegment?.number == number { dispatcher?.cut() } }

    /// A file can take no more: another one gets what it did not write, at once or when its disk may be well again.
    func cutShort(_ number: Int, by error: MediaError, _ run: RecordingRun) async {
        let hasBegun = run.hasBegun(number)
        guard mayContinue(without: number, error, run), let file = dispatcher?.files[number],
            case .after(let delay) = run.retry(after: error, of: number, at: clock.nanoseconds)
        else {
            failedFiles.insert(number)
            resolveSplit(number, nil)
            return stop(RecordingFailure(.recording, error))
        }
        // A file that somebody deleted. One on a disk that is away may be there again.
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
        resolveSplit(number, nil)
        tell(error, path)
        if delay > FileRetry.shortestDelay {
            log.warning("the next file is tried in \(NumberText.duration(Double(delay) / 1e9))")
        }
        if run.isEnding { run.fail(RecordingFailure(.recording, error)) }
    }

    /// Whether another file may take what one did not write. At the end each must take something, so that the end comes.
    private func mayContinue(without number: Int, _ error: MediaError, _ run: RecordingRun) -> Bool {
        let (isTooLarge, isGone) = (error.underlying == .errno(EFBIG), error.isOfAwayDisk)
        // Of two copies each is tried again by itself; here both have failed.
        if run.mirrored(number) != nil, !isTooLarge, !isGone { return false }
        if run.hasBegun(number) { return true }
        if run.isEnding || hasDispatchEnded { return false }
        // Before the first sample somebody waits for the answer. A file that its owner deleted is no fault.
        return run.hasSample || error.underlying == .errno(ENOENT) && run.isOpen(number)
    }

    /// Files are ended in time from now on.
    private func learnLimit(from number: Int) {
        guard let dispatcher, let bytes = dispatcher.files[number]?.bytesWritten, bytes > 0 else { return }
        state.largestFile = min(state.largestFile ?? .max, DiskSpace.room(bytes))
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        dispatcher.setLimits(files.limits(), at: pipeline?.moment(of: now) ?? now)
    }

    /// In the log, in the status, and to the owner's hook.
    func tell(_ error: MediaError, _ file: String) {
        note(error)
        hooks?.run(.fileLost, HookFacts(file: file, error: error.description))
    }
}
