package import MediaTypes

/// The state of one recording, as `recorder status --json`, `recorder stop --json` and the control API give it.
///
/// What is not known is `null`, never a number made up. `docs/json.md` describes every key.
package struct RecordingStatus: Codable, Sendable, Equatable {
    package enum State: String, Codable, Sendable, CaseIterable { case armed, recording, paused, stopping, failed }

    package struct Segment: Codable, Sendable, Equatable {
        package var file: String
        /// ISO 8601, with the machine's offset from UTC.
        @OrNull package var started: String?
        /// Seconds.
        @OrNull package var duration: Double?
        @OrNull package var bytes: Int64?
    }

    package struct Video: Codable, Sendable, Equatable {
        package var captured: Int64
        package var written: Int64
        package var dropped: Drops
        /// Frames that pauses left out.
        @OrNull package var paused: Int64?
        /// Frames a second: measured over the last two seconds while recording, over everything at the end.
        @OrNull package var frameRate: Double?
        /// Frames waiting for the encoder.
        @OrNull package var queueDepth: Int?
        @OrNull package var width: Int?
        @OrNull package var height: Int?
        /// Whether the camera delivers; null when nothing is known about it.
        @OrNull package var present: Bool?
        /// Seconds since the camera went away; null while it is there.
        @OrNull package var awayFor: Double?
        /// Frames that were encoded with less effort than was asked for, so that none had to be dropped.
        @OrNull package var eased: Int64?
        /// How hard the encoder works now; null where it always does the same.
        @OrNull package var effort: Effort?
        /// Bytes, and seconds, that may wait for the encoder.
        @OrNull package var queueMemory: Int64?
        @OrNull package var queueTime: Double?
    }

    /// Steps below what was asked for: 0 is none.
    package struct Effort: Codable, Sendable, Equatable {
        package var step: Int
        package var steps: Int
        package var summary: String

        package init(step: Int, steps: Int, summary: String) {
            self.step = step
            self.steps = steps
            self.summary = summary
        }
    }

    package struct Audio: Codable, Sendable, Equatable {
        /// Audio frames: one sample of each channel.
        package var captured: Int64
        package var written: Int64
        package var dropped: Drops
        /// Audio frames that pauses left out.
        @OrNull package var paused: Int64?
        @OrNull package var gaps: Int64?
        @OrNull package var gapSamples: Int64?
        @OrNull package var xruns: Int64?
        /// dBFS.
        @OrNull package var levelPeak: Double?
        @OrNull package var levelRMS: Double?
        /// How much faster than the system's clock the microphone runs, in parts per million.
        @OrNull package var driftPPM: Double?
        @OrNull package var sampleRate: Int?
        @OrNull package var channels: Int?
        /// As of the camera.
        @OrNull package var present: Bool?
        @OrNull package var awayFor: Double?
    }

    /// Losses of one track, in its own unit. A pause is none.
    package struct Drops: Codable, Sendable, Equatable {
        package var device: Int64
        package var queue: Int64
        package var encoder: Int64
        package var corrupt: Int64
        /// Always 0, for who adds up the drops of earlier versions.
        package var paused: Int64 = 0
        package var disk: Int64

        package init(_ ledger: Ledger) {
            device = ledger[dropped: .device]
            queue = ledger[dropped: .queue]
            encoder = ledger[dropped: .encoder]
            corrupt = ledger[dropped: .corrupt]
            disk = ledger[dropped: .disk]
        }

        package var inAll: Int64 { device &+ queue &+ encoder &+ corrupt &+ disk }
    }

    /// What is kept in memory of the time before now.
    package struct PreRoll: Codable, Sendable, Equatable {
        /// Seconds.
        package var duration: Double
        package var bytes: Int64

        package init(duration: Double, bytes: Int64) {
            self.duration = duration
            self.bytes = bytes
        }
    }

    package struct Disk: Codable, Sendable, Equatable {
        /// Bytes that the recorder may still write.
        @OrNull package var free: Int64?
        /// Bytes a second, lately.
        @OrNull package var writeRate: Double?
    }

    /// One of the two copies of a file.
    package struct Copy: Codable, Sendable, Equatable {
        package var file: String
        /// As of `CopyStatus.Condition`.
        package var state: String
        /// Bytes that it lacks.
        package var missing: Int64
        /// Why it does not go on.
        @OrNull package var error: String?

        /// It has all there is.
        package var isComplete: Bool { ["complete", "whole"].contains(state) }
    }

    package var name: String
    package var state: State
    /// Which recorders it is one with.
    @OrNull package var group: String?
    /// Where the recording is, or will be once it is finished.
    @OrNull package var file: String?
    package var segments: [Segment] = []
    /// ISO 8601, with the machine's offset from UTC.
    @OrNull package var started: String?
    /// Seconds.
    @OrNull package var duration: Double?
    @OrNull package var bytes: Int64?
    @OrNull package var video: Video?
    @OrNull package var audio: Audio?
    /// Seconds by which sound is late against the pictures.
    @OrNull package var syncOffset: Double?
    @OrNull package var disk: Disk?
    /// The two copies of the newest file; null where there is one.
    @OrNull package var mirror: [Copy]?
    /// null when none is kept.
    @OrNull package var preRoll: PreRoll?
    /// null when nothing is ever deleted.
    @OrNull package var retention: RetentionAccount?
    /// null when nothing is copied anywhere.
    @OrNull package var copies: CopyAccount?
    /// How many chapters were set by hand.
    @OrNull package var marks: Int?
    /// Seconds from the wish to stop to the finished file; null before.
    @OrNull package var closedIn: Double?
    /// One line: what was lost although the recording goes on, or is whole; null when nothing was.
    @OrNull package var warning: String?
    /// One line; null while all is well.
    @OrNull package var error: String?

    package init(name: String, state: State) {
        self.name = name
        self.state = state
    }

    /// The same of a process that records nothing: without the recording before.
    var withoutRecording: RecordingStatus {
        var status = self
        (status.file, status.segments, status.started, status.duration) = (nil, [], nil, nil)
        (status.bytes, status.marks, status.closedIn, status.mirror) = (nil, nil, nil, nil)
        return status
    }
}
