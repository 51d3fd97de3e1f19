import AssetIO
import RecorderStorage

/// The recording files whose two mirrored files are not both complete yet, by number. A pure value.
struct MirroredFiles {
    /// The two mirrored files of one recording file.
    struct File {
        let recording: MirroredRecording
        /// The paths of the mirrored files that are complete, by index.
        fileprivate(set) var whole: [Int: String] = [:]
        /// The path of the mirrored file that remains if the other one was deleted, moved or replaced; nil while both
        /// may become complete.
        fileprivate(set) var alone: String?
        /// The file's facts for the catalogues; nil before it is finished.
        fileprivate(set) var account: FinishedRecording.Account?
        fileprivate var conditions: [MirroredFileStatus.Condition?] = [nil, nil]

        fileprivate init(recording: MirroredRecording) { self.recording = recording }
    }

    /// Maximum number of recording files that are remembered because one of their mirrored files is incomplete.
    private static let most = 100

    private var files: [Int: File] = [:]

    subscript(_ number: Int) -> File? { files[number] }

    /// The paths of the mirrored files that are being written.
    var open: Set<MirroredRecording> { Set(files.values.filter { $0.account == nil }.map(\.recording)) }

    /// Adds a file.
    mutating func add(_ number: Int, _ recording: MirroredRecording) {
        files[number] = File(recording: recording)
        if files.count > Self.most, let oldest = files.keys.min() { files[oldest] = nil }
    }

    mutating func remove(_ number: Int) { files[number] = nil }

    /// Returns true if the recording file is known and its mirrored file `index` has this path.
    func has(_ path: String, _ number: Int, _ index: Int) -> Bool {
        files[number].map { $0.recording.paths[index] == path } ?? false
    }

    /// Records the condition of one mirrored file.
    ///
    /// - Returns: The condition before; nil if none was known.
    mutating func record(
        _ condition: MirroredFileStatus.Condition, _ number: Int, _ index: Int
    ) -> MirroredFileStatus.Condition? {
        defer { files[number]?.conditions[index] = condition }
        return files[number]?.conditions[index]
    }

    /// Returns true if a mirrored file is known to be unavailable: its disk is full or disconnected, or the file was
    /// deleted.
    func isUnavailable(_ number: Int, _ index: Int) -> Bool {
        files[number]?.conditions[index]?.isUnavailable ?? false
    }

    /// Records that one mirrored file is complete.
    mutating func recordWhole(_ path: String, _ number: Int, _ index: Int) { files[number]?.whole[index] = path }

    /// Records the path of the mirrored file that remains if the other one was deleted, moved or replaced.
    mutating func recordAlone(_ path: String, _ number: Int) { files[number]?.alone = path }

    /// Records that a file is finished.
    ///
    /// - Parameter isElsewhere: True if the user moved the first mirrored file, so that retention ignores it.
    /// - Returns: The file as it was before; nil if it is not mirrored.
    mutating func finish(_ number: Int, _ account: FinishedRecording.Account, isElsewhere: Bool) -> File? {
        guard let before = files[number] else { return nil }
        files[number]?.account = account
        if isElsewhere { files[number]?.whole[0] = nil }
        return before
    }
}
