/// What a meter shows, several times a second: `GET /v1/levels` sends one a line. `docs/json.md` describes every key.
public struct RecordingLevels: Codable, Sendable, Equatable {
    public var state: RecordingStatus.State
    /// Seconds recorded.
    @OrNull public var duration: Double?
    /// dBFS.
    @OrNull public var levelPeak: Double?
    @OrNull public var levelRMS: Double?
    /// Frames a second, lately.
    @OrNull public var frameRate: Double?

    init(state: RecordingStatus.State, duration: Double?, level: LevelMeter.Level?, frameRate: Double?) {
        self.state = state
        self.duration = duration
        levelPeak = level?.peak
        levelRMS = level?.rms
        self.frameRate = frameRate
    }

    public init(_ status: RecordingStatus) {
        state = status.state
        duration = status.duration
        levelPeak = status.audio?.levelPeak
        levelRMS = status.audio?.levelRMS
        frameRate = status.video?.frameRate
    }
}
