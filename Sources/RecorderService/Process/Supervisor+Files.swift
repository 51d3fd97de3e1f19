import Foundation
import MediaTypes

/// The files of a recording, from their place to the retention.
extension Supervisor {
    func handle(_ event: SegmentEvent, of number: Int) async {
        guard let run = currentRun else { return }
        switch event {
        case .waiting(let error):
            process.note(error)
            process.log.warning("the recording waits for the directory, in memory")
        case .opened: run.opened(number)
        case .began:
            guard run.began(number) else { return }
            run.hasBegun.set(nil)
            process.hooks?.run(.start, HookFacts(file: run.location(number)?.path))
            guard !hasToldStart else { return }
            hasToldStart = true
            await whenStarted(run.location(number)?.path)
        case .trackFailed(_, let error): process.note(error)
        case .moved(let path): moved(number, to: path, run)
        case .renamed(let path): run.renamed(number, to: path)
        case .finished: await finished(number, of: run)
        case .cutShort(let error): await cutShort(number, by: error, run)
        case .failed(let error):
            failedFiles.insert(number)
            resolveSplit(number, nil)
            stop(RecordingFailure(.recording, error))
        }
    }

    func finished(_ number: Int, of run: RecordingRun) async {
        let (location, isElsewhere) = (run.location(number), run.isElsewhere(number))
        if let entered = run.entered(number) { process.leave(entered) }
        let goesOn = hub?.openSegment.map { $0.number > number } ?? false
        var account = run.account(number, goesOn: goesOn, hasDuration: configuration.duration != nil)
        guard let segment = run.closed(number, hub?.remove(number), isWhole: true) else { return }
        process.facts.withLock { $0.filesFinished += 1 }
        process.log.info("finished \(segment.file)")
        process.hooks?.run(
            .segment, HookFacts(file: segment.file, seconds: segment.duration, bytes: segment.bytes))
        resolveSplit(number, segment)
        account.duration = segment.duration
        // What its owner took away is his.
        if !isElsewhere { await file(segment.file, below: location?.root, account, run) }
    }

    /// Enters a finished file where the retention finds it, and lets that look.
    func file(
        _ path: String, below root: String?, _ account: FinishedRecording.Account, _ run: RecordingRun
    ) async {
        guard let retention = process.retention else { return }
        let log = process.log
        await blockingCall("enter-file") {
            do throws(MediaError) { try retention.catalogue.add(path, root: root, account) } catch {
                log.error("the retention will not know of it: \(error)")
            }
        }
        await tidy(run)
    }

    /// Deletes what the owner's rules no longer keep: only while this recording is going on.
    func tidy(_ run: RecordingRun) async {
        guard let retention = process.retention, currentRun === run else { return }
        let (rules, inUse) = (process.settings.retention, run.location.temporaryPath)
        await blockingCall("retention") { _ = retention.apply(rules, inUse: [inUse]) }
    }

    func resolveSplit(_ number: Int, _ segment: RecordingStatus.Segment?) {
        process.facts.withLock { $0.splits.removeValue(forKey: number) }?.set(segment)
    }
}
