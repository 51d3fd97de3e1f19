/// A recording's files that could not be written completely and are not closed or finalized yet. A pure value.
struct FailedFiles {
    private var failed: Set<Int> = []
    /// Files that wait for another attempt to finalize them.
    private var cutShort: [CutShortFile] = []

    /// Records a file that will be closed as it is, without being finalized.
    mutating func recordFailed(_ number: Int) { failed.insert(number) }

    /// Returns the files to close. A later call does not return them again.
    mutating func takeFailed() -> Set<Int> {
        defer { failed = [] }
        return failed
    }

    /// Keeps a file for another attempt to finalize it.
    mutating func retry(_ file: CutShortFile) { cutShort.append(file) }

    /// Returns the files whose next attempt is due. A later call does not return them again.
    ///
    /// - Parameter all: True if all of them are due, because everything is written.
    mutating func takeDue(at now: Int64, all: Bool) -> [CutShortFile] {
        let due = cutShort.filter { all || $0.due <= now }
        cutShort.removeAll { all || $0.due <= now }
        return due
    }
}
