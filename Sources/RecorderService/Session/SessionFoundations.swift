import Foundation
import RealTime

/// What a session stands on. Tests put others in its place.
struct SessionFoundations: Sendable {
    var clock: any HostClock = MonotonicClock()
    var wallClock: @Sendable () -> Date = { Date() }
    /// Seconds by which the wall clock may be wrong; nil where nobody vouches for it.
    var wallError: @Sendable () -> Double? = { WallClock.largestError.map { Double($0) / 1e6 } }
    /// How many nanoseconds the camera's start waits for the microphone's first block.
    var soundPatience: Int64 = 300_000_000
    /// nil: those that the configuration asks for.
    var makeEncoder: EncoderMaker?
    var makeFile:
        @Sendable (RecordingFileOpening, RecordingFile.Plan, @escaping @Sendable (RecordingFileEvent) -> Void) ->
            any RecordingFileSink =
            { RecordingFile($0, $1, events: $2) }
    /// Bytes that the disk of a directory has left.
    var freeSpace: @Sendable (String) -> Int64? = { DiskSpace.free(at: $0) }
    /// Bytes after which a file in a directory should end; nil where it may grow.
    var largestFile: @Sendable (String) -> Int64? = { DiskSpace.largestFile(at: $0) }
    /// Of the whole process.
    var memory = MemoryReturn.process
}

/// What takes how long, since the session began.
struct SessionLatencies: Sendable {
    /// For how long a picture's hand-over holds the camera's thread.
    let append = LatencyMeter()
    let encode = LatencyMeter()
    let write = LatencyMeter()
    let sync = LatencyMeter()
}
