import FileSystem
import Foundation
import MediaTypes

/// Carries out a request for a clip. Begins with the first step that an earlier run did not finish, judging by the
/// files on the disk.
struct RangeRun {
    private let keeper: RangeKeeper
    private let name: RecordingName
    private var request: RangeRequest
    private var steps: RangeSteps
    /// The parts of each clip; nil until this run has planned them.
    private var groups: [[RangePlan.Part]]?
    /// The clips that this run has verified.
    private var verified: Set<Int> = []

    init(_ keeper: RangeKeeper, _ request: RangeRequest, _ name: RecordingName) {
        (self.keeper, self.request, self.name) = (keeper, request, name)
        var steps = RangeSteps(releasesFiles: request.releasesFiles)
        steps.clips = request.clips.map { path -> RangeSteps.Clip in
            // This program writes the pin once the clip is complete. A sidecar of another program or of the user does
            // not prove that the clip is complete.
            guard FolderContents.size(of: path) ?? 0 > 0 else { return .missing }
            if case .pin = RecordingPins.contents(of: path) { return .kept }
            return .named
        }
        self.steps = steps
    }

    private var requests: RangeRequests { RangeRequests(name: name, state: keeper.state) }

    /// Takes all remaining steps. An error that would occur again in every later attempt ends the request, and the
    /// files stay kept.
    func run(_ report: (RangeKeeper.Event) -> Void) async throws(MediaError) {
        var run = self
        while true {
            let step = run.steps.next
            do throws(MediaError) { try await run.take(step, report) } catch {
                guard Self.hopeless.contains(error.code), step != .releaseFiles else { throw error }
                requests.remove(run.request)
                throw MediaError(
                    error.code, error.action, reason: error.reason, underlying: error.underlying,
                    wayOut: "the files stay kept" + (error.wayOut.isEmpty ? "" : "; \(error.wayOut)"))
            }
            try keeper.passed(run.steps)
            if step == .end { return }
        }
    }

    private static let hopeless: Set<MediaError.Code> = [
        .notFound, .corruptData, .unsupported, .invalidSample, .invalidSettings, .invalidState, .outputExists,
    ]

    private mutating func take(
        _ step: RangeSteps.Step, _ report: (RangeKeeper.Event) -> Void
    ) async throws(MediaError) {
        switch step {
        case .keepFiles:
            try keepFiles(report)
            steps.areFilesKept = true
        case .plan:
            let groups = try await planned()
            request.clips = request.clipPaths(
                groups.map { $0.first?.begin ?? request.from }, like: groups.first?.first?.file ?? "")
            try requests.store(request)
            steps.clips = request.clips.map { _ in .missing }
        case .makeClip(let index):
            try await makeClip(index)
            verified.insert(index)
            steps.clips[index] = .named
        case .keepClip(let index):
            try await keepClip(index, report)
            steps.clips[index] = .kept
        case .releaseFiles:
            for file in request.files {
                let path = RangeKeeper.present(file) ?? file.path
                let isReleased = try keeper.pins.release(path, of: request.id)
                // An earlier clip usually stays kept, and was not reported as a file of this range.
                if OutputLocation.isThere(path), isReleased || !RangeRequest.isClip(path) {
                    report(.released(path, isReleased))
                }
            }
            steps.areFilesReleased = true
        case .end: requests.remove(request)
        }
    }

    /// Keeps the files. If one file cannot be kept, still tries the others.
    private func keepFiles(_ report: (RangeKeeper.Event) -> Void) throws(MediaError) {
        var failures: [MediaError] = []
        for file in request.files {
            do throws(MediaError) {
                let path = RangeKeeper.present(file) ?? file.path
                // A clip of an earlier request has its own note and its own reason to be kept.
                let isClip = RangeRequest.isClip(path)
                let change = try keeper.pins.keep(
                    path, note: isClip ? nil : request.note, request: request.releasesFiles ? request.id : nil)
                if !isClip || !change.wasKept { report(.kept(change)) }
            } catch {
                failures.append(error)
                report(.notKept(error))
            }
        }
        guard let first = failures.first else { return }
        throw MediaError(
            first.code, "cannot make a clip",
            reason: "\(failures.count) of \(request.files.count) files could not be kept",
            underlying: first.underlying, wayOut: "keep the range again once this is fixed")
    }

    /// Returns the parts of each clip. Plans one clip of all files if that clip would lack nothing; otherwise, plans
    /// one clip for each file.
    private mutating func planned() async throws(MediaError) -> [[RangePlan.Part]] {
        if let groups { return groups }
        let plan = RangePlan(try await keeper.sources(request), request.range)
        guard let first = plan.parts.first else {
            throw MediaError(
                .notFound, "cannot make a clip", reason: "\(name) recorded nothing in this time range",
                wayOut: "`recorder unkeep` ends the protection of the files")
        }
        try keeper.checkRoom(plan.parts, of: name, in: first.file.parentDirectory)
        var groups = plan.parts.map { [$0] }
        if groups.count > 1, request.clips.isEmpty ? plan.isSeamless : request.clips.count == 1 {
            let isJoined = try await keeper.clipMaker.joinsWithoutLoss(plan.parts.map(\.file))
            if isJoined { groups = [plan.parts] }
        }
        guard request.clips.isEmpty || request.clips.count == groups.count else {
            throw MediaError(
                .invalidState, "cannot resume the clip", reason: "its recordings have changed",
                wayOut: "keep the range again")
        }
        self.groups = groups
        return groups
    }

    /// Makes a clip in a hidden directory, verifies the clip, and moves it to its final path beside that directory.
    private mutating func makeClip(_ index: Int) async throws(MediaError) {
        let parts = try await planned()[index]
        let path = request.clips[index]
        let place = path.parentDirectory.appendingComponent(".\(path.lastComponent).making")
        // Removes the files of an attempt that crashed.
        FolderContents.removeAll(place)
        let code = FolderContents.create(place, mode: 0o700)
        guard code == 0 else { throw MediaError(errno: code, "cannot create \(place)") }
        defer { FolderContents.removeAll(place) }
        let partial = place.appendingComponent("clip.\(path.fileExtension)")
        try await keeper.clipMaker.make(parts, at: partial)
        try await keeper.clipMaker.verify(parts, at: partial)
        try Self.synchronize(partial)
        // On a file system that cannot rename exclusively, a crash in `renameExclusively` may have left an empty file.
        if FolderContents.size(of: path) == 0 { unlink(path) }
        guard renameExclusively(partial, path) == 0 else { throw MediaError(errno: errno, "cannot create \(path)") }
        guard synchronizeDirectory(path.parentDirectory) == 0 else {
            throw MediaError(errno: errno, "cannot sync directory \(path.parentDirectory)")
        }
    }

    /// Keeps a clip, and enters it in the catalogue, so that lists show the clip and `recorder delete` can delete it.
    private mutating func keepClip(_ index: Int, _ report: (RangeKeeper.Event) -> Void) async throws(MediaError) {
        let path = request.clips[index]
        if !verified.contains(index) {
            // An earlier run crashed after it had named the clip and before it had written the pin.
            let parts = try await planned()[index]
            try await keeper.clipMaker.verify(parts, at: path)
            try Self.synchronize(path)
        }
        let change = try keeper.pins.keep(path, note: request.note)
        let catalogue = RecordingCatalogue(name, in: keeper.state)
        let clock = try? keeper.clipMaker.clock(of: path)
        // Ignores an error: even without an entry, the sidecar keeps the clip.
        let root = files.compactMap { (try? catalogue.entry($0))?.root }.first
        try? catalogue.add(
            path, root: root, .init(started: clock?.begin, duration: clock?.duration, ending: .stopped))
        report(.clip(change))
    }

    /// The final paths of the files.
    private var files: [String] {
        request.files.map { file in
            let path = RangeKeeper.present(file) ?? file.path
            return OutputLocation.finalPath(of: path) ?? path
        }
    }

    private static func synchronize(_ path: String) throws(MediaError) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw MediaError(errno: errno, "cannot open \(path)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw MediaError(errno: errno, "cannot sync \(path)") }
    }
}
