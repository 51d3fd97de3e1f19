/// The order of the steps that replace the kept files of a range with kept clips. A pure value.
///
/// At every moment, either all files or all clips are kept. Therefore a crash after any step loses nothing.
struct RangeSteps: Sendable, Hashable {
    enum Clip: Sendable, Hashable {
        case missing
        /// The clip is complete and synced, and has its final name.
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

    /// True if the entire range is protected from deletion.
    var isSafe: Bool { areFilesKept || areClipsKept }

    private var areClipsKept: Bool { !clips.isEmpty && clips.allSatisfy { $0 == .kept } }

    var next: Step {
        // Checked first: after a crash during the release, some of the files may not exist any more.
        if areClipsKept { return releasesFiles && !areFilesReleased ? .releaseFiles : .end }
        guard areFilesKept else { return .keepFiles }
        guard !clips.isEmpty else { return .plan }
        if let index = clips.firstIndex(of: .missing) { return .makeClip(index) }
        return clips.firstIndex(of: .named).map { .keepClip($0) } ?? .end
    }
}
