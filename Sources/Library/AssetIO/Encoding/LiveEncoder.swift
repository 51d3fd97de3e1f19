package import MediaCodecs
package import MediaTypes
package import RealTime

/// Opens a video encoder that `VideoEncoders` does not have, such as a hardware encoder. May be called while an earlier
/// encoder of the same track is open.
///
/// - Parameters:
///   - settings: the encoder's settings; `width` and `height` are those of the track.
///   - color: the color tags of the frames.
///   - timeScale: ticks per second of the packets' times.
package typealias VideoEncoderOpening =
    @Sendable (
        _ settings: VideoSettings, _ color: ColorDescription, _ timeScale: Int32
    ) throws(MediaError) -> any VideoEncoder

/// Encodes one live track without a file: samples are appended as to a real-time input, and packets are delivered to a
/// sink. A recorder uses it to divide one track among files.
///
/// `append` is called on the capture thread and never waits. The sink is called once for each packet, in decode order.
/// It runs on the encoder's own thread, or on the appending thread if packets pass through. While the sink runs,
/// nothing is encoded. For each packet that the sink has passed on, `recordHandedOn` must be called, because there is
/// no file that would count it.
package final class LiveEncoder: Sendable {
    package let mediaType: MediaType
    /// The format of the packets; nil if only the first packet contains it.
    package let format: FormatDescription?
    private let path: TrackPath
    private let keyframes: KeyframeRequest
    private let isStarted = Locked(false)
    /// Converts waiting frames to a smaller layout; nil if that would not save enough memory.
    private let shrinking: Locked<EncoderFrameInput?>

    /// Opens the encoder.
    ///
    /// - Parameters:
    ///   - settings: the encoder settings; nil if packets pass through as they come.
    ///   - format: the format of the samples that will be appended.
    ///   - sink: accepts the packets and their end, from `start` on. The encoder owns it.
    ///   - isLowLatency: true if audio is encoded every 40 ms instead of every 200 ms. For video, the settings decide
    ///     how many frames the encoder holds back.
    ///   - latency: a meter for the encoding time of each sample, including the sink's.
    ///   - mayReduceEffort: returns true if the encoder may reduce its effort instead of refusing frames; called each
    ///     time it falls behind. If nil, it never reduces its effort.
    ///   - mayLeaveOutRepeats: returns true if frames that repeat the previous frame may be left out now; called for
    ///     each frame, on the encoder's thread. The sink's `continues` is called for each of these frames. If nil,
    ///     every frame is encoded. With this function, the encoder must not hold frames back, so the settings must
    ///     prevent that.
    ///   - opening: opens the video encoders. If nil, the library's own encoders are used.
    /// - Throws: the encoder's refusal.
    package init(
        _ mediaType: MediaType, settings: OutputSettings?, format: FormatDescription, sink: any PacketSink,
        budget: RealTimeBudget = .init(), isLowLatency: Bool = false, latency: LatencyMeter? = nil,
        mayReduceEffort: (@Sendable () -> Bool)? = nil, mayLeaveOutRepeats: (@Sendable () -> Bool)? = nil,
        opening: VideoEncoderOpening? = nil
    ) throws(MediaError) {
        self.mediaType = mediaType
        if let fault = SettingsRules.fault(mediaType, settings, hint: format) {
            throw MediaError(.invalidSettings, "cannot encode \(mediaType)", reason: fault)
        }
        var options = EncoderOptions(mediaType, settings: settings, hint: format, isRealTime: true)
        options.mayReduceEffort = mayReduceEffort
        options.mayLeaveOutRepeats = mayLeaveOutRepeats
        options.openVideo = opening
        keyframes = options.keyframes
        let encoder = try options.open()
        let input = (encoder as? VideoTrackEncoder)?.input
        let hasFields = encoder.format?.video?.fieldOrder?.showsUpperFirst != nil
        shrinking = Locked(Self.shrinking(format.video, input, isInterlaced: hasFields))
        self.format = encoder.format
        let admission = SharedAdmission(
            TrackTraits(
                mediaType: mediaType, isRealTime: true, isPassthrough: settings == nil, hint: format, budget: budget,
                isLowLatency: isLowLatency))
        admission.recordFacts(encoder.facts)
        path = TrackPath(admission, encoder: encoder, sink: sink, latency: latency)
    }

    /// Returns a converter to the encoder's layout; nil unless the source's frames need at least a third more memory
    /// than the encoder's.
    private static func shrinking(
        _ source: VideoFormat?, _ input: EncoderInput?, isInterlaced: Bool
    ) -> sending EncoderFrameInput? {
        guard let input, input.bitDepth == 8, let source, let layout = source.pixelFormat else { return nil }
        switch layout {
        case .nv12, .i420, .gray8: return nil
        case .yuyv, .uyvy, .i422, .bgra, .argb, .rgba, .rgb24, .p010, .i010, .i210:
            return EncoderFrameInput(
                width: source.width, height: source.height, layout: input.layout, isInterlaced: isInterlaced)
        }
    }

    /// Starts encoding the samples that are appended from now on.
    ///
    /// - Parameters:
    ///   - start: the time before which samples are left out. Audio is cut exactly, to the audio frame.
    ///   - preparation: runs first, on the encoder's thread, or on a separate thread if packets pass through. It may
    ///     wait for the end of the encoder before this one.
    package func start(
        at start: MediaTime, after preparation: (@Sendable () -> Void)? = nil
    ) throws(MediaError) {
        let isFirst = isStarted.withLock { isStarted in
            defer { isStarted = true }
            return !isStarted
        }
        guard isFirst else {
            throw MediaError(.invalidState, "cannot start an encoder", reason: "it was already started")
        }
        admission.open(sessionStart: start)
        try path.start(after: preparation) { _ in }
    }

    private var admission: SharedAdmission { path.admission }

    /// Appends a sample: constant work, no waiting. Only one thread at a time may call.
    ///
    /// A frame that has to wait is converted to the encoder's own layout here. More frames then fit into the queue, and
    /// the camera's buffer is returned. The conversion is needed anyway, and takes 0.1 to 0.2 ms at 1080p.
    ///
    /// - Returns: true if the sample was accepted. A refused sample is counted in the ledger, unless it is before the
    ///   start.
    @discardableResult
    package func append(_ sample: SampleBuffer) -> Bool {
        // Without a thread, the path's encoder works here.
        guard admission.traits.hasThread else { return (try? path.append(sample)) ?? false }
        return (try? admission.admit(shrunk(sample), mayWait: false).isAccepted) ?? false
    }

    private func shrunk(_ sample: SampleBuffer) -> SampleBuffer {
        guard case .pixels(let frame) = sample.content, admission.queueDepth > 0 else { return sample }
        // A frame that cannot be converted is refused and counted by the next step.
        let small = shrinking.withLock { try? $0?.convert(frame) }
        return small.map { sample.drawn(as: $0) } ?? sample
    }

    /// Counts samples that never arrived, or that are not wanted.
    package func recordLoss(_ count: Int64, cause: DropCause) { admission.recordLoss(count, cause: cause) }

    /// Makes the first frame at or after `time` a keyframe. This replaces earlier requests. Has no effect on packets
    /// encoded by a camera.
    package func requestKeyframe(at time: MediaTime) { keyframes.ask(at: time) }

    /// Makes the first frame at or after `time` a keyframe, in addition to earlier requests.
    package func requestAnotherKeyframe(at time: MediaTime) { keyframes.askAlso(at: time) }

    /// Ends the input. Accepted samples are still encoded.
    package func markAsFinished() { path.markAsFinished() }

    /// Waits for the encoder's thread. Called only after `markAsFinished`, and never from the sink.
    package func join() { path.join() }

    /// Counts the samples of a packet that the sink has passed on. Takes no lock.
    package func recordHandedOn(_ count: Int64) { admission.recordHandedOn(count) }

    /// The ledger; `written` counts the samples in packets that the sink has passed on.
    package var ledger: Ledger { admission.ledger }
    /// The error with which the encoder has failed; nil if it has not failed. The ledger counts the samples that the
    /// encoder held at that time.
    package var error: MediaError? { admission.error }
    /// The number of captured samples that were dropped. Takes no lock.
    package var dropped: Int64 { admission.dropped }
    /// The number of samples that wait for the encoder. Takes no lock.
    package var queueDepth: Int { admission.queueDepth }
    /// The gaps, the device's clock and the effort that the encoder has reported so far.
    package var facts: EncoderFacts { admission.facts }
}
