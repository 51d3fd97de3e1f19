import MediaTypes

/// The limits at which a recording ends automatically. A plain value.
struct RecordingLimits: Sendable, Equatable {
    /// The maximum duration of the movie. If it is not numeric, there is no limit.
    var duration = MediaTime.invalid
    /// The maximum size of the file in bytes; 0 if there is no limit.
    var fileSize: Int64 = 0
    /// The minimum number of free bytes on the disk; 0 if there is no limit.
    var freeSpace: Int64 = 0

    /// Why a recording ended.
    enum End: Sendable, Equatable {
        case stopped
        case maximumDuration
        case maximumFileSize
        case diskFull
        /// The session was configured differently; the words say how.
        case configurationChanged(String)
        case failed(MediaError)
    }

    /// Returns the limit that a recording has reached; nil if it has reached none.
    func reached(duration recorded: MediaTime, fileSize written: Int64) -> End? {
        if duration.isNumeric, recorded >= duration { return .maximumDuration }
        return fileSize > 0 && written >= fileSize ? .maximumFileSize : nil
    }

    /// Returns true if less space than the limit is free; unknown space counts as enough.
    func isFull(free: Int64?) -> Bool { freeSpace > 0 && free.map { $0 < freeSpace } ?? false }
}
