/// The order of the steps in which clips take the place of the files of a range. A pure value.
///
/// At each moment the files are kept, or all clips are: a crash after any step loses nothing.
struct RangeSteps: Sendable, Hashable {
    enum Clip: Sendable, Hashable {
        case missing
        /// It has its final name, is complete and synced.
        case named
        case kept
    }

    enum Step: Sendable, Hashable {
        case keepFiles
        /// Decides which clips are made, and stores their names.
        case plan
        case makeClip(Int)
        case keepClip(Int)
        case releaseFiles
        case end
    }

    let releasesFiles: Bool
    var areFilesKept = false
    /// The clips; empty before the plan.
    var clips: [Clip] = []
    var areFilesReleased = false

    init(releasesFiles: Bool) { self.releasesFiles = releasesFiles }

    /// True if nothing of the range can be deleted.
    var isSafe: Bool { areFilesKept || areClipsKept }

    private var areClipsKept: Bool { !clips.isEmpty && clips.allSatisfy { $0 == .kept } }

    var next: Step {
        // Also after a crash in the middle of the release, when some files may be gone.
        if areClipsKept { return releasesFiles && !areFilesReleased ? .releaseFiles : .end }
        guard areFilesKept else { return .keepFiles }
        guard !clips.isEmpty else { return .plan }
        if let index = clips.firstIndex(of: .missing) { return .makeClip(index) }
        return clips.firstIndex(of: .named).map { .keepClip($0) } ?? .end
    }
}
