public import MediaTypes

/// The state of one recording, as `recorder status --json`, `recorder stop --json` and the control API give it.
///
/// What is not known is `null`, never a number made up. `docs/json.md` describes every key.
public struct RecordingStatus: Codable, Sendable, Equatable {
    public enum State: String, Codable, Sendable, CaseIterable { case armed, recording, paused, stopping, failed }

    public struct Segment: Codable, Sendable, Equatable {
        public var file: String
        /// ISO 8601, with the machine's offset from UTC.
        @OrNull public var started: String?
        /// Seconds.
        @OrNull public var duration: Double?
        @OrNull public var bytes: Int64?
    }

    public struct Video: Codable, Sendable, Equatable {
        public var captured: Int64
        public var written: Int64
        public var dropped: Drops
        /// Frames a second: measured over the last two seconds while recording, over everything at the end.
        @OrNull public var frameRate: Double?
        /// Frames waiting for the encoder.
        @OrNull public var queueDepth: Int?
        @OrNull public var width: Int?
        @OrNull public var height: Int?
        /// Whether the camera delivers; null when nothing is known about it.
        @OrNull public var present: Bool?
        /// Seconds since the camera went away; null while it is there.
        @OrNull public var awayFor: Double?
        /// Frames that were encoded with less effort than was asked for, so that none had to be dropped.
        @OrNull public var eased: Int64?
        /// How hard the encoder works now; null where it always does the same.
        @OrNull public var effort: Effort?
        /// Bytes, and seconds, that may wait for the encoder.
        @OrNull public var queueMemory: Int64?
        @OrNull public var queueTime: Double?
    }

    /// Steps below what was asked for: 0 is none.
    public struct Effort: Codable, Sendable, Equatable {
        public var step: Int
        public var steps: Int
        public var summary: String

        public init(step: Int, steps: Int, summary: String) {
            self.step = step
            self.steps = steps
            self.summary = summary
        }
    }

    public struct Audio: Codable, Sendable, Equatable {
        /// Audio frames: one sample of each channel.
        public var captured: Int64
        public var written: Int64
        public var dropped: Drops
        @OrNull public var gaps: Int64?
        @OrNull public var gapSamples: Int64?
        @OrNull public var xruns: Int64?
        /// dBFS.
        @OrNull public var levelPeak: Double?
        @OrNull public var levelRMS: Double?
        /// How much faster than the system's clock the microphone runs, in parts per million.
        @OrNull public var driftPPM: Double?
        @OrNull public var sampleRate: Int?
        @OrNull public var channels: Int?
        /// As of the camera.
        @OrNull public var present: Bool?
        @OrNull public var awayFor: Double?
    }

    public struct Drops: Codable, Sendable, Equatable {
        public var device: Int64
        public var queue: Int64
        public var encoder: Int64
        public var corrupt: Int64
        public var paused: Int64
        public var disk: Int64

        public init(_ ledger: Ledger) {
            device = ledger[dropped: .device]
            queue = ledger[dropped: .queue]
            encoder = ledger[dropped: .encoder]
            corrupt = ledger[dropped: .corrupt]
            paused = ledger[dropped: .paused]
            disk = ledger[dropped: .disk]
        }

        public var inAll: Int64 { device &+ queue &+ encoder &+ corrupt &+ paused &+ disk }
    }

    /// What is kept in memory of the time before now.
    public struct PreRoll: Codable, Sendable, Equatable {
        /// Seconds.
        public var duration: Double
        public var bytes: Int64

        public init(duration: Double, bytes: Int64) {
            self.duration = duration
            self.bytes = bytes
        }
    }

    public struct Disk: Codable, Sendable, Equatable {
        /// Bytes that the recorder may still write.
        @OrNull public var free: Int64?
        /// Bytes a second, lately.
        @OrNull public var writeRate: Double?
    }

    public var name: String
    public var state: State
    /// Where the recording is, or will be once it is finished.
    @OrNull public var file: String?
    public var segments: [Segment] = []
    /// ISO 8601, with the machine's offset from UTC.
    @OrNull public var started: String?
    /// Seconds.
    @OrNull public var duration: Double?
    @OrNull public var bytes: Int64?
    @OrNull public var video: Video?
    @OrNull public var audio: Audio?
    /// Seconds by which sound is late against the pictures.
    @OrNull public var syncOffset: Double?
    @OrNull public var disk: Disk?
    /// null when none is kept.
    @OrNull public var preRoll: PreRoll?
    /// null when nothing is ever deleted.
    @OrNull public var retention: RetentionAccount?
    /// How many chapters were set by hand.
    @OrNull public var marks: Int?
    /// Seconds from the wish to stop to the finished file; null before.
    @OrNull public var closedIn: Double?
    /// One line: what was lost although the recording goes on, or is whole; null when nothing was.
    @OrNull public var warning: String?
    /// One line; null while all is well.
    @OrNull public var error: String?

    public init(name: String, state: State) {
        self.name = name
        self.state = state
    }

    /// The same of a process that records nothing: without the recording before.
    var withoutRecording: RecordingStatus {
        var status = self
        (status.file, status.segments, status.started, status.duration) = (nil, [], nil, nil)
        (status.bytes, status.marks, status.closedIn) = (nil, nil, nil)
        return status
    }
}
