import AssetIO
import Dispatch
import FileSystem
import Foundation
import Glibc
import MediaTypes
import RealTime

/// One movie that is recorded from a session's connections, by the library's writer. Each fragment is synced as it is
/// written, so that a crash loses about a second.
final class MovieRecording: Sendable {
    /// An event for the owner, reported on the recording's own queue.
    enum Event: Sendable {
        case started(MediaTime)
        case paused, resumed
        case finished(RecordingLimits.End, Result<Void, MediaError>)
    }

    typealias Report = @Sendable (MovieRecording, Event) -> Void

    private struct State: Sendable {
        var sessions: RecordingSessions
        var limits: RecordingLimits
        /// True if the writer has begun a session.
        var hasBegun = false
        /// The time of the last check of the free space, in nanoseconds of the monotonic clock.
        var checked: Int64 = 0
        var end: RecordingLimits.End?
    }

    let url: URL
    private let writer: AssetWriter
    let video: AssetWriterInput?
    private let audio: AssetWriterInput?
    private let state: Locked<State>
    private let report: Report
    /// The queue for all work that may wait for the disk.
    private let files = DispatchQueue(label: "recorder.movie-file-output")

    /// - Parameters:
    ///   - inputs: inputs that do not belong to a writer yet; at most one of each kind.
    ///   - report: a closure that is called for each event, on the recording's own queue.
    init(
        to url: URL, inputs: [AssetWriterInput], limits: RecordingLimits,
        configure: (inout AssetWriter.Configuration) -> Void, report: @escaping Report
    ) throws(MediaError) {
        self.url = url
        writer = try AssetWriter(outputURL: url)
        try writer.configure(configure)
        for input in inputs {
            try input.configure { $0.expectsMediaDataInRealTime = true }
            try writer.add(input)
        }
        video = inputs.first { $0.mediaType == .video }
        audio = inputs.first { $0.mediaType == .audio }
        state = Locked(State(sessions: RecordingSessions(hasVideo: video != nil), limits: limits))
        self.report = report
        try writer.startWriting()
    }

    // MARK: Devices' threads

    /// The result of appending a sample.
    private enum Outcome {
        case leftOut, appended
        /// The sample is the first one of the recording.
        case began(MediaTime)
        case refused(MediaError)
    }

    /// Appends a sample. Takes constant time and does not wait. A sample of another format than that of the recording's
    /// beginning ends the recording: the movie's track cannot continue with it.
    ///
    /// - Parameter owner: An object that is retained until the recording's end is reported, if this sample ends the
    ///   recording.
    func append(_ sample: SampleBuffer, keeping owner: (any Sendable)? = nil) {
        let input = sample.format.mediaType == .video ? video : audio
        guard let input else { return }
        if let difference = input.difference(of: sample.format) {
            return stop(.configurationChanged("the source has another format: \(difference)"), keeping: owner)
        }
        let written = writer.bytesWritten
        if writer.status == .failed { return stop(.failed(writer.error ?? Self.unknown), keeping: owner) }
        // The lock is held while the sample is appended, for two reasons. A pause or the end cannot come between the
        // decision and the appending, so an earlier sample gets into the movie. Also, the other device's thread
        // appends nothing before the session has begun. The writer does not wait, so the lock is held only briefly.
        let outcome: Outcome = state.withLock { state in
            let isFirst = state.sessions.start == nil
            switch state.sessions.add(sample) {
            case .leaveOut: return .leftOut
            case .append:
                _ = try? input.append(sample)
                return .appended
            case .begin(let time, let held):
                do throws(MediaError) { try writer.startSession(atSourceTime: time) } catch { return .refused(error) }
                state.hasBegun = true
                for block in held { _ = try? audio?.append(block) }
                _ = try? input.append(sample)
                return isFirst ? .began(time) : .appended
            }
        }
        switch outcome {
        case .leftOut: return
        case .refused(let error): return stop(.failed(error), keeping: owner)
        case .began(let time): files.async { self.report(self, .started(time)) }
        case .appended: break
        }
        checkLimits(written, keeping: owner)
    }

    /// Counts samples that the device lost. Does nothing while samples are not recorded, for example during a pause.
    func lose(_ count: Int64, _ cause: DropCause, isVideo: Bool) {
        guard state.withLock({ $0.sessions.isRunning }) else { return }
        (isVideo ? video : audio)?.recordLoss(count, cause: cause)
    }

    private func checkLimits(_ written: Int64, keeping owner: (any Sendable)?) {
        let now = MonotonicClock().nanoseconds
        let (reached, isDue) = state.withLock { state in
            let reached = state.limits.reached(duration: state.sessions.recorded, fileSize: written)
            let isDue = state.limits.freeSpace > 0 && now - state.checked > 1_000_000_000
            if isDue { state.checked = now }
            return (reached, isDue)
        }
        if let reached { return stop(reached, keeping: owner) }
        guard isDue else { return }
        files.async { [weak self] in self?.checkSpace(keeping: owner) }
    }

    /// Reads the free space, which may wait for a disk.
    private func checkSpace(keeping owner: (any Sendable)?) {
        let folder = url.deletingLastPathComponent().path
        let free = (try? FileManager.default.attributesOfFileSystem(forPath: folder))?[.systemFreeSize] as? NSNumber
        if state.withLock({ $0.limits.isFull(free: free?.int64Value) }) { stop(.diskFull, keeping: owner) }
    }

    // MARK: The owner

    var recorded: MediaTime { state.withLock { $0.sessions.recorded } }
    var byteCount: Int64 { writer.bytesWritten }
    var isPaused: Bool { state.withLock { $0.sessions.isPaused } }

    func setLimits(_ limits: RecordingLimits) { state.withLock { $0.limits = limits } }

    /// Pauses the recording. Reports an event if the recording was neither paused nor ended.
    func pause() {
        let isPaused = state.withLock { state in
            guard !state.sessions.isPaused, !state.sessions.isEnded else { return false }
            if let time = state.sessions.pause() { try? writer.endSession(atSourceTime: time) }
            return true
        }
        if isPaused { files.async { self.report(self, .paused) } }
    }

    /// Resumes the recording. Reports an event if the recording was paused.
    func resume() {
        if state.withLock({ $0.sessions.resume() }) { files.async { self.report(self, .resumed) } }
    }

    /// Ends the recording, finalizes the movie, and reports an event afterwards. Only the first call has an effect.
    ///
    /// - Parameter owner: An object that is retained until the event is reported.
    func stop(_ end: RecordingLimits.End, keeping owner: (any Sendable)? = nil) {
        let hasBegun: Bool? = state.withLock { state in
            // The sample that reached the limit may end after the limit.
            if end == .maximumDuration, let time = state.sessions.cut(to: state.limits.duration) {
                try? writer.endSession(atSourceTime: time)
            }
            guard state.sessions.end() else { return nil }
            state.end = end
            return state.hasBegun
        }
        guard let hasBegun else { return }
        files.async { self.finish(end, hasBegun: hasBegun, keeping: owner) }
    }

    private func finish(_ end: RecordingLimits.End, hasBegun: Bool, keeping owner: (any Sendable)?) {
        guard hasBegun else {
            writer.cancelWriting()
            let reason = writer.error ?? Self.empty
            return withExtendedLifetime(owner) { report(self, .finished(end, .failure(reason))) }
        }
        writer.finishWriting { [self] result in
            files.async { withExtendedLifetime(owner) { self.report(self, self.outcome(end, result)) } }
        }
    }

    /// Returns the event that says how the recording ended. If the writer failed, for example because the disk is full,
    /// this function first finalizes the movie up to its last fragment.
    private func outcome(_ end: RecordingLimits.End, _ result: Result<Void, MediaError>) -> Event {
        switch result {
        case .success:
            // If one track fails, the other one continues. The program gets the track's error even if a limit ended the
            // recording.
            if let error = video?.error ?? audio?.error { return .finished(.failed(error), result) }
            return .finished(end, result)
        case .failure(let error):
            return repairMovie() ? .finished(.failed(error), .success(())) : .finished(end, result)
        }
    }

    /// Finalizes the intact part of a movie whose writer has failed. May block on the disk.
    ///
    /// - Returns: false if the movie cannot be repaired; the file then keeps its temporary name, and can be repaired
    ///   later.
    private func repairMovie() -> Bool {
        guard !FileManager.default.fileExists(atPath: url.path) else { return false }
        let file = writer.temporaryURL
        do throws(MediaError) {
            return isOutput(try MovieRepair.repair(file))
        } catch {
            guard error.code == .diskFull else { return false }
        }
        // The index needs free space. It gets the space of the last fragment, which is incomplete on the disk. Only the
        // bytes after those that the writer reports as written are removed.
        let written = Int(writer.bytesWritten)
        guard written > 0, Self.cut(file.path, to: written), let report = try? MovieRepair.repair(file) else {
            return false
        }
        return isOutput(report)
    }

    /// Truncates a regular file to `size` bytes. Returns false if the file is not longer than that, is not a regular
    /// file, or is not writable.
    private static func cut(_ path: String, to size: Int) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = FileStatus()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > size
            && ftruncate(descriptor, size) == 0
    }

    /// Returns true if the repaired movie has the name that the program chose.
    private func isOutput(_ report: RepairReport) -> Bool { URL(fileURLWithPath: report.file).path == url.path }

    /// The account of one kind of media.
    func ledger(_ type: MediaType) -> Ledger? { (type == .video ? video : audio)?.ledger }

    static let empty = MediaError(
        .notFound, "cannot record", reason: "no sample was captured",
        wayOut: "check that the camera delivers frames")
    private static let unknown = MediaError(.ioFailure, "cannot record", reason: "the writer failed")
}
