import MediaTypes
import RecorderStorage

/// The timeline of a time-lapse. It selects the frames, and converts times of the recording, which exclude pauses, to
/// times of the movie. A pure value.
///
/// The movie's time is proportional to the recording's. The frame of interval n has the time of n frame durations. If
/// an interval has no frame because the camera was disconnected, the frame before it is longer in the movie.
struct TimeLapseLine {
    /// A recorded frame.
    struct Frame: Equatable {
        /// The frame's time in the movie's timeline.
        let played: MediaTime
        /// The frame's time by the devices' clock.
        let captured: MediaTime
    }

    let lapse: TimeLapse
    /// The time of the first frame, which is the same on both timelines; nil before the first frame.
    private(set) var start: MediaTime?
    /// The number of the last interval that has a frame.
    private var last: Int64 = -1
    /// The recorded frames, the newest last. In a long recording only every `stride`th frame is kept.
    private(set) var frames: [Frame] = []
    private(set) var stride: Int64 = 1
    private var count: Int64 = 0

    /// The maximum number of remembered frames, enough for a week with one frame every ten seconds. When it is reached,
    /// every second frame is forgotten.
    static let most = 65_536

    init(_ lapse: TimeLapse) { self.lapse = lapse }

    /// Returns the time of a frame in the movie; nil if the frame is not recorded.
    ///
    /// - Parameters:
    ///   - moment: The frame's time in the recording.
    ///   - time: The frame's time by the devices' clock.
    ///   - tolerance: A frame that comes before an interval by at most this time belongs to that interval. With half of
    ///     the camera's frame duration, the nearest frame is selected.
    mutating func place(_ moment: MediaTime, captured time: MediaTime, tolerance: MediaTime) -> MediaTime? {
        let start = start ?? moment
        self.start = start
        let number = (moment - start + tolerance).nanoseconds / lapse.interval.nanoseconds
        guard number > last else { return nil }
        last = number
        let played = start + position(of: number)
        if count % stride == 0 {
            frames.append(Frame(played: played, captured: time))
            if frames.count >= Self.most {
                frames = Swift.stride(from: 0, to: frames.count, by: 2).map { frames[$0] }
                stride *= 2
            }
        }
        count += 1
        return played
    }

    private func position(of number: Int64) -> MediaTime {
        let duration = lapse.frameDuration
        return MediaTime(value: duration.value * number, timescale: duration.timescale)
    }

    /// Converts a time of the recording to a time of the movie.
    func played(_ moment: MediaTime) -> MediaTime { start.map { $0 + lapse.played(moment - $0) } ?? moment }

    /// Converts a time of the recording to a time of the movie that is after all frames up to now. The interval of the
    /// last frame may begin later than that frame, because the nearest frame is selected.
    ///
    /// - Parameter tolerance: Same as for `place`. It is used for a frame that was captured before now and has not
    ///   arrived yet.
    func afterLast(_ moment: MediaTime, tolerance: MediaTime = .zero) -> MediaTime {
        guard let start, last >= 0 else { return played(moment) }
        let number = max(last, (moment - start + tolerance).nanoseconds / lapse.interval.nanoseconds)
        let half = MediaTime(nanoseconds: lapse.frameDuration.nanoseconds / 2)
        return max(played(moment), start + position(of: number) + half)
    }

    /// Converts a time of the movie to a time of the recording.
    func moment(of played: MediaTime) -> MediaTime { start.map { $0 + lapse.captured(played - $0) } ?? played }

    /// Returns the end of the movie for an end of the recording: the last frame has its full duration.
    func end(_ moment: MediaTime) -> MediaTime {
        guard let start, moment.isNumeric else { return moment }
        let interval = lapse.interval.nanoseconds
        let number = ((moment - start).nanoseconds + interval - 1) / interval
        return start + position(of: max(number, last + 1))
    }

    /// Returns the times between the frames of a file as pauses, because these times are not in the movie. There is one
    /// pause for each frame, or fewer in a long file. Programs that read the file compute the capture time of every
    /// frame from these pauses.
    ///
    /// - Parameters:
    ///   - start: The file's start in the movie's timeline.
    ///   - time: The file's start by the devices' clock.
    ///   - most: The maximum number of pauses. The web page reads at most that many.
    func pauses(
        from start: MediaTime, at time: MediaTime, to end: MediaTime, most: Int = 500
    ) -> [(moment: MediaTime, duration: MediaTime)] {
        let own = frames.filter { $0.played > start && $0.played < end }
        var told = MediaTime.zero
        var result: [(moment: MediaTime, duration: MediaTime)] = []
        for index in Swift.stride(from: 0, to: own.count, by: max(1, (own.count + most - 1) / most)) {
            let frame = own[index]
            let missing = (frame.captured - time) - (frame.played - start) - told
            guard missing > .zero else { continue }
            told += missing
            result.append((frame.played, missing))
        }
        return result
    }
}
