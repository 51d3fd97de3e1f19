import CommandInterface
import Foundation
import MediaTypes
import RealTime
import RecorderStorage

/// The files of a recording, from their location to retention.
extension CaptureSession {
    func handle(_ event: RecordingFileEvent, of number: Int) async {
        // Handled first, because the second mirrored file may become complete after the recording has ended.
        if case .mirroredFile(let index, let status) = event { return await changed(number, index, status) }
        guard let run = currentRun else { return }
        switch event {
        case .mirroredFile: break
        case .waiting(let error):
            recordError(error)
            log.warning("the recording waits in memory until the directory is available")
        case .opened: run.opened(number)
        case .began:
            guard run.began(number) else { return }
            run.hasBegun.set(nil)
            let path = run.location(number)?.path
            log.info("recording to \(path ?? "a file")", metadata: LoggedEvent.hook(.start).fields(file: path))
            hooks?.run(.start, HookInfo(file: path))
            await reportStart(path)
        case .trackFailed(_, let error): recordError(error)
        case .moved(let path): await moved(number, to: path, run)
        case .renamed(let path): run.renamed(number, to: path)
        case .finished: await finished(number, of: run)
        case .cutShort(let error): await cutShort(number, by: error, run)
        case .failed(let error):
            progress.failed.recordFailed(number)
            resolveSplit(number, nil)
            stop(RecordingFailure(.recording, error))
        }
    }

    func finished(_ number: Int, of run: RecordingRun) async {
        let (location, isElsewhere) = (run.location(number), run.isElsewhere(number))
        let entered = run.entered(number)
        var account = run.account(number, hasDuration: configuration.duration != nil)
        account.activity = dispatcher?.takeActivity(of: number)
        guard let segment = run.closed(number, dispatcher?.remove(number), isWhole: true) else {
            if let entered { files.leave(entered) }
            return
        }
        state.filesFinished += 1
        log.info(
            "finished \(segment.file)",
            metadata: LoggedEvent.hook(.segment).fields(
                file: segment.file, seconds: segment.duration, bytes: segment.bytes))
        hooks?.run(
            .segment, HookInfo(file: segment.file, seconds: segment.duration, bytes: segment.bytes))
        resolveSplit(number, segment)
        account.duration = segment.duration
        if await finishedMirrored(number, account, isElsewhere: isElsewhere) {
            if let entered { files.leave(entered) }
            return
        }
        // The user moved this file to another directory, so retention ignores it.
        guard !isElsewhere else {
            if let entered { files.leave(entered) }
            return
        }
        await file(segment.file, entered, below: location?.root, account, run)
    }

    /// Enters a finished file in the catalogue for retention and copies, and requests that the retention rules are
    /// applied.
    ///
    /// - Parameter entered: The path under which the file is listed as unfinished. The file is removed from that list
    ///   only after it was entered in the catalogue, so that a crash between the two steps loses no file.
    func file(
        _ path: String, _ entered: String?, below root: String?, _ account: FinishedRecording.Account,
        _ run: RecordingRun
    ) async {
        guard catalogues.isKept else {
            if let entered { files.leave(entered) }
            return
        }
        let catalogues = catalogues
        await blockingCall("enter-file") { catalogues.enter(path, entered, below: root, account) }
        tidy(run)
    }

    /// Requests the deletion of recordings by the user's retention rules, if this recording is in progress.
    ///
    /// Deletions may take minutes, or never end if a file system hangs. Therefore a task of their own deletes, and the
    /// session continues meanwhile. There is at most one such task.
    func tidy(_ run: RecordingRun) {
        guard catalogues.isKept, currentRun === run, disks.beginTidy() else { return }
        Task {
            repeat { await applyRules(run) } while disks.endTidy()
            // The end of the session may wait for this task.
            notices.send(.look)
        }
    }

    /// Deletes recordings by the user's retention rules, and reports if the kept ones leave too little space.
    func applyRules(_ run: RecordingRun) async {
        let (catalogues, rules, location) = (catalogues, settings.retention, (currentRun ?? run).location)
        let reserve = settings.diskReserve
        await blockingCall("retention") { catalogues.apply(rules, inUse: location, reserve: reserve) }
        guard let warning = catalogues.kept?.warning else { return disks.recordRoom() }
        guard disks.isNewLackOfRoom() else { return }
        log.warning("\(warning)", metadata: LoggedEvent.hook(.keptFull).fields(error: warning))
        hooks?.run(.keptFull, HookInfo(error: warning))
    }

    func resolveSplit(_ number: Int, _ segment: RecordingStatus.Segment?) {
        state.splits.removeValue(forKey: number)?.set(segment)
    }
}
