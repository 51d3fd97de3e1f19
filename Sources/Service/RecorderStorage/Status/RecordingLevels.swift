package import MediaTypes

/// The values for a meter at one time. `GET /v1/levels` sends such an object several times per second, one per line.
/// `docs/reference/json.md` describes every key.
package struct RecordingLevels: Codable, Sendable, Equatable {
    package var state: RecordingStatus.State
    /// The duration of the recording in seconds.
    @OrNull package var duration: Double?
    /// The peak level in dBFS.
    @OrNull package var levelPeak: Double?
    @OrNull package var levelRMS: Double?
    /// Frames per second over the last seconds.
    @OrNull package var frameRate: Double?

    package init(
        state: RecordingStatus.State, duration: Double?, levelPeak: Double?, levelRMS: Double?, frameRate: Double?
    ) {
        self.state = state
        self.duration = duration
        self.levelPeak = levelPeak
        self.levelRMS = levelRMS
        self.frameRate = frameRate
    }

    package init(_ status: RecordingStatus) {
        state = status.state
        duration = status.duration
        levelPeak = status.audio?.levelPeak
        levelRMS = status.audio?.levelRMS
        frameRate = status.video?.frameRate
    }
}
