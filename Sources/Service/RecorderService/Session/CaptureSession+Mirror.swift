import AssetIO
import CommandInterface
import Foundation
import MediaTypes
import RealTime
import RecorderStorage

/// Reports the state of a recording's mirrored files, and enters complete ones in the catalogues.
extension CaptureSession {
    /// Handles a change in the state of one mirrored file.
    func changed(_ number: Int, _ index: Int, _ status: MirroredFileStatus) async {
        if progress.mirrored[number] == nil, let recording = currentRun?.mirrored(number) {
            progress.mirrored.add(number, recording)
        }
        // The file belongs to an earlier recording, or it was moved. The list of mirrored recordings handles both
        // cases.
        guard progress.mirrored.has(status.path, number, index) else { return }
        let before = progress.mirrored.record(status.condition, number, index)
        report(status, before: before, isOtherAway: progress.mirrored.isUnavailable(number, 1 - index))
        if status.condition == .gone, before != .gone {
            await standsAlone(number, without: index)
            continueInNextFile(from: number)
        }
        guard status.condition == .whole else { return }
        progress.mirrored.recordWhole(status.path, number, index)
        await enterMirrored(number, [index])
    }

    /// Handles a mirrored file that was deleted, moved or replaced by another file. That mirrored file is not created
    /// again, so this recording file remains on one disk only. The next recording file has two mirrored files again.
    func standsAlone(_ number: Int, without index: Int) async {
        guard let recording = progress.mirrored[number]?.recording else { return }
        let (files, rest) = (files, OutputLocation(path: recording.paths[1 - index]).temporaryPath)
        progress.mirrored.recordAlone(rest, number)
        // The remaining file is listed before the pair is removed, so that it is still found after a crash between the
        // two calls.
        await blockingCall("enter-alone") {
            files.enter(rest)
            files.mirrored?.leave(recording)
        }
    }

    /// Reports a mirrored file's state in the log, in the status and to the user's hook.
    ///
    /// - Parameter isOtherAway: True if the other mirrored file cannot be written either.
    private func report(
        _ status: MirroredFileStatus, before: MirroredFileStatus.Condition?, isOtherAway: Bool
    ) {
        switch status.condition {
        case .opening, .whole: break
        case .full, .lost, .gone:
            guard let error = status.error, before?.isUnavailable != true else { return }
            let rest = isOtherAway ? "the other disk is unavailable too" : "the recording continues on the other disk"
            log.error(
                "\(error); \(rest)",
                metadata: LoggedEvent.hook(.mirrorLost).fields(file: status.path, error: error.description))
            state.error = error.description
            hooks?.run(.mirrorLost, HookInfo(file: status.path, error: error.description))
        case .behind:
            log.notice(
                "\(status.path) is \(NumberText.bytes(Int64(clamping: status.missing))) behind the other mirrored file")
        case .complete:
            guard let before, before != .opening else { return }
            log.notice(
                "\(status.path) is complete again", metadata: LoggedEvent.hook(.mirrorBack).fields(file: status.path))
            state.error = nil
            hooks?.run(.mirrorBack, HookInfo(file: status.path))
        }
    }

    /// Handles a finished file. Complete mirrored files are entered in the catalogues now, incomplete ones when they
    /// become complete.
    ///
    /// - Returns: true if the file is mirrored.
    func finishedMirrored(
        _ number: Int, _ account: FinishedRecording.Account, isElsewhere: Bool
    ) async -> Bool {
        guard let file = progress.mirrored.finish(number, account, isElsewhere: isElsewhere) else { return false }
        await enterMirrored(number, Array(file.whole.keys))
        if let alone = file.alone {
            files.leave(alone)
            progress.mirrored.remove(number)
            return true
        }
        for (index, path) in file.recording.paths.enumerated() where file.whole[index] == nil {
            warn(
                MediaError(
                    .ioFailure, "one of two mirrored files is incomplete",
                    reason: "\(path) lacks data that the other one has",
                    wayOut: "it is completed when its disk is back, or at once by `recorder mirror repair`"))
        }
        return true
    }

    private func enterMirrored(_ number: Int, _ indices: [Int]) async {
        guard let file = progress.mirrored[number], let account = file.account else { return }
        let (catalogues, roots) = (catalogues, catalogues.roots)
        await blockingCall("enter-mirrored") { catalogues.enter(file, indices, below: roots, account) }
        if file.whole.count == 2 { progress.mirrored.remove(number) }
        if let run = currentRun { tidy(run) }
    }

    /// Completes the mirrored files of earlier recordings whose two disks are both present.
    func completeMirrored() async {
        guard files.mirrored != nil else { return }
        let (catalogues, open, roots) = (catalogues, progress.mirrored.open, catalogues.roots)
        await blockingCall("complete-mirrored") { catalogues.completeMirrored(but: open, below: roots) }
    }

    /// Returns true if at least one disk of a mirrored recording has more free space than the reserve, so that the
    /// recording may continue.
    ///
    /// - Parameter free: Free bytes on the disk of each mirrored file; nil if unknown.
    func hasSpaceToContinue(_ run: RecordingRun, free: [Int64?]) -> Bool {
        guard files.mirror != nil else { return false }
        let statuses = dispatcher?.files.max { $0.key < $1.key }?.value.mirroredFiles ?? []
        return zip(statuses, free).contains { status, free in
            [.opening, .complete, .behind].contains(status.condition) && free.map { $0 > settings.diskReserve } ?? true
        }
    }
}
