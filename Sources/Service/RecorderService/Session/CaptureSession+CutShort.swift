import AssetIO
import CommandInterface
import Foundation
import Glibc
import MediaTypes
import RealTime
import RecorderStorage

extension CaptureSession {
    /// Finalizes a file while the recording continues in another one.
    ///
    /// If a file reached its maximum size, the fragment that no longer fitted was removed from it, and the index is
    /// stored in the fragment's place. If the disk fails, the session tries again. The last attempt is made when the
    /// recording ends.
    func finish(_ file: CutShortFile, _ run: RecordingRun) async {
        guard let entered = run.entered(file.number) else { return }
        let isLast = progress.end.isDispatched
        let result: Result<[Int: String], MediaError>
        // If a file reached its maximum size, it is finalized now on the first disk only, and later on the second disk.
        let mirrored = file.isTooLarge ? nil : run.mirrored(file.number)
        if let recording = mirrored {
            let log = log
            result = await blockingCall("finish-mirrored-files") {
                Result { () throws(MediaError) in try recording.finalize(isLast: isLast, log: log) }
            }
        } else {
            result = await blockingCall("finish-file") {
                Result { () throws(MediaError) in try [0: MovieRepair.repair(URL(fileURLWithPath: entered)).file] }
            }
        }
        switch result {
        case .success(let whole):
            if mirrored != nil {
                for (index, path) in whole { progress.mirrored.recordWhole(path, file.number, index) }
            }
            if let path = whole[0] ?? whole[1] { run.renamed(file.number, to: path) }
            await finished(file.number, of: run)
        case .failure(let failure):
            resolveSplit(file.number, nil)
            if !isLast, !file.isTooLarge, failure.isContinuable {
                if file.delay == 0 {
                    log.warning("cannot finalize \(entered) yet: \(failure); retrying while the recording continues")
                }
                progress.failed.retry(file.later(than: clock.nanoseconds))
            } else {
                giveUp(file, entered, failure, run)
            }
        }
        notices.send(.look)
    }

    /// Tries again to finalize the files whose next attempt is due. Once everything is written, all of them are due.
    func finishAgain(_ run: RecordingRun) {
        let due = progress.failed.takeDue(at: clock.nanoseconds, all: progress.end.isDispatched)
        for file in due { Task { await finish(file, run) } }
    }

    private func giveUp(_ file: CutShortFile, _ entered: String, _ failure: MediaError, _ run: RecordingRun) {
        _ = run.closed(file.number, dispatcher?.remove(file.number), isWhole: false)
        // The two mirrored files are completed later, because the list of mirrored recordings still contains them.
        progress.mirrored.remove(file.number)
        report(
            MediaError(
                failure.code, "cannot finalize \(entered)", reason: failure.reason, underlying: failure.underlying,
                wayOut: Self.wayOut(file, failure)),
            entered)
        if run.isEnding || !file.isTooLarge { run.fail(RecordingFailure(.recording, file.error)) }
    }

    private static func wayOut(_ file: CutShortFile, _ failure: MediaError) -> String {
        if failure.underlying == .errno(ENOENT) {
            return "if it has its final name by now, check it with `recorder verify`"
        }
        return file.isTooLarge
            ? "it plays as it is; to finalize it, copy it to a disk for larger files and run `recorder repair`"
            : "when its disk works again, `recorder repair` or the next start finalizes it"
    }
}
