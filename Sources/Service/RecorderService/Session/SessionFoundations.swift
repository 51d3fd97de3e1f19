import Foundation
import RealTime
import RecorderStorage

/// The system services of a session. Tests replace them.
struct SessionFoundations: Sendable {
    var clock: any HostClock = MonotonicClock()
    var wallClock: @Sendable () -> Date = { Date() }
    /// The maximum error of the wall clock in seconds; nil if unknown.
    var wallError: @Sendable () -> Double? = { WallClock.largestError.map { Double($0) / 1e6 } }
    /// Maximum time for which the camera's start waits for the microphone's first block, in nanoseconds.
    var audioPatience: Int64 = 300_000_000
    /// Creates encoders; nil to create the configured ones.
    var makeEncoder: EncoderMaker?
    var makeFile:
        @Sendable (RecordingFileOpening, RecordingFile.Plan, @escaping @Sendable (RecordingFileEvent) -> Void) ->
            any RecordingFileSink =
            { RecordingFile($0, $1, events: $2) }
    /// Returns the free bytes of a directory's disk.
    var freeSpace: @Sendable (String) -> Int64? = { DiskSpace.free(at: $0) }
    /// Returns the number of bytes after which a file in a directory should end; nil without a limit.
    var largestFile: @Sendable (String) -> Int64? = { DiskSpace.largestFile(at: $0) }
    /// The functions that return the process's memory to the system.
    var memory = MemoryReturn.process
}

/// Latencies since the session began.
struct SessionLatencies: Sendable {
    /// The time that the camera's thread takes to hand over a frame.
    let append = LatencyMeter()
    let encode = LatencyMeter()
    let write = LatencyMeter()
    let sync = LatencyMeter()
}
