import AssetIO
import CommandInterface
import Foundation
import MediaTypes
import RealTime
import RecorderStorage

/// A recording on two disks: reports on its copies, and their entries in the end.
extension CaptureSession {
    /// The copies of one file.
    struct MirroredFile {
        let recording: MirroredRecording
        var conditions: [CopyStatus.Condition?] = [nil, nil]
        /// The paths of the complete copies, by their index.
        var whole: [Int: String] = [:]
        /// The remaining copy, once it is known that there will be only one.
        var alone: String?
        /// The file's facts for the catalogues; nil before it is finished.
        var account: FinishedRecording.Account?
    }

    /// Maximum number of files that are remembered while their mirrored file is incomplete.
    private static let mostCopies = 100

    /// Handles a change in the state of one copy of a file.
    func changed(_ number: Int, _ index: Int, _ status: CopyStatus) async {
        if mirroredFiles[number] == nil, let recording = currentRun?.mirrored(number) {
            mirroredFiles[number] = MirroredFile(recording: recording)
            if mirroredFiles.count > Self.mostCopies, let oldest = mirroredFiles.keys.min() {
                mirroredFiles[oldest] = nil
            }
        }
        // The file belongs to an earlier recording, or it was moved. The list of mirrored recordings covers both.
        guard let file = mirroredFiles[number], file.recording.paths[index] == status.path else { return }
        let before = file.conditions[index]
        mirroredFiles[number]?.conditions[index] = status.condition
        report(status, before: before)
        if status.condition == .gone, before != .gone {
            await standsAlone(number, without: index)
            continueInNextFile(from: number)
        }
        guard status.condition == .whole else { return }
        mirroredFiles[number]?.whole[index] = status.path
        await enterCopies(number, [index])
    }

    /// Handles a copy that was deleted, moved or replaced by another file. It is not created again; the next file has
    /// two copies.
    func standsAlone(_ number: Int, without index: Int) async {
        guard let recording = mirroredFiles[number]?.recording else { return }
        let (files, rest) = (files, OutputLocation(path: recording.paths[1 - index]).temporaryPath)
        mirroredFiles[number]?.alone = rest
        // Enters before it removes, so that a crash between the two still finds the file.
        await blockingCall("enter-alone") {
            files.enter(rest)
            files.mirrored?.leave(recording)
        }
    }

    /// Reports a copy's state in the log, in the status and to the user's hook.
    private func report(_ status: CopyStatus, before: CopyStatus.Condition?) {
        switch status.condition {
        case .opening, .whole: break
        case .full, .lost, .gone:
            guard let error = status.error, before.map({ ![.full, .lost, .gone].contains($0) }) ?? true else { return }
            log.error("\(error); the recording continues on the other disk")
            state.error = error.description
            hooks?.run(.mirrorLost, HookInfo(file: status.path, error: error.description))
        case .behind:
            log.notice(
                "\(status.path) is \(NumberText.bytes(Int64(clamping: status.missing))) behind the other mirrored file")
        case .complete:
            guard let before, before != .opening else { return }
            log.notice("\(status.path) is complete again")
            state.error = nil
            hooks?.run(.mirrorBack, HookInfo(file: status.path))
        }
    }

    /// Handles a finished file: enters its complete copies for retention now, the others when they become complete.
    ///
    /// - Returns: true if the file has copies.
    func finishedCopies(
        _ number: Int, _ account: FinishedRecording.Account, isElsewhere: Bool
    ) async -> Bool {
        guard let file = mirroredFiles[number] else { return false }
        mirroredFiles[number]?.account = account
        // The user moved this copy elsewhere, so retention ignores it.
        if isElsewhere { mirroredFiles[number]?.whole[0] = nil }
        await enterCopies(number, Array(file.whole.keys))
        if let alone = file.alone {
            files.leave(alone)
            mirroredFiles[number] = nil
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

    private func enterCopies(_ number: Int, _ indices: [Int]) async {
        guard let file = mirroredFiles[number], let account = file.account else { return }
        let (retentions, roots) = ([retention, mirrorRetention], [files.root, files.mirror?.directory])
        let mirrored = files.mirrored
        await blockingCall("enter-copies") {
            for index in indices {
                guard let path = file.whole[index] else { continue }
                retentions[index]?.enter(path, root: roots[index], account) {}
            }
            if file.whole.count == 2 { mirrored?.leave(file.recording) }
        }
        if file.whole.count == 2 { mirroredFiles[number] = nil }
        if let run = currentRun { await tidy(run) }
    }

    /// Completes the copies of earlier recordings whose two disks are both present.
    func completeMirrored() async {
        guard let mirrored = files.mirrored else { return }
        let open = Set(mirroredFiles.values.filter { $0.account == nil }.map(\.recording))
        let (retentions, roots) = ([retention, mirrorRetention], [files.root, files.mirror?.directory])
        await blockingCall("complete-mirrored") {
            mirrored.enterMissing()
            mirrored.complete(but: open) { path, index in
                retentions[index]?.enterRepaired(path, below: roots[index])
            }
        }
    }

    /// Returns true if the recording may continue on the other disk although one disk is full up to its reserve.
    ///
    /// - Parameter free: Free bytes on the disk of each copy; nil if unknown.
    func hasSpaceToContinue(_ run: RecordingRun, free: [Int64?]) -> Bool {
        guard files.mirror != nil else { return false }
        let statuses = dispatcher?.files.max { $0.key < $1.key }?.value.copies ?? []
        return zip(statuses, free).contains { status, free in
            [.opening, .complete, .behind].contains(status.condition) && free.map { $0 > settings.diskReserve } ?? true
        }
    }
}
