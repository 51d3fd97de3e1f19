import AssetIO
import CommandInterface
import Foundation
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

    func cutShort(_ number: Int, by error: MediaError, _ run: RecordingRun) async {
        let isTooLarge = error.underlying == .errno(EFBIG)
        if isTooLarge { learnLimit(from: number) }
        dispatcher?.moveOn(from: number, isLost: !isTooLarge)
        if isTooLarge {
            log.warning("\(error); the recording goes on in a new file")
            Task { await finishTooLarge(number, error, run) }
            return
        }
        let path = run.location(number)?.path ?? ""
        if let entered = run.entered(number) { files.leave(entered) }
        _ = run.closed(number, dispatcher?.remove(number), isWhole: false, isGone: true)
        resolveSplit(number, nil)
        tell(error, path)
        if run.stopRequested != nil { run.fail(RecordingFailure(.recording, error)) }
    }

    /// Files are ended in time from now on.
    private func learnLimit(from number: Int) {
        guard let dispatcher, let bytes = dispatcher.files[number]?.bytesWritten, bytes > 0 else { return }
        state.largestFile = min(state.largestFile ?? .max, DiskSpace.room(bytes))
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        dispatcher.setLimits(files.limits(), at: pipeline?.moment(of: now) ?? now)
    }

    /// The file that may not grow holds everything but its index, and room for that is where its last fragment was.
    private func finishTooLarge(_ number: Int, _ error: MediaError, _ run: RecordingRun) async {
        guard let entered = run.entered(number) else { return }
        let result = await blockingCall("finish-file") {
            Result { () throws(MediaError) in try MovieRepair.repair(URL(fileURLWithPath: entered)) }
        }
        switch result {
        case .success(let report):
            run.renamed(number, to: report.file)
            await finished(number, of: run)
        case .failure(let failure):
            _ = run.closed(number, dispatcher?.remove(number), isWhole: false)
            resolveSplit(number, nil)
            tell(
                MediaError(
                    failure.code, "cannot make \(entered) whole", reason: failure.reason,
                    underlying: failure.underlying,
                    wayOut: "it plays as it is; copied to a disk for larger files, `recorder repair` finishes it"),
                entered)
            if run.stopRequested != nil { run.fail(RecordingFailure(.recording, error)) }
        }
        notify.yield(.look)
    }

    /// In the log, in the status, and to the owner's hook.
    private func tell(_ error: MediaError, _ file: String) {
        note(error)
        hooks?.run(.fileLost, HookFacts(file: file, error: error.description))
    }
}
