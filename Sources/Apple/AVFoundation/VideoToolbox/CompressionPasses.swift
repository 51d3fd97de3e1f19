import MediaCodecs

/// The passes of a compression session. The first pass measures the frames, and the second pass encodes them.
struct CompressionPasses {
    private enum Step {
        case none
        /// The only pass, because the program said that it is the final one.
        case only
        case first
        /// The first pass has ended, and the second pass may begin.
        case measured
        case second
    }

    /// The storage that the session uses. It must be set before the first pass.
    var storage: VTMultiPassStorage?
    private var step = Step.none
    /// The statistics that the passes use.
    private var statistics: PassStatistics?
    /// The times of the frames of the first pass.
    private(set) var range: CMTimeRange?

    var isRunning: Bool {
        switch step {
        case .none, .measured: false
        case .only, .first, .second: true
        }
    }

    /// True if the first pass has ended, so that a second pass is useful.
    var wantsAnother: Bool { step == .measured }

    /// The encoder's pass for the next frame.
    var encoding: EncodingPass {
        switch (step, statistics) {
        case (.first, let statistics?): statistics.firstPass
        case (.second, let statistics?): statistics.secondPass
        default: .single
        }
    }

    mutating func begin(isFinal: Bool) -> OSStatus {
        guard !isRunning else { return kVTParameterErr }
        guard let storage, let opened = storage.open else {
            return storage == nil ? kVTParameterErr : kVTMultiPassStorageInvalidErr
        }
        statistics = opened
        if step == .measured {
            step = .second
        } else {
            step = isFinal ? .only : .first
            range = nil
        }
        return noErr
    }

    /// Records the time of a frame of the first pass.
    mutating func add(_ time: CMTime, lasting duration: CMTime) {
        guard step == .first else { return }
        let end = duration.isNumeric ? time + duration : time
        range = CMTimeRange(start: range.map { min($0.start, time) } ?? time, end: max(range?.end ?? end, end))
    }

    /// - Parameter isComplete: true if the encoder has ended without an error.
    mutating func end(isComplete: Bool) -> OSStatus {
        guard isRunning else { return kVTParameterErr }
        step = step == .first && isComplete ? .measured : .none
        return noErr
    }
}
