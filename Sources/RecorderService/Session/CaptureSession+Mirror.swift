import AssetIO
import CommandInterface
import Foundation
import MediaTypes
import RealTime

/// A recording on two disks: what its owner hears of them, and what becomes of its copies in the end.
extension CaptureSession {
    /// The copies of one file.
    struct MirroredFile {
        let recording: MirroredRecording
        var conditions: [CopyStatus.Condition?] = [nil, nil]
        /// Where those are that are whole.
        var whole: [Int: String] = [:]
        /// The rest of the only copy that there will be, once that is known.
        var alone: String?
        /// What the catalogues say of it; nil before it is finished.
        var account: FinishedRecording.Account?
    }

    /// How many files are remembered whose second copy is still becoming whole.
    private static let mostCopies = 100

    /// One of a file's copies stands otherwise than before.
    func changed(_ number: Int, _ index: Int, _ status: CopyStatus) async {
        if mirroredFiles[number] == nil, let recording = currentRun?.mirrored(number) {
            mirroredFiles[number] = MirroredFile(recording: recording)
            if mirroredFiles.count > Self.mostCopies, let oldest = mirroredFiles.keys.min() {
                mirroredFiles[oldest] = nil
            }
        }
        // Of an earlier recording, or one that somebody moved: its own list knows of it.
        guard let file = mirroredFiles[number], file.recording.paths[index] == status.path else { return }
        let before = file.conditions[index]
        mirroredFiles[number]?.conditions[index] = status.condition
        tell(status, before: before)
        if status.condition == .gone, before != .gone {
            await standsAlone(number, without: index)
            goOn(from: number)
        }
        guard status.condition == .whole else { return }
        mirroredFiles[number]?.whole[index] = status.path
        await enterCopies(number, [index])
    }

    /// A copy was deleted or moved, or another file has its name: it is not made again, and the next file has two copies.
    func standsAlone(_ number: Int, without index: Int) async {
        guard let recording = mirroredFiles[number]?.recording else { return }
        let (files, rest) = (files, OutputLocation(path: recording.paths[1 - index]).temporaryPath)
        mirroredFiles[number]?.alone = rest
        // First the one, then the other: a crash between the two must find it.
        await blockingCall("enter-alone") {
            files.enter(rest)
            files.mirrored?.leave(recording)
        }
    }

    /// In the log, the status, and to the owner's hook.
    private func tell(_ status: CopyStatus, before: CopyStatus.Condition?) {
        switch status.condition {
        case .opening, .whole: break
        case .full, .lost, .gone:
            guard let error = status.error, before.map({ ![.full, .lost, .gone].contains($0) }) ?? true else { return }
            log.error("\(error); the recording goes on with its other copy")
            state.error = error.description
            hooks?.run(.mirrorLost, HookFacts(file: status.path, error: error.description))
        case .behind:
            log.notice(
                "\(status.path) lacks \(NumberText.bytes(Int64(clamping: status.missing))), which the other copy has")
        case .complete:
            guard let before, before != .opening else { return }
            log.notice("\(status.path) has everything again")
            state.error = nil
            hooks?.run(.mirrorBack, HookFacts(file: status.path))
        }
    }

    /// A file is finished: its copies are entered where the retention finds them, now or when they are whole.
    ///
    /// - Returns: whether it has copies.
    func finishedCopies(
        _ number: Int, _ account: FinishedRecording.Account, isElsewhere: Bool
    ) async -> Bool {
        guard let file = mirroredFiles[number] else { return false }
        mirroredFiles[number]?.account = account
        // What its owner took away is his.
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
                    .ioFailure, "one of two copies is not whole", reason: "\(path) lacks what the other one has",
                    wayOut: "it is completed when its disk is there; `recorder mirror repair` does it at once"))
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

    /// Makes the same what is not, of recordings whose disks are both there.
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

    /// Whether the recording may go on although a disk is full up to its reserve: with the other one.
    ///
    /// - Parameter free: bytes that the disk of each copy has left; nil where nobody can say.
    func mayGoOn(_ run: RecordingRun, free: [Int64?]) -> Bool {
        guard files.mirror != nil else { return false }
        let statuses = dispatcher?.files.max { $0.key < $1.key }?.value.copies ?? []
        return zip(statuses, free).contains { status, free in
            [.opening, .complete, .behind].contains(status.condition) && free.map { $0 > settings.diskReserve } ?? true
        }
    }
}
