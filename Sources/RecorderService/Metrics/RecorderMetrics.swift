public import RealTime

/// What the process has counted and measured until now: a value, taken in one moment.
public struct RecorderMetrics: Sendable, Equatable {
    public struct Track: Sendable, Equatable {
        public var captured: Int64 = 0
        public var written: Int64 = 0
        public var dropped = RecordingStatus.Drops(.init())
        public var queueDepth = 0
        /// Pictures that were encoded with less effort than was asked for, and the step that the encoder is at.
        public var eased: Int64 = 0
        public var effortStep: Int?
        public var gaps: Int64 = 0
        public var gapSamples: Int64 = 0
        /// How often the device went away.
        public var timesLost: Int64 = 0
        public var isPresent = true

        public init() {}
    }

    public var state = RecordingStatus.State.armed
    public var video: Track?
    public var audio: Track?
    public var driftPPM: Double?
    public var syncOffset: Double?
    public var diskFree: Int64?
    public var bytesWritten: Int64 = 0
    public var segmentsFinished: Int64 = 0
    public var preRollBytes: Int64 = 0
    /// Seconds for which a picture's hand-over holds the camera's thread.
    public var appendLatency = LatencyHistogram()
    /// Seconds from a sample's arrival to its packet, from `write` to its return, and of one sync.
    public var encodeLatency = LatencyHistogram()
    public var writeLatency = LatencyHistogram()
    public var syncLatency = LatencyHistogram()

    public init() {}
}
