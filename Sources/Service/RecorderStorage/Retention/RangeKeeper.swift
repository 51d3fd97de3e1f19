import AssetIO
import FileSystem
import Foundation
package import MediaTypes

/// Makes clips. The program `recorder` implements this protocol.
package protocol RangeClipMaking: Sendable {
    /// Returns when a file was recorded, finished or in progress.
    func clock(of file: String) throws(MediaError) -> MovieClock
    /// Returns true if one clip of all files would keep everything that the files contain, such as the proof of a
    /// signature.
    func joinsWithoutLoss(_ files: [String]) async throws(MediaError) -> Bool
    /// Makes a clip and syncs it to the disk. No file may exist at the path.
    func make(_ parts: [RangePlan.Part], at path: String) async throws(MediaError)
    /// Checks a clip. Throws an error if the clip is damaged, or lacks anything that the parts contain.
    func verify(_ parts: [RangePlan.Part], at path: String) async throws(MediaError)
}

/// Keeps a time range as a clip. First protects the files of the range, then makes the clip and protects it, and
/// finally, if requested, stops protecting the files.
///
/// `RangeSteps` has the order of the steps. Each step is durable before the next begins. If a step fails, the files
/// stay kept, and the request stays stored for another attempt. The calls access the disk, and take as long as making
/// the clip.
package struct RangeKeeper: Sendable {
    package enum Event: Sendable {
        case kept(OwnerPins.Change)
        case notKept(MediaError)
        /// A clip is complete and kept.
        case clip(OwnerPins.Change)
        /// This request does not keep a file any more. The Boolean is false if the file stays kept for another reason.
        case released(String, Bool)
    }

    private let owner: OwnerRemoval
    private let maker: any RangeClipMaking
    private let freeSpace: @Sendable (String) -> Int64?
    /// Waits a moment, so that a recording in progress grows.
    private let wait: @Sendable () async -> Void
    /// Called after each step. A test throws an error here to end the run.
    private let afterStep: @Sendable (RangeSteps) throws(MediaError) -> Void

    /// The maximum number of waits until a recording in progress has reached the end of the range.
    private static let mostWaits = 60

    package init(_ owner: OwnerRemoval, _ maker: any RangeClipMaking) {
        self.init(
            owner, maker, freeSpace: DiskSpace.free(at:),
            wait: { try? await Task.sleep(for: .milliseconds(500)) },
            afterStep: { (_: RangeSteps) throws(MediaError) -> Void in })
    }

    init(
        _ owner: OwnerRemoval, _ maker: any RangeClipMaking, freeSpace: @escaping @Sendable (String) -> Int64?,
        wait: @escaping @Sendable () async -> Void,
        afterStep: @escaping @Sendable (RangeSteps) throws(MediaError) -> Void
    ) {
        (self.owner, self.maker, self.freeSpace) = (owner, maker, freeSpace)
        (self.wait, self.afterStep) = (wait, afterStep)
    }

    /// Keeps the files of a range, and makes its clip.
    ///
    /// - Parameters:
    ///   - files: The paths of the files that overlap the range.
    ///   - range: Times in seconds since 1970.
    ///   - releasesFiles: True to stop keeping the files once the clip is kept.
    package func keep(
        _ files: [String], of name: RecordingName, _ range: ClosedRange<Double>, note: String?, releasesFiles: Bool,
        report: (Event) -> Void
    ) async throws(MediaError) {
        let lock = try RangeLock(sharedIn: owner.state, name)
        let number = String(UInt32.random(in: 0x1000_0000...UInt32.max), radix: 16)
        var known: [RangeRequest.File] = []
        for path in files {
            var facts = stat()
            // A file that was deleted at this moment is reported later, by the step that keeps it.
            let isThere = lstat(path, &facts) == 0
            known.append(.init(path: path, inode: isThere ? UInt64(facts.st_ino) : 0))
        }
        let request = RangeRequest(
            id: number, recorder: name.description, from: range.lowerBound, to: range.upperBound, note: note,
            releasesFiles: releasesFiles, files: known)
        try RangeRequests(name: name, state: owner.state).store(request)
        try await RangeRun(self, request, name).run(report)
        withExtendedLifetime(lock) {}
    }

    /// Returns the requests that a crash or a failure left unfinished; empty while a clip of the recorder is being
    /// made.
    package func leftovers(of name: RecordingName) -> [RangeRequest] {
        let requests = RangeRequests(name: name, state: owner.state)
        // Another process may still be carrying out the requests. Only the lock shows whether one is.
        guard !requests.all.isEmpty, let lock = try? RangeLock(exclusiveIn: owner.state, name) else { return [] }
        defer { withExtendedLifetime(lock) {} }
        return requests.all
    }

    /// Continues the requests that a crash or a failure left unfinished.
    ///
    /// - Throws: The first error, after all requests were tried; `busy` while a clip of the recorder is being made.
    package func resume(_ name: RecordingName, report: (Event) -> Void) async throws(MediaError) {
        let lock = try RangeLock(exclusiveIn: owner.state, name)
        var failure: MediaError?
        for request in RangeRequests(name: name, state: owner.state).all {
            do throws(MediaError) { try await RangeRun(self, request, name).run(report) } catch {
                if failure == nil { failure = error } else { report(.notKept(error)) }
            }
        }
        withExtendedLifetime(lock) {}
        if let failure { throw failure }
    }

    // MARK: - Parts of a run

    var pins: OwnerPins { owner.pins }
    var state: StateDirectory { owner.state }
    var clipMaker: any RangeClipMaking { maker }

    func passed(_ steps: RangeSteps) throws(MediaError) { try afterStep(steps) }

    /// Returns when the files were recorded. Waits until the files in progress have reached the end of the range.
    ///
    /// - Throws: `busy` if a file in progress does not reach the end; the errors of reading.
    func sources(_ request: RangeRequest) async throws(MediaError) -> [RangePlan.Source] {
        for _ in 0..<Self.mostWaits {
            var sources: [RangePlan.Source] = []
            var isReached = true
            for file in request.files {
                guard let path = Self.present(file) else {
                    throw MediaError(
                        .notFound, "cannot make a clip", reason: "\(file.path) was moved or deleted",
                        wayOut: "move it back, or keep the range again")
                }
                let isUnfinished = OutputLocation.finalPath(of: path) != nil
                do throws(MediaError) {
                    let clock = try maker.clock(of: path)
                    sources.append(.init(file: path, clock: clock, isClip: RangeRequest.isClip(path)))
                    if isUnfinished, clock.end < request.to { isReached = false }
                } catch {
                    // The recording has just begun, or was renamed at this moment. Try again later.
                    guard isUnfinished else { throw error }
                    isReached = false
                }
            }
            if isReached { return sources }
            await wait()
        }
        throw MediaError(
            .busy, "cannot make a clip", reason: "a recording in progress has not reached the end of the time range",
            wayOut: "`recorder keep \(request.recorder) --resume` makes it later")
    }

    /// Returns the current path of a file; nil if it was moved or deleted. If the file was unfinished, it may have its
    /// final name now.
    static func present(_ file: RangeRequest.File) -> String? {
        func isSame(_ path: String) -> Bool {
            var facts = stat()
            return lstat(path, &facts) == 0 && UInt64(facts.st_ino) == file.inode
        }
        if isSame(file.path) { return file.path }
        guard let final = OutputLocation.finalPath(of: file.path) else { return nil }
        if isSame(final) { return final }
        // The final name was taken, so the file has a name with a number.
        let directory = final.parentDirectory
        return (FolderContents.names(in: directory) ?? []).map { directory.appendingComponent($0) }
            .first { RecordingPins.unnumbered($0) == final && isSame($0) }
    }

    /// Checks that there is enough free space for the clips. The space that the recorder keeps free does not count,
    /// because retention would delete recordings to regain it.
    func checkRoom(_ parts: [RangePlan.Part], of name: RecordingName, in directory: String) throws(MediaError) {
        guard let free = freeSpace(directory) else { return }
        var needed = 0.0
        for part in parts { needed += Double(FolderContents.size(of: part.file) ?? 0) * part.share * 1.1 }
        var unusable = 0.0
        if let configuration = try? owner.configuration(name) {
            unusable = max(Double(configuration.diskReserve) * 2, Double(configuration.retention.freeSpace ?? 0))
        }
        guard needed + unusable > Double(free) else { return }
        throw MediaError(
            .diskFull, "cannot make a clip", reason: "\(directory) has too little free space",
            wayOut: "free some space, then run `recorder keep \(name) --resume`")
    }
}

extension MovieClock {
    /// Reads when a movie was recorded. Blocks while it reads the header.
    ///
    /// - Throws: The error of reading; `unsupported` if the movie does not contain its times.
    package init(reading file: String) throws(MediaError) {
        let summary = try MovieSummary(contentsOf: URL(fileURLWithPath: file))
        guard let begin = summary.clock?.wallStart ?? FinishedRecording.Account(summary)?.started,
            let duration = summary.duration, begin.isFinite, duration.isFinite, duration > 0
        else {
            throw MediaError(
                .unsupported, "cannot make a clip of \(file)", reason: "it contains no recording time")
        }
        self.init(
            begin: begin, duration: duration, pauses: (summary.clock?.pauses ?? []).sorted { $0.time < $1.time })
    }
}
