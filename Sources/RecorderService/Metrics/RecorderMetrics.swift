package import RealTime

/// What the process has counted and measured until now: a value, taken in one moment.
package struct RecorderMetrics: Sendable, Equatable {
    package struct Track: Sendable, Equatable {
        package var captured: Int64 = 0
        package var written: Int64 = 0
        package var dropped = RecordingStatus.Drops(.init())
        /// What pauses left out.
        package var paused: Int64 = 0
        package var queueDepth = 0
        /// Pictures that were encoded with less effort than was asked for, and the step that the encoder is at.
        package var eased: Int64 = 0
        package var effortStep: Int?
        package var gaps: Int64 = 0
        package var gapSamples: Int64 = 0
        /// How often the device went away.
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
    /// How the two copies of the newest file stand; empty where there is one.
    package var mirror: [RecordingStatus.Copy] = []
    /// nil when nothing is copied anywhere.
    package var copies: CopyAccount?
    /// Seconds for which a picture's hand-over holds the camera's thread.
    package var appendLatency = LatencyHistogram()
    /// Seconds from a sample's arrival to its packet, from `write` to its return, and of one sync.
    package var encodeLatency = LatencyHistogram()
    package var writeLatency = LatencyHistogram()
    package var syncLatency = LatencyHistogram()

    package init() {}
}
