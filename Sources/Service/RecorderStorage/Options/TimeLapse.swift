package import CommandInterface
package import MediaTypes

/// A recording of one frame for each interval. Its movie plays faster than it was captured.
package struct TimeLapse: Sendable, Hashable {
    /// The time from one recorded frame to the next.
    package let interval: MediaTime
    /// The rate at which the movie plays.
    package let playRate: FrameRate

    package init(every interval: MediaTime, playRate: FrameRate = TimeLapse.usualPlayRate) {
        self.interval = interval
        self.playRate = playRate
    }

    package static let usualPlayRate = FrameRate(25)

    /// The time from one frame to the next in the movie.
    package var frameDuration: MediaTime { playRate.interval }
    /// How many times faster the movie plays than it was captured.
    package var speed: Double { interval.seconds / frameDuration.seconds }

    /// Converts a capture duration to the duration of the same frames in the movie, in whole nanoseconds.
    package func played(_ time: MediaTime) -> MediaTime { Self.scaled(time, from: interval, to: frameDuration) }

    /// Converts a duration in the movie to the time that capturing the same frames takes, in whole nanoseconds.
    package func captured(_ time: MediaTime) -> MediaTime { Self.scaled(time, from: frameDuration, to: interval) }

    private static func scaled(_ time: MediaTime, from: MediaTime, to: MediaTime) -> MediaTime {
        guard time.isNumeric else { return time }
        let divisor = Int128(from.value) * Int128(to.timescale)
        let factor = Int128(to.value) * Int128(from.timescale)
        return MediaTime(nanoseconds: Int64(clamping: Int128(time.nanoseconds) * factor / max(1, divisor)))
    }
}

/// Parses the settings of a time-lapse.
package enum TimeLapseText {
    /// Parses the time between two frames: from a tenth of a second to a day.
    package static func parseInterval(_ text: String) throws(OptionError) -> MediaTime {
        let time = try DurationText.parse(text)
        guard time >= MediaTime(value: 1, timescale: 10) else {
            throw OptionError("“\(text)” is too short for --every: at least 100ms; --frame-rate sets the camera's rate")
        }
        guard time <= MediaTime(value: 86_400, timescale: 1) else {
            throw OptionError("“\(text)” is too long for --every: at most 1d")
        }
        return time
    }

    /// Parses the rate at which a time-lapse plays: from 1 to 120 frames per second.
    package static func parsePlayRate(_ text: String) throws(OptionError) -> FrameRate {
        let rate = try FrameText.parseFrameRate(text)
        guard rate >= FrameRate(1), rate <= FrameRate(120) else {
            throw OptionError(text, isNot: "a rate for --play-rate", write: "1 to 120 frames per second")
        }
        return rate
    }
}

extension RecordingConfiguration {
    /// Refuses settings that a time-lapse cannot have.
    func validateTimeLapse() throws(OptionError) {
        guard every != nil else { return }
        if camera == .none {
            throw OptionError("--every needs a camera, but --camera is none", about: ["every", "camera"])
        }
        if microphone != .none, microphone != .first {
            throw OptionError(
                "--every records frames without audio: write --microphone none, or remove --every",
                about: ["every", "microphone"])
        }
        if preRoll != nil {
            throw OptionError(
                "--every cannot record a pre-roll: remove --pre-roll, or remove --every",
                about: ["every", "pre-roll"])
        }
        if let codec = dependentCodec {
            throw OptionError(
                "--every leaves out frames, but a frame of the camera's \(codec.title) needs those before it: "
                    + "write --pixel-format mjpeg", about: ["every", "pixel-format"])
        }
    }
}
