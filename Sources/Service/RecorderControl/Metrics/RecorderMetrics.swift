package import RealTime
package import RecorderStorage

/// The status of a recording, with the counts and measurements that only a monitoring system reads.
package struct RecorderMetrics: Sendable, Equatable {
    package var status: RecordingStatus
    /// The number of times that the camera was disconnected. `microphoneLosses` counts the same for the microphone.
    package var cameraLosses: Int64 = 0
    package var microphoneLosses: Int64 = 0
    /// The number of audio samples that wait for the encoder.
    package var audioQueueDepth = 0
    package var segmentsFinished: Int64 = 0
    /// The maximum error of the wall clock in seconds; nil if the clock is not synchronized.
    package var clockUncertainty: Double?
    /// The time that the camera's thread takes to hand over a frame, in seconds.
    package var appendLatency = LatencyHistogram()
    /// The time from a sample's arrival to its packet, in seconds. `writeLatency` and `syncLatency` are the durations
    /// of one write and one sync.
    package var encodeLatency = LatencyHistogram()
    package var writeLatency = LatencyHistogram()
    package var syncLatency = LatencyHistogram()

    package init(_ status: RecordingStatus) { self.status = status }
}
