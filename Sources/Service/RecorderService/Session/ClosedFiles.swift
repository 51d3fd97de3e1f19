import MediaTypes
import RecorderStorage

/// The files of a recording that are finalized or lost: the sums over all of them, and the newest ones. A pure value.
struct ClosedFiles {
    /// Maximum number of files in the status.
    private static let mostNamed = 100

    private(set) var bytes: Int64 = 0
    /// The latest end of any file.
    private(set) var end: MediaTime?
    /// The newest finished files. A recording of a year has too many files to keep all of them in memory. The log lists
    /// all files.
    private var finished: [(number: Int, segment: RecordingStatus.Segment)] = []

    /// The newest finished files, by number.
    var segments: [RecordingStatus.Segment] { finished.map(\.segment) }

    /// Adds a file. Changes nothing if the file is nil, which means that it is unknown.
    ///
    /// - Returns: The file's size and end.
    mutating func add(_ file: (any RecordingFileSink)?) -> (bytes: Int64, end: MediaTime?) {
        let size = file?.bytesWritten ?? 0
        bytes += size
        let last = file?.end
        if let last { end = max(end ?? last, last) }
        return (size, last)
    }

    /// Adds a finished file. A file may be finalized before the file with the previous number.
    mutating func add(_ segment: RecordingStatus.Segment, _ number: Int) {
        let place = finished.lastIndex { $0.number < number }.map { $0 + 1 } ?? 0
        finished.insert((number, segment), at: place)
        if finished.count > Self.mostNamed { finished.removeFirst() }
    }
}
