package import RealTime
package import RecorderStorage

/// A snapshot of all counters and measurements of the process.
package struct RecorderMetrics: Sendable, Equatable {
    package struct Track: Sendable, Equatable {
        package var captured: Int64 = 0
        package var written: Int64 = 0
        package var dropped = RecordingStatus.Drops(.init())
        /// Samples that pauses left out.
        package var paused: Int64 = 0
        package var queueDepth = 0
        /// Frames that were encoded with reduced effort, and the encoder's current step.
        package var eased: Int64 = 0
        package var effortStep: Int?
        package var gaps: Int64 = 0
        package var gapFrames: Int64 = 0
        /// The number of disconnects of the device.
        package var timesLost: Int64 = 0
        package var isPresent = true

        package init() {}
    }

    package var state = RecordingStatus.State.armed
    package var video: Track?
    package var audio: Track?
    package var driftPPM: Double?
    package var syncOffset: Double?
    package var diskFree: Int64?
    package var bytesWritten: Int64 = 0
    package var segmentsFinished: Int64 = 0
    package var preRollBytes: Int64 = 0
    /// The states of the two mirrored files of the newest file; empty without a mirror.
    package var mirror: [RecordingStatus.MirroredFile] = []
    /// nil if no remote is configured.
    package var copies: CopyAccount?
    /// Seconds for which the camera's thread is busy handing over a frame.
    package var appendLatency = LatencyHistogram()
    /// Seconds from a sample's arrival to its packet, from `write` to its return, and of one sync.
    package var encodeLatency = LatencyHistogram()
    package var writeLatency = LatencyHistogram()
    package var syncLatency = LatencyHistogram()

    package init() {}
}
