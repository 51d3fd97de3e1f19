import FileSystem
import Foundation
import MediaTypes
import RealTime
import RecorderControl
import RecorderStorage
import Synchronization

/// The clips that are being made, and the finished clips that are kept for a while. Thread-safe.
package final class Clips: Sendable {
    struct Limits: Sendable {
        /// The number of clips that may be made at the same time, and the number that may wait.
        var (working, waiting) = (2, 8)
        /// The maximum number of clips that exist at the same time, finished or being made.
        var clips = 32
        /// The time for which a clip is kept after the last request for it, in seconds.
        var life = 3600.0
        /// The number of bytes of the disk that stay free, independent of the recorders' settings.
        var reserve: Int64 = 512 << 20
        /// The maximum number of recording files per clip.
        var files = 500
    }

    private struct Job {
        var clip: Clip
        let maker: ClipExporter
        /// The number of bytes that are reserved for the clip.
        let room: Int64
        var file: OpenRecordingFile?
        /// The time of the last request for the clip, in seconds of the monotonic clock.
        var touched: Double

        var isOver: Bool { clip.state == .done || clip.state == .failed }
    }

    private let index: RecordingIndex
    private let folder: ClipFolder
    private let limits: Limits
    private let keepFree: @Sendable () -> Int64
    private let now: @Sendable () -> Double
    let semaphore: AsyncSemaphore
    private let jobs = Locked<[String: Job]>([:])
    /// True if a task is waiting to remove old clips.
    private let isTended = Atomic(false)

    /// Creates an empty collection.
    ///
    /// - Parameters:
    ///   - keepFree: Returns the number of bytes that recorders keep free. If less is free, retention deletes the
    ///     oldest recordings of the recorders. Reads the disk.
    ///   - now: Returns seconds of a monotonic clock.
    init(
        _ index: RecordingIndex, in folder: ClipFolder, limits: Limits = Limits(),
        keepFree: @escaping @Sendable () -> Int64 = { 0 },
        now: @escaping @Sendable () -> Double = { Double(MonotonicClock().nanoseconds) / 1e9 }
    ) {
        (self.index, self.folder, self.limits, self.keepFree, self.now) = (index, folder, limits, keepFree, now)
        // The semaphore needs no limit for waiting clips, because `enter` limits them.
        semaphore = AsyncSemaphore(limits.working, waiting: .max)
    }

    /// Creates a collection in the server's own directory, and removes the files that earlier processes left there.
    /// Reads and writes the disk.
    ///
    /// - Parameter state: The server's directory.
    package convenience init(_ index: RecordingIndex, in state: String) {
        let folder = ClipFolder(in: state)
        folder.removeStale()
        self.init(index, in: folder, keepFree: { KnownRecorders().mostKeptFree })
    }

    /// Begins to make a clip.
    ///
    /// - Throws: `notFound` if nothing was recorded in that range; `busy` if too many clips are being made; `diskFull`
    ///   if there is too little free space; `invalidSettings` if the clip would need too many files.
    func begin(_ recorder: String, _ range: ClosedRange<Double>) async throws(MediaError) -> Clip {
        let action = Self.action
        let (index, most) = (index, limits.files)
        let recordings = try await DiskCall.run { () throws(MediaError) in
            try index.recordings(of: recorder, range, most: most + 1).map { $0.readAgain() }
        }
        guard recordings.count <= most else {
            throw MediaError(
                .invalidSettings, action, reason: "it would need more than \(most) recording files",
                wayOut: "choose a shorter time range")
        }
        let plan = ClipPlan(recordings, range)
        guard let first = plan.parts.first else {
            throw MediaError(
                .notFound, action,
                reason: plan.leftOut.isEmpty
                    ? "\(recorder) recorded nothing in this time range" : plan.leftOut.joined(separator: ", "))
        }
        let spare = try await spareRoom()
        let clip = Clip(
            id: Secret.make(), recorder: recorder, range: range,
            file: Clip.name(recorder, at: max(range.lowerBound, first.recording.begin), like: first.recording.file),
            duration: plan.duration, leftOut: plan.leftOut)
        let maker = ClipExporter(plan)
        forgetOld()
        try enter(Job(clip: clip, maker: maker, room: plan.bytes + plan.bytes / 4, touched: now()), spare: spare)
        Task { await make(clip, maker) }
        return clip
    }

    /// Returns the number of bytes that clips may use; nil if unknown. Clips must not fill a disk to which recorders
    /// write, and must not cause retention to delete a recording.
    private func spareRoom() async throws(MediaError) -> Int64? {
        let (folder, keepFree, reserve) = (folder, keepFree, limits.reserve)
        return try await DiskCall.run { () throws(MediaError) in
            guard let free = DiskSpace.free(at: folder.path.parentDirectory) else { return nil }
            let (unusable, isMoreThanAnyDisk) = reserve.addingReportingOverflow(keepFree())
            return isMoreThanAnyDisk ? 0 : max(0, free - unusable)
        }
    }

    /// Checks and reserves the space for one more clip. Both happen in one step, because other clips may begin at the
    /// same time.
    private func enter(_ job: Job, spare: Int64?) throws(MediaError) {
        let (refusal, gone) = jobs.withLock { jobs -> (MediaError?, Job?) in
            let unfinished = jobs.values.filter { !$0.isOver }
            guard unfinished.count < limits.working + limits.waiting else { return (Self.busy, nil) }
            if let spare {
                let left = spare - unfinished.reduce(0) { $0 + $1.room }
                guard job.room <= left else { return (Self.full(job.room, left), nil) }
            }
            var gone: Job?
            if jobs.count >= limits.clips {
                // Frees space by removing the clip that was requested least recently.
                guard let oldest = jobs.filter({ $0.value.isOver }).min(by: { $0.value.touched < $1.value.touched })
                else { return (Self.busy, nil) }
                gone = jobs.removeValue(forKey: oldest.key)
            }
            jobs[job.clip.id] = job
            return (nil, gone)
        }
        // The removed clip's file is closed outside the lock, because freeing a large file takes a while.
        withExtendedLifetime(gone) {}
        if let refusal { throw refusal }
    }

    private static let action = "cannot export the clip"
    private static let busy = MediaError(
        .busy, action, reason: "too many clips are being exported", wayOut: "try again later")

    private static func full(_ room: Int64, _ left: Int64) -> MediaError {
        MediaError(
            .diskFull, action,
            reason: "it needs about \(room >> 20) MB, but the server's disk has only \(max(0, left) >> 20) MB to spare",
            wayOut: "choose a shorter time range, or download the recording files")
    }

    private func make(_ clip: Clip, _ maker: ClipExporter) async {
        guard await semaphore.wait() else { return }
        defer { semaphore.signal() }
        // The clip may have been removed while it waited.
        guard change(clip.id, { $0.clip.state = .working }) else { return }
        let folder = folder
        do throws(MediaError) {
            let place = try await DiskCall.run { () throws(MediaError) in try folder.make() }
            let output = "\(place)/cut.\(clip.file.fileExtension)"
            do throws(MediaError) {
                let made = try await maker.make(output)
                let file = try await DiskCall.run { () throws(MediaError) in
                    try folder.adopt(output, in: place, named: clip.file)
                }
                change(clip.id) { job in
                    job.clip.state = .done
                    job.clip.progress = 1
                    job.clip.bytes = file.size
                    job.clip.leftOut += made.leftOut
                    job.clip.duration = made.duration
                    job.file = file
                    job.touched = now()
                }
            } catch {
                folder.discard(place)
                throw error
            }
        } catch {
            let problem = error.reason
            change(clip.id) { job in
                job.clip.state = .failed
                job.clip.problem = problem
            }
        }
        forgetLater()
    }

    /// Returns a clip; nil if there is none.
    func clip(_ id: String) -> Clip? {
        touched(id).map { job in
            var clip = job.clip
            if clip.state == .working { clip.progress = min(max(job.maker.progress, 0), 1) }
            return clip
        }
    }

    /// Returns a clip's file; nil if there is no such clip.
    ///
    /// - Throws: `invalidState` while the clip is being made, or if it failed.
    func file(_ id: String) throws(MediaError) -> OpenRecordingFile? {
        guard let job = touched(id) else { return nil }
        guard let file = job.file else {
            let reason = job.clip.problem.map { "the export failed: \($0)" } ?? "it is still being exported"
            throw MediaError(
                .invalidState, "cannot send the clip", reason: reason,
                wayOut: job.isOver ? "export it again" : "wait until it is done")
        }
        return file
    }

    /// Removes a clip, even while it is being made.
    ///
    /// - Returns: true if the clip existed.
    func drop(_ id: String) -> Bool {
        guard let job = jobs.withLock({ $0.removeValue(forKey: id) }) else { return false }
        job.maker.cancel()
        return true
    }

    /// Removes all clips.
    package func close() {
        for id in jobs.withLock({ Array($0.keys) }) { _ = drop(id) }
        folder.discard(folder.path)
    }

    // MARK: -

    private func touched(_ id: String) -> Job? {
        forgetOld()
        return jobs.withLock { jobs in
            jobs[id]?.touched = now()
            return jobs[id]
        }
    }

    /// Changes a clip.
    ///
    /// - Returns: false if the clip was removed in the meantime.
    @discardableResult
    private func change(_ id: String, _ body: (inout Job) -> Void) -> Bool {
        jobs.withLock { jobs in
            guard var job = jobs[id] else { return false }
            body(&job)
            jobs[id] = job
            return true
        }
    }

    private func forgetOld() {
        let old = now() - limits.life
        // The files are closed outside the lock, as in `enter`.
        let gone = jobs.withLock { jobs in
            let gone = jobs.filter { $0.value.isOver && $0.value.touched < old }
            for id in gone.keys { jobs[id] = nil }
            return gone
        }
        withExtendedLifetime(gone) {}
    }

    /// Schedules the removal of old clips, so that their space is freed even without further requests.
    private func forgetLater() {
        guard isTended.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
        let life = limits.life
        Task { [weak self] in
            // A later request extends the life of a clip.
            repeat {
                try? await Task.sleep(for: .seconds(life + 1))
                self?.forgetOld()
            } while self?.jobs.withLock({ $0.values.contains { $0.isOver } }) == true
            self?.isTended.store(false, ordering: .relaxed)
            // A clip may have been finished just now.
            if self?.jobs.withLock({ $0.values.contains { $0.isOver } }) == true { self?.forgetLater() }
        }
    }
}
