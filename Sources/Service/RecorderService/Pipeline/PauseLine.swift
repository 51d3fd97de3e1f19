import MediaTypes

/// The timeline of a recording: the devices' clock, minus the pauses. A pure value.
///
/// At each pause, both tracks are cut at the same two times, so that they stay synchronized. Audio is cut exactly at an
/// audio frame.
struct PauseLine {
    enum Place: Equatable {
        /// The entire sample is recorded, with a timestamp that is earlier by `shift` than the devices' time.
        case recorded(shift: MediaTime)
        /// The first audio frames are left out; all later ones are recorded, with timestamps earlier by `shift`.
        case split(skipping: Int, shift: MediaTime)
        /// The first audio frames are recorded, with timestamps earlier by `shift`; all later ones are left out.
        case head(frames: Int, shift: MediaTime)
        case paused
    }

    private struct Pause {
        var start: MediaTime
        /// The end of the pause; nil while it lasts.
        var end: MediaTime?
        /// Total duration of the earlier pauses.
        var shift: MediaTime
    }

    /// The maximum number of remembered pauses. Late samples need only the last few. The `shift` of the oldest one
    /// includes all pauses before it.
    static let most = 500

    /// The pauses, the newest last. Samples are late by a few seconds at most, so a search from the end checks only a
    /// few pauses.
    private var pauses: [Pause] = []

    var isPaused: Bool { pauses.last.map { $0.end == nil } ?? false }

    /// Duration of all pauses.
    private var total: MediaTime {
        guard let last = pauses.last else { return .zero }
        return last.end.map { last.shift + ($0 - last.start) } ?? last.shift
    }

    mutating func pause(at time: MediaTime) {
        guard !isPaused else { return }
        let start = pauses.last?.end.map { max($0, time) } ?? time
        pauses.append(Pause(start: start, end: nil, shift: total))
        if pauses.count > Self.most { pauses.removeFirst() }
    }

    mutating func resume(at time: MediaTime) {
        guard isPaused, let start = pauses.last?.start else { return }
        pauses[pauses.count - 1].end = max(start, time)
    }

    /// Converts a time of the devices' clock to a time of the recording. During a pause, returns the pause's start.
    func moment(of time: MediaTime) -> MediaTime {
        guard let pause = pauses.last(where: { $0.start <= time }) else { return time - (pauses.first?.shift ?? .zero) }
        guard let end = pause.end, time >= end else { return pause.start - pause.shift }
        return time - (pause.shift + (end - pause.start))
    }

    /// Converts a time of the recording to a time of the devices' clock. At a pause, returns the pause's end.
    func time(of moment: MediaTime) -> MediaTime {
        guard let pause = pauses.last(where: { $0.end != nil && $0.start - $0.shift <= moment }), let end = pause.end
        else { return moment + (pauses.first?.shift ?? .zero) }
        return moment + pause.shift + (end - pause.start)
    }

    /// Returns the pauses between two times of the recording, in order: the time of each in the recording, and its
    /// duration. If there were more than `most` pauses, the first returned one includes the duration of all pauses
    /// before it.
    ///
    /// - Parameter time: The devices' clock at `start`.
    func pauses(
        from start: MediaTime, at time: MediaTime, to end: MediaTime
    ) -> [(moment: MediaTime, duration: MediaTime)] {
        var told = time - start
        var result: [(moment: MediaTime, duration: MediaTime)] = []
        for pause in pauses {
            let moment = pause.start - pause.shift
            guard let resumed = pause.end, moment > start, moment < end else { continue }
            let total = pause.shift + (resumed - pause.start)
            let missing = total - told
            guard missing > .zero else { continue }
            told = total
            if result.last?.moment == moment {
                result[result.count - 1].duration += missing
            } else {
                result.append((moment, missing))
            }
        }
        return result
    }

    /// Decides which part of a sample is recorded.
    ///
    /// - Parameters:
    ///   - rate: Audio frames per second; nil for a video frame, for which only the start matters.
    func place(_ start: MediaTime, frames: Int, rate: Int32?) -> Place {
        let end = rate.map { start + MediaTime(value: Int64(frames), timescale: $0) } ?? start
        guard let index = pauses.lastIndex(where: { $0.start < end || (rate == nil && $0.start <= end) }) else {
            return .recorded(shift: pauses.first?.shift ?? .zero)
        }
        let pause = pauses[index]
        if let pauseEnd = pause.end, start >= pauseEnd {
            return .recorded(shift: pause.shift + (pauseEnd - pause.start))
        }
        guard let rate else { return .paused }
        func count(_ time: MediaTime) -> Int { max(0, min(frames, Int((time - start).ticks(in: rate)))) }
        if start < pause.start {
            let head = count(pause.start)
            return head > 0 ? .head(frames: head, shift: pause.shift) : .paused
        }
        guard let pauseEnd = pause.end, pauseEnd < end else { return .paused }
        let skipped = count(pauseEnd)
        return skipped < frames ? .split(skipping: skipped, shift: pause.shift + (pauseEnd - pause.start)) : .paused
    }
}

extension SampleBuffer {
    /// Returns the recorded part of a block of PCM, with its new time; nil if there is none.
    func part(_ place: PauseLine.Place) -> SampleBuffer? {
        switch place {
        case .paused: return nil
        case .recorded(let shift): return shift == .zero ? self : at(presentationTime - shift)
        case .head(let count, let shift): return frames(0..<count)?.at(presentationTime - shift)
        case .split(let skipped, let shift):
            return frames(skipped..<sampleCount).map { $0.at($0.presentationTime - shift) }
        }
    }

    private func frames(_ range: Range<Int>) -> SampleBuffer? {
        guard case .audio(let format) = format, let size = format.bytesPerFrame, case .data(let data) = content,
            range.upperBound * size <= data.count
        else { return nil }
        let bytes = UnsafeRawBufferPointer(
            rebasing: data.bytes[(range.lowerBound * size)..<(range.upperBound * size)])
        return SampleBuffer(
            pcm: MediaData(borrowing: bytes) { _ = data }, format: format,
            presentationTime: presentationTime
                + MediaTime(value: Int64(range.lowerBound), timescale: Int32(clamping: format.sampleRate)))
    }
}
