import MediaCodecs
package import MediaTypes
import MovieFile
package import RealTime

/// Encodes one live track by itself: samples go in at a real-time input's door, packets come out on the encoder's own
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

    private struct Receiver: PacketReceiver {
        let core: TrackCore
        let handler: @Sendable (Event) -> Void
        var hasRoom: Bool { true }

        func push(_ packet: TrackSample, mayWait: Bool, waiting: (Bool) -> Void) {
            handler(.packet(packet.sample.accounting(for: packet.accountsFor)))
            // For this track the receiver is the file.
            core.noteWritten(packet.accountsFor)
        }

        func endTrack(_ index: Int) { handler(.ended(core.error)) }
    }

    package let mediaType: MediaType
    /// Of the packets; nil where only the first one will tell.
    package let format: FormatDescription?
    private let core: TrackCore
    private let encoding: Locked<(any TrackEncoding)?>
    private let keyFrames = KeyFrameRequest()
    private let thread = Locked<EncoderThread?>(nil)
    private let latency: LatencyMeter?
    /// Makes pictures smaller that must wait; nil where that is of no use.
    private let shrinking: Locked<PixelConverter?>

    /// Opens the encoder.
    ///
    /// - Parameters:
    ///   - settings: nil: packets stay as they come.
    ///   - format: of what will be appended.
    ///   - latency: learns how long the encoder takes for a sample, with what the receiver does.
    ///   - mayEase: whether it may work less hard rather than refuse pictures; asked each time. nil: it never does.
    /// - Throws: what the encoder refuses.
    package init(
        _ mediaType: MediaType, settings: OutputSettings?, format: FormatDescription, budget: RealTimeBudget = .init(),
        latency: LatencyMeter? = nil, mayEase: (@Sendable () -> Bool)? = nil
    ) throws(MediaError) {
        self.latency = latency
        self.mediaType = mediaType
        let input = try AssetWriterInput(mediaType: mediaType, outputSettings: settings, sourceFormatHint: format)
        try input.configure { $0.expectsMediaDataInRealTime = true }
        let encoding = try input.makeEncoding(temporaryDirectory: nil, keyFrames: keyFrames, mayEase: mayEase)
        let (bitDepth, effort) = ((encoding as? VideoTrackEncoding)?.bitDepth, encoding.effort)
        shrinking = Locked(Self.shrinking(format.video, bitDepth: bitDepth))
        self.format = encoding.format
        self.encoding = Locked(encoding)
        core = TrackCore(
            TrackTraits(
                mediaType: mediaType, isRealTime: true, isPassthrough: settings == nil, hint: format, budget: budget))
        core.noteEffort(effort)
    }

    /// For pictures that take more than the NV12 that they become, by a third at least.
    private static func shrinking(_ source: VideoFormat?, bitDepth: Int?) -> sending PixelConverter? {
        guard bitDepth == 8, let source, let layout = source.pixelFormat else { return nil }
        switch layout {
        case .nv12, .i420, .gray8: return nil
        case .yuyv, .uyvy, .i422, .bgra, .p010, .i010:
            return PixelConverter(width: source.width, height: source.height)
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
        guard
            let encoding = encoding.withLock({ encoding in
                defer { encoding = nil }
                return encoding
            })
        else { throw MediaError(.invalidState, "cannot start an encoder", reason: "it was started before") }
        let stage = EncodingStage(
            index: 0, encoding: encoding, core: core, packets: Receiver(core: core, handler: receiver),
            latency: latency)
        let thread = EncoderThread(stage, core: core)
        self.thread.withLock { $0 = thread }
        core.open(sessionStart: start)
        try thread.start(after: preparation) { _ in }
    }

    /// The door: constant work, no waiting. For one thread at a time.
    ///
    /// A picture that must wait behind others is brought into the encoder's own layout here: more of them fit, and the
    /// camera has its buffer back. That is work that would be done anyway, 0.1 to 0.2 ms at 1080p.
    ///
    /// - Returns: whether the sample was taken; a refused one is in the ledger, unless it lies before the start.
    @discardableResult
    package func append(_ sample: SampleBuffer) -> Bool { (try? core.append(shrunk(sample))) ?? false }

    private func shrunk(_ sample: SampleBuffer) -> SampleBuffer {
        guard case .pixels(let picture) = sample.content, core.queueDepth > 0 else { return sample }
        // One that cannot be converted is refused, and counted, by whoever looks at it next.
        let small = shrinking.withLock { try? $0?.convert(picture) }
        return small.map { sample.drawn(as: $0) } ?? sample
    }

    /// Enters samples that never came, or that are not wanted.
    package func noteLoss(_ count: Int64, cause: DropCause) { core.noteLoss(count, cause: cause) }

    /// The first picture at or after `time` becomes a key frame. Of no effect on packets that a camera made.
    package func askForKeyFrame(at time: MediaTime) { keyFrames.ask(at: time) }

    /// Nothing more comes; what was taken is still encoded.
    package func markAsFinished() { core.markAsFinished() }

    /// Waits for the thread. Only after `markAsFinished`, and never from the receiver.
    package func join() { thread.withLock { $0 }?.join() }

    /// `written` is what has come out in packets.
    package var ledger: Ledger { core.ledger }
    /// Samples that wait for the encoder.
    package var queueDepth: Int { core.queueDepth }
    /// How hard it works; nil where it always does the same.
    package var effort: EncodingEffort? { core.effort }
    package var filledGaps: (count: Int, frames: Int64) { core.gaps }
    /// As `AssetWriterInput` has them.
    package var driftPPM: Double? { core.clock.driftPPM }
    package var syncOffset: Double? { core.clock.syncOffset }
}
