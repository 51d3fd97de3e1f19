package import RealTime
package import RecorderStorage

/// The status of a recording, with the counts and measurements that only a monitoring system reads.
package struct RecorderMetrics: Sendable, Equatable {
    package var status: RecordingStatus
    /// The number of disconnects of each device.
    package var cameraLosses: Int64 = 0
    package var microphoneLosses: Int64 = 0
    /// Samples of audio that wait for the encoder.
    package var audioQueueDepth = 0
    package var segmentsFinished: Int64 = 0
    /// Seconds for which the camera's thread is busy handing over a frame.
    package var appendLatency = LatencyHistogram()
    /// Seconds from a sample's arrival to its packet, from `write` to its return, and of one sync.
    package var encodeLatency = LatencyHistogram()
    package var writeLatency = LatencyHistogram()
    package var syncLatency = LatencyHistogram()

    package init(_ status: RecordingStatus) { self.status = status }
}
