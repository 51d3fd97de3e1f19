import DequeModule
import Foundation
import MediaTypes

/// Reads a composition's track. Returns the samples of the segments' sources, one segment after the other, with their
/// times in the composition.
///
/// Gaps have no samples. One segment's source is open at a time. If the next segment uses the same source, the source
/// stays open.
final class CompositionSource: SampleSource, @unchecked Sendable {
    // Unchecked: the thread that has the output's turn uses it, one at a time.
    private struct Open {
        let asset: UUID
        let track: Int
        let showsHeldFrame: Bool
        let source: any SampleSource
    }

    private let segments: [Composition.Segment]
    private let options: SourceOptions
    /// The format of linear PCM, decoded or stored; nil for anything else.
    private let audioFormat: AudioFormat?
    private var parts: Deque<CompositionPart>
    /// The part that is read, or was read last.
    private var part: CompositionPart?
    /// True if the part has returned a sample.
    private var hasPlaced = false
    private var open: Open?
    /// The open source, or the resampler that reads from it.
    private var reading: (any SampleSource)?
    private var placement: (any SamplePlacement)?
    /// The decode time of the last packet in the range that is being read.
    private var lastDecodeTime = MediaTime.negativeInfinity
    /// The next part's keyframe, if the previous part has placed it already; otherwise nil.
    private var placedKeyframe: SampleBuffer?
    private var closedAllocationCount = 0

    var allocationCount: Int { closedAllocationCount + (open?.source.allocationCount ?? 0) }

    /// The time until which the last frame is on screen. It is at most the end of the frame's part, because nothing is
    /// shown in a gap. Nil before the part has returned a frame.
    var lastFrameEnd: MediaTime? {
        guard let part, hasPlaced, let end = open?.source.lastFrameEnd else { return nil }
        return end < part.sourceRange.end ? part.segment.time(of: end) : part.target.end
    }

    /// Opens the first segment that is read. The others are opened when they are reached.
    ///
    /// - Throws: the errors of opening its file or decoder; `invalidSettings` for settings that do not fit the track;
    ///   `unsupported` for stored samples in several formats.
    init(_ track: Composition.Track, options: SourceOptions, ranges: [TimeRange]) throws(MediaError) {
        segments = track.segments
        guard let first = segments.compactMap(\.source).first?.track.formatDescription else {
            throw MediaError(.invalidSettings, "cannot read track \(track.id)", reason: "it is empty")
        }
        var options = options
        switch (options.settings, first) {
        case (nil, _):
            try Self.requireOneFormat(segments)
            audioFormat = first.audio.flatMap { $0.pcm == nil ? nil : $0 }
        case (.pixels, .video): audioFormat = nil
        case (.pcm(let form), .audio(let audio)):
            let format = form.output.format(for: audio)
            audioFormat = format
            // Settings that are nil get the values of the first segment.
            options.settings = .pcm(
                TrackOutput.PCM(
                    form.format, isBigEndian: form.isBigEndian, sampleRate: format.sampleRate,
                    channelCount: format.channelCount, layout: format.layout))
        default:
            throw MediaError(
                .invalidSettings, "cannot read track \(track.id)",
                reason: "the output settings do not match its media type")
        }
        self.options = options
        parts = Deque(CompositionPart.parts(of: segments, in: ranges))
        try begin()
    }

    func restart(ranges: [TimeRange]) {
        parts = Deque(CompositionPart.parts(of: segments, in: ranges))
        (part, placement, hasPlaced, placedKeyframe) = (nil, nil, false, nil)
    }

    func next() throws(MediaError) -> SampleBuffer? {
        while true {
            if let reading, placement != nil {
                if let waiting = placement?.takeWaiting() { return waiting }
                while let sample = try reading.next() {
                    if let placed = try placement?.place(sample) {
                        hasPlaced = true
                        return placed
                    }
                }
                if let packets = placement as? PacketPlacement {
                    (lastDecodeTime, placedKeyframe) = (packets.lastDecodeTime, packets.keyframeOfNext)
                }
                placement = nil
            }
            guard try begin() else { return nil }
        }
    }

    /// Continues with the next part. Returns false if there is none.
    @discardableResult
    private func begin() throws(MediaError) -> Bool {
        guard let part = parts.popFirst() else { return false }
        self.part = part
        hasPlaced = false
        let placement = placement(of: part)
        let source = part.source
        var options = options
        // A chunk leaves out the frame on screen at its start if that frame belongs to the chunk before. At the
        // beginning of a segment, it cannot belong to an earlier chunk.
        if part.beginsSegment { options.showsHeldFrame = true }
        if let open, open.asset == source.asset.id, open.track == source.track.id,
            open.showsHeldFrame == options.showsHeldFrame
        {
            open.source.restart(ranges: [placement.sourceRange])
        } else {
            closedAllocationCount = allocationCount
            (open, reading) = (nil, nil)
            open = Open(
                asset: source.asset.id, track: source.track.id, showsHeldFrame: options.showsHeldFrame,
                source: try source.asset.source(of: source.track, ranges: [placement.sourceRange], options))
        }
        reading = open?.source
        if let audioFormat, let read = open?.source, let retimed = RetimedAudio(read, part.segment, audioFormat) {
            reading = retimed
        }
        self.placement = placement
        return true
    }

    private func placement(of part: CompositionPart) -> any SamplePlacement {
        if let audioFormat { return AudioPlacement(part, format: audioFormat) }
        if options.settings != nil { return VideoPlacement(part) }
        if !options.givesHiddenSamples { return ShownPacketPlacement(part: part) }
        guard part.followsSeam else {
            return PacketPlacement(part, after: .negativeInfinity, nextStart: nextStart(of: part))
        }
        return PacketPlacement(
            part, after: lastDecodeTime, placed: placedKeyframe, nextStart: nextStart(of: part))
    }

    /// Returns the time at which the next part of the same range begins; nil if there is none.
    private func nextStart(of part: CompositionPart) -> MediaTime? {
        part.precedesSeam ? parts.first?.target.start : nil
    }

    /// Checks that all stored samples of the track have the same description.
    private static func requireOneFormat(_ segments: [Composition.Segment]) throws(MediaError) {
        var first: FormatDescription?
        for segment in segments {
            if let track = segment.source?.track, !track.edits.isEmpty {
                throw MediaError(
                    .unsupported, "cannot read the stored samples of a composition",
                    reason: "the segment at \(segment.timeRange.start.words) comes from a track whose edit list shows "
                        + "several parts of its media", wayOut: "decode and re-encode the track")
            }
            guard let format = segment.source?.track.formatDescription else { continue }
            guard let expected = first else {
                first = format
                continue
            }
            guard format.isStored(as: expected) else {
                let difference =
                    FormatMatch.difference(format, expected: expected)
                    ?? "its sample description differs from the track's"
                throw MediaError(
                    .unsupported, "cannot read the stored samples of a composition",
                    reason: "the segment at \(segment.timeRange.start.words) does not match the first: \(difference)",
                    wayOut: "decode and re-encode the track")
            }
        }
    }
}

extension FormatDescription {
    /// Returns true if samples of both formats can be stored under one description. The codec's tag is compared only if
    /// both formats have one; some containers have none.
    fileprivate func isStored(as other: FormatDescription) -> Bool {
        guard case .video(var one) = self, case .video(let two) = other else { return self == other }
        if one.codecTag == nil || two.codecTag == nil { one.codecTag = two.codecTag }
        return one == two
    }
}
