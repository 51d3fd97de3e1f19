package import MediaTypes

/// The state of one recording, as returned by `recorder status --json`, `recorder stop --json` and the control API.
///
/// Unknown values are `null`, never an invented number. `docs/reference/json.md` describes every key.
package struct RecordingStatus: Codable, Sendable, Equatable {
    package enum State: String, Codable, Sendable, CaseIterable {
        /// The process waits for the request to record.
        case armed
        /// A recording was requested, but has no sample yet; its devices may still be being opened.
        case starting
        case recording, paused, stopping, failed
    }

    package struct Segment: Codable, Sendable, Equatable {
        package var file: String
        /// ISO 8601, with the machine's offset from UTC.
        @OrNull package var started: String?
        /// The duration in seconds.
        @OrNull package var duration: Double?
        @OrNull package var bytes: Int64?

        package init(file: String, started: String? = nil, duration: Double? = nil, bytes: Int64? = nil) {
            self.file = file
            self.started = started
            self.duration = duration
            self.bytes = bytes
        }
    }

    package struct Video: Codable, Sendable, Equatable {
        package var captured: Int64
        package var written: Int64
        package var dropped: Drops
        /// The number of frames that pauses left out.
        @OrNull package var paused: Int64?
        /// The number of frames that were left out because they repeat the one before.
        @OrNull package var repeated: Int64?
        /// Frames per second: over the last two seconds while recording, over the entire recording at the end.
        @OrNull package var frameRate: Double?
        /// The number of frames that wait for the encoder.
        @OrNull package var queueDepth: Int?
        @OrNull package var width: Int?
        @OrNull package var height: Int?
        /// True if the camera delivers frames; null if unknown.
        @OrNull package var present: Bool?
        /// Seconds since the camera disconnected; null while it is connected.
        @OrNull package var awayFor: Double?
        /// Frames that were encoded with reduced effort, so that none had to be dropped.
        @OrNull package var eased: Int64?
        /// The encoder's current effort; null if it is constant.
        @OrNull package var effort: Effort?
        /// The maximum number of bytes that may wait for the encoder. `queueTime` is the maximum time in seconds.
        @OrNull package var queueMemory: Int64?
        @OrNull package var queueTime: Double?

        package init(_ ledger: Ledger) {
            captured = ledger.captured
            written = ledger.written
            dropped = Drops(ledger)
        }
    }

    /// The number of steps below the requested effort; 0 for the requested effort.
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
        /// The number of captured audio frames; one audio frame has one value for each channel.
        package var captured: Int64
        package var written: Int64
        package var dropped: Drops
        /// The number of audio frames that pauses left out.
        @OrNull package var paused: Int64?
        @OrNull package var gaps: Int64?
        /// The length of the gaps, in audio frames.
        @OrNull package var gapSamples: Int64?
        @OrNull package var xruns: Int64?
        /// The peak level in dBFS.
        @OrNull package var levelPeak: Double?
        @OrNull package var levelRMS: Double?
        /// The drift of the microphone's clock against the system's, in parts per million; positive if the microphone's
        /// clock is faster.
        @OrNull package var driftPPM: Double?
        @OrNull package var sampleRate: Int?
        @OrNull package var channels: Int?
        /// True if the microphone delivers audio; null if unknown.
        @OrNull package var present: Bool?
        @OrNull package var awayFor: Double?

        package init(_ ledger: Ledger) {
            captured = ledger.captured
            written = ledger.written
            dropped = Drops(ledger)
        }
    }

    /// The drops of one track by cause, in frames or audio frames. Pauses and repeated frames are not drops.
    package struct Drops: Codable, Sendable, Equatable {
        package var device: Int64
        package var queue: Int64
        package var encoder: Int64
        package var corrupt: Int64
        /// Always 0. The key exists for programs that add up all drops, because earlier versions counted pauses as
        /// drops.
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

    /// The pre-roll that is kept in memory.
    package struct PreRoll: Codable, Sendable, Equatable {
        /// The duration in seconds.
        package var duration: Double
        package var bytes: Int64

        package init(duration: Double, bytes: Int64) {
            self.duration = duration
            self.bytes = bytes
        }
    }

    /// The small stream for viewers.
    package struct Substream: Codable, Sendable, Equatable {
        /// The maximum size; frames keep their aspect ratio.
        package var width: Int
        package var height: Int
        /// The maximum number of frames per second.
        package var frameRate: Double
        package var viewers: Int
        /// The number of frames that only the sub-stream lacks, because its encoder was busy.
        package var dropped: Int64

        package init(width: Int, height: Int, frameRate: Double, viewers: Int, dropped: Int64) {
            self.width = width
            self.height = height
            self.frameRate = frameRate
            self.viewers = viewers
            self.dropped = dropped
        }
    }

    package struct Disk: Codable, Sendable, Equatable {
        /// The number of bytes that the recorder may still write; null if unknown.
        @OrNull package var free: Int64?
        /// Bytes per second over the last seconds.
        @OrNull package var writeRate: Double?

        package init(free: Int64?, writeRate: Double? = nil) {
            self.free = free
            self.writeRate = writeRate
        }
    }

    /// One of the two mirrored files.
    package struct MirroredFile: Codable, Sendable, Equatable {
        package var file: String
        /// Same as `MirroredFileStatus.Condition`.
        package var state: String
        /// The number of bytes that are missing in this file.
        package var missing: Int64
        /// The reason why this file is no longer written; null while it is still written.
        @OrNull package var error: String?

        package init(file: String, state: String, missing: Int64, error: String? = nil) {
            self.file = file
            self.state = state
            self.missing = missing
            self.error = error
        }

        /// True if this mirrored file has all data.
        package var isComplete: Bool { ["complete", "whole"].contains(state) }
    }

    package var name: String
    package var state: State
    /// The recorder's group.
    @OrNull package var group: String?
    /// The final path of the newest file. Until the file is finalized, it has a temporary name.
    @OrNull package var file: String?
    package var segments: [Segment] = []
    /// ISO 8601, with the machine's offset from UTC.
    @OrNull package var started: String?
    /// The duration in seconds.
    @OrNull package var duration: Double?
    @OrNull package var bytes: Int64?
    @OrNull package var video: Video?
    @OrNull package var audio: Audio?
    /// The packets of a network camera; null for other cameras, and before it is connected.
    @OrNull package var network: Network?
    /// Seconds by which the audio is late relative to the frames.
    @OrNull package var syncOffset: Double?
    @OrNull package var disk: Disk?
    /// The two mirrored files of the newest file; null without a mirror.
    @OrNull package var mirror: [MirroredFile]?
    /// The kept pre-roll; null if none is kept.
    @OrNull package var preRoll: PreRoll?
    /// The sub-stream; null if none is configured.
    @OrNull package var substream: Substream?
    /// The account of retention; null if files are never deleted.
    @OrNull package var retention: RetentionAccount?
    /// The recordings that their owner keeps, counted at most a minute ago; null before the first count.
    @OrNull package var kept: KeptAccount?
    /// The progress of copying; null if no remote is configured.
    @OrNull package var copies: CopyAccount?
    /// The number of marks, which become chapters of the movie.
    @OrNull package var marks: Int?
    /// The seconds from the request to stop to the finalized file; null until then.
    @OrNull package var closedIn: Double?
    /// One line that describes lost data; null without a loss. The recording continues, or was finalized.
    @OrNull package var warning: String?
    /// The last error in one line; null without an error.
    @OrNull package var error: String?

    package init(name: String, state: State) {
        self.name = name
        self.state = state
    }

    /// This status without the previous recording, for a process that does not record now.
    package var withoutRecording: RecordingStatus {
        var status = self
        (status.file, status.segments, status.started, status.duration) = (nil, [], nil, nil)
        (status.bytes, status.marks, status.closedIn, status.mirror) = (nil, nil, nil, nil)
        return status
    }
}
