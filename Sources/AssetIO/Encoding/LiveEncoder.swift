import MediaCodecs
package import MediaTypes
package import RealTime

/// Encodes one live track by itself: samples go in as at a real-time input, packets come out on the encoder's own
/// thread, and no file is involved. What a recorder needs that divides one stream among files.
///
/// `append` is for the capture thread and never waits. The receiver is called on the encoder's thread, a packet at a time,
/// in decoding order; while it runs nothing is encoded.
package final class LiveEncoder: Sendable {
    /// What comes out. Every packet says by `SampleBuffer.ledgerCount` how many captured samples it stands for.
    package enum Event: Sendable {
        case packet(SampleBuffer)
        /// Nothing comes after it; an error when the encoder has failed. What it held is in the ledger.
        case ended(MediaError?)
    }

    private final class Receiver: PacketSink, @unchecked Sendable {
        // Unchecked: set before the intake opens, whose lock orders it before every packet, and never again.
        var handler: @Sendable (Event) -> Void = { _ in }

        /// For this track the receiver is the file.
        func take(_ packet: SampleBuffer, accountsFor count: Int64, of track: TrackIntake) {
            handler(.packet(packet.accounting(for: count)))
            track.noteHandedOn(count)
        }

        func end(_ track: TrackIntake, at end: MediaTime?) { handler(.ended(track.error)) }
    }

    package let mediaType: MediaType
    /// Of the packets; nil where only the first one will tell.
    package let format: FormatDescription?
    private let input: TrackInput
    private let receiver = Receiver()
    private let keyFrames: KeyFrameRequest
    private let isStarted = Locked(false)
    /// Makes pictures smaller that must wait; nil where that is of no use.
    private let shrinking: Locked<EncoderPictureInput?>

    /// Opens the encoder.
    ///
    /// - Parameters:
    ///   - settings: nil: packets stay as they come.
    ///   - format: of what will be appended.
    ///   - isLowLatency: sound is encoded every 40 ms, not every 200; of pictures the settings say how many are held.
    ///   - latency: learns how long the encoder takes for a sample, with what the receiver does.
    ///   - mayEase: whether it may work less hard rather than refuse pictures; asked each time. nil: it never does.
    /// - Throws: what the encoder refuses.
    package init(
        _ mediaType: MediaType, settings: OutputSettings?, format: FormatDescription, budget: RealTimeBudget = .init(),
        isLowLatency: Bool = false, latency: LatencyMeter? = nil, mayEase: (@Sendable () -> Bool)? = nil
    ) throws(MediaError) {
        self.mediaType = mediaType
        if let fault = SettingsRules.fault(mediaType, settings, hint: format) {
            throw MediaError(.invalidSettings, "cannot encode \(mediaType)", reason: fault)
        }
        var plan = EncodingPlan(mediaType, settings: settings, hint: format, isRealTime: true)
        plan.mayEase = mayEase
        keyFrames = plan.keyFrames
        let encoding = try plan.open()
        let (input, effort) = ((encoding as? VideoTrackEncoding)?.input, encoding.effort)
        shrinking = Locked(Self.shrinking(format.video, input))
        self.format = encoding.format
        let intake = TrackIntake(
            TrackTraits(
                mediaType: mediaType, isRealTime: true, isPassthrough: settings == nil, hint: format, budget: budget,
                isLowLatency: isLowLatency))
        intake.noteEffort(effort)
        self.input = TrackInput(intake, encoding: encoding, sink: receiver, latency: latency)
    }

    /// For pictures that take more than the NV12 that they become, by a third at least.
    private static func shrinking(_ source: VideoFormat?, _ input: EncoderInput?) -> sending EncoderPictureInput? {
        guard let input, input.bitDepth == 8, let source, let layout = source.pixelFormat else { return nil }
        switch layout {
        case .nv12, .i420, .gray8: return nil
        case .yuyv, .uyvy, .i422, .bgra, .argb, .rgba, .rgb24, .p010, .i010, .i210:
            return EncoderPictureInput(width: source.width, height: source.height, layout: input.layout)
        }
    }

    /// Begins to encode what is appended from now on.
    ///
    /// - Parameters:
    ///   - start: what was captured before is left out, sound to the sample.
    ///   - preparation: runs first on the encoder's thread, and may wait there for the encoder before this one to end.
    package func start(
        at start: MediaTime, after preparation: (@Sendable () -> Void)? = nil,
        receiver: @escaping @Sendable (Event) -> Void
    ) throws(MediaError) {
        let isFirst = isStarted.withLock { isStarted in
            defer { isStarted = true }
            return !isStarted
        }
        guard isFirst else {
            throw MediaError(.invalidState, "cannot start an encoder", reason: "it was started before")
        }
        self.receiver.handler = receiver
        intake.open(sessionStart: start)
        try input.start(after: preparation) { _ in }
    }

    private var intake: TrackIntake { input.intake }

    /// Constant work, no waiting. For one thread at a time.
    ///
    /// A picture that must wait behind others is brought into the encoder's own layout here: more of them fit, and the
    /// camera has its buffer back. That is work that would be done anyway, 0.1 to 0.2 ms at 1080p.
    ///
    /// - Returns: whether the sample was taken; a refused one is in the ledger, unless it lies before the start.
    @discardableResult
    package func append(_ sample: SampleBuffer) -> Bool { (try? input.append(shrunk(sample))) ?? false }

    private func shrunk(_ sample: SampleBuffer) -> SampleBuffer {
        guard case .pixels(let picture) = sample.content, intake.queueDepth > 0 else { return sample }
        // One that cannot be converted is refused, and counted, by whoever looks at it next.
        let small = shrinking.withLock { try? $0?.convert(picture) }
        return small.map { sample.drawn(as: $0) } ?? sample
    }

    /// Enters samples that never came, or that are not wanted.
    package func noteLoss(_ count: Int64, cause: DropCause) { intake.noteLoss(count, cause: cause) }

    /// The first picture at or after `time` becomes a key frame. Of no effect on packets that a camera made.
    package func askForKeyFrame(at time: MediaTime) { keyFrames.ask(at: time) }

    /// Nothing more comes; what was taken is still encoded.
    package func markAsFinished() { input.markAsFinished() }

    /// Waits for the encoder's thread. Only after `markAsFinished`, and never from the receiver.
    package func join() { input.join() }

    /// `written` is what has come out in packets.
    package var ledger: Ledger { intake.ledger }
    /// Samples that were captured and dropped. Takes no lock.
    package var dropped: Int64 { intake.dropped }
    /// Samples that wait for the encoder. Takes no lock.
    package var queueDepth: Int { intake.queueDepth }
    /// How hard it works; nil where it always does the same.
    package var effort: EncodingEffort? { intake.effort }
    package var filledGaps: (count: Int, frames: Int64) { intake.gaps }
    /// By how many parts per million the clock of the device's sound is faster than the monotonic one. Sound is kept in place by
    /// resampling meanwhile. nil for pictures, and in the first minute, before it is known to 10 ppm.
    package var driftPPM: Double? { intake.clock.driftPPM }
    /// Seconds by which sound is written later than it was heard: late against the pictures. The measured times, smoothed; nil for
    /// pictures, and in the first seconds.
    package var syncOffset: Double? { intake.clock.syncOffset }
}
