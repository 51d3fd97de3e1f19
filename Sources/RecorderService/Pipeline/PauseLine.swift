import MediaTypes

/// The line of time of a recording: the devices' clock, less what was paused. A pure value.
///
/// Both tracks are cut at the same two instants, sound to the sample, so that they stay together.
struct PauseLine {
    enum Place: Equatable {
        /// Part of the recording, so much earlier than the devices say.
        case recorded(shift: MediaTime)
        /// So many frames are left out at the beginning, and the rest is recorded so much earlier.
        case split(skipping: Int, shift: MediaTime)
        /// So many frames at the beginning are recorded so much earlier, and the rest is left out.
        case head(frames: Int, shift: MediaTime)
        case paused
    }

    private struct Pause {
        var start: MediaTime
        /// nil: it lasts.
        var end: MediaTime?
        /// What was paused before it.
        var shift: MediaTime
    }

    /// So many are known one by one, far more than samples can be late. What came before them is the first one's.
    static let most = 500

    /// The newest last. Samples are at most seconds late, so that only the last ones are looked at.
    private var pauses: [Pause] = []

    var isPaused: Bool { pauses.last.map { $0.end == nil } ?? false }

    /// Everything that was paused.
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

    /// Where a moment of the devices' clock lies in the recording; one that is paused, where the pause began.
    func moment(of time: MediaTime) -> MediaTime {
        guard let pause = pauses.last(where: { $0.start <= time }) else { return time - (pauses.first?.shift ?? .zero) }
        guard let end = pause.end, time >= end else { return pause.start - pause.shift }
        return time - (pause.shift + (end - pause.start))
    }

    /// When a moment of the recording was, by the devices' clock: where something was left out, behind that.
    func time(of moment: MediaTime) -> MediaTime {
        guard let pause = pauses.last(where: { $0.end != nil && $0.start - $0.shift <= moment }), let end = pause.end
        else { return moment + (pauses.first?.shift ?? .zero) }
        return moment + pause.shift + (end - pause.start)
    }

    /// What was left out between two moments of the recording, in their order and each with its moment. Where more than
    /// `most` were, the first that is known is as long as all that came before it.
    ///
    /// - Parameter time: by the devices' clock, at `start`.
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

    /// What becomes of a sample.
    ///
    /// - Parameters:
    ///   - rate: samples a second; nil for a picture, which is recorded or not as it begins.
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
    /// What of a block of PCM is recorded, at its moment; nil for nothing.
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
