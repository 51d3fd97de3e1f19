import DequeModule
import Foundation
import MediaTypes

/// A composition's track: what its segments' own sources give, one after the other, at its place in the composition.
///
/// Gaps give nothing. One segment's source is open at a time; one that comes again at once stays open.
final class CompositionSource: SampleSource, @unchecked Sendable {
    // Unchecked: whoever has the output's turn uses it, one thread at a time.
    private struct Open {
        let asset: UUID
        let track: Int
        let source: any SampleSource
    }

    private let segments: [Composition.Segment]
    private let options: SourceOptions
    /// Of linear PCM, decoded or stored; nil for anything else.
    private let soundFormat: AudioFormat?
    private var parts: Deque<CompositionPart>
    private var open: Open?
    /// What is open, or that at another rate.
    private var reading: (any SampleSource)?
    private var placement: (any SamplePlacement)?
    /// Of the range that is being read.
    private var lastDecodeTime = MediaTime.negativeInfinity
    private var closedAllocationCount = 0

    var allocationCount: Int { closedAllocationCount + (open?.source.allocationCount ?? 0) }

    /// Opens the first segment that is read; the others when their time comes.
    ///
    /// - Throws: what opening its file or decoder throws; `invalidSettings` for settings that do not fit the track;
    ///   `unsupported` for stored samples of several formats.
    init(_ track: Composition.Track, options: SourceOptions, ranges: [TimeRange]) throws(MediaError) {
        segments = track.segments
        guard let first = segments.compactMap(\.source).first?.track.formatDescription else {
            throw MediaError(.invalidSettings, "cannot read track \(track.id)", reason: "it is empty")
        }
        var options = options
        switch (options.settings, first) {
        case (nil, _):
            try Self.requireOneFormat(segments)
            soundFormat = first.audio.flatMap { $0.pcm == nil ? nil : $0 }
        case (.pixels, .video): soundFormat = nil
        case (.pcm(let form), .audio(let audio)):
            let format = form.output.format(for: audio)
            soundFormat = format
            // What was left open is as in the first segment.
            options.settings = .pcm(
                TrackOutput.PCM(
                    form.format, isBigEndian: form.isBigEndian, sampleRate: format.sampleRate,
                    channelCount: format.channelCount, layout: format.layout))
        default:
            throw MediaError(.invalidSettings, "cannot read track \(track.id)", reason: "the settings do not fit it")
        }
        self.options = options
        parts = Deque(CompositionPart.parts(of: segments, in: ranges))
        try begin()
    }

    func restart(ranges: [TimeRange]) {
        parts = Deque(CompositionPart.parts(of: segments, in: ranges))
        placement = nil
    }

    func next() throws(MediaError) -> SampleBuffer? {
        while true {
            if let reading, placement != nil {
                while let sample = try reading.next() {
                    if let placed = try placement?.place(sample) { return placed }
                }
                if let packets = placement as? PacketPlacement { lastDecodeTime = packets.lastDecodeTime }
                placement = nil
            }
            guard try begin() else { return nil }
        }
    }

    /// Goes on to the next part; false when there is none.
    @discardableResult
    private func begin() throws(MediaError) -> Bool {
        guard let part = parts.popFirst() else { return false }
        let placement = placement(of: part)
        let source = part.source
        if let open, open.asset == source.asset.id, open.track == source.track.id {
            open.source.restart(ranges: [placement.sourceRange])
        } else {
            closedAllocationCount = allocationCount
            (open, reading) = (nil, nil)
            open = Open(
                asset: source.asset.id, track: source.track.id,
                source: try source.asset.source(of: source.track, ranges: [placement.sourceRange], options))
        }
        reading = open?.source
        if let soundFormat, let read = open?.source, let retimed = RetimedSound(read, part.segment, soundFormat) {
            reading = retimed
        }
        self.placement = placement
        return true
    }

    private func placement(of part: CompositionPart) -> any SamplePlacement {
        if let soundFormat { return SoundPlacement(part, format: soundFormat) }
        if options.settings != nil { return PicturePlacement(part) }
        if !options.givesHiddenSamples { return ShownPacketPlacement(part: part) }
        return PacketPlacement(part, after: part.followsSeam ? lastDecodeTime : .negativeInfinity)
    }

    /// Stored samples of one track are all of one description.
    private static func requireOneFormat(_ segments: [Composition.Segment]) throws(MediaError) {
        var first: FormatDescription?
        for segment in segments {
            if let track = segment.source?.track, !track.edits.isEmpty {
                throw MediaError(
                    .unsupported, "cannot read the stored samples of a composition",
                    reason: "the segment at \(segment.timeRange.start.words) is of a track whose edit list shows "
                        + "several parts of its media", wayOut: "decode and re-encode the track")
            }
            guard let format = segment.source?.track.formatDescription else { continue }
            guard let expected = first else {
                first = format
                continue
            }
            guard format.isStored(as: expected) else {
                let difference =
                    FormatMatch.difference(format, expected: expected) ?? "its description is not that of the track"
                throw MediaError(
                    .unsupported, "cannot read the stored samples of a composition",
                    reason: "the segment at \(segment.timeRange.start.words) does not fit the first: \(difference)",
                    wayOut: "decode and re-encode the track")
            }
        }
    }
}

extension FormatDescription {
    /// Whether samples of both can stand under one description. A codec's tag is missing where the container has none.
    fileprivate func isStored(as other: FormatDescription) -> Bool {
        guard case .video(var one) = self, case .video(let two) = other else { return self == other }
        if one.codecTag == nil || two.codecTag == nil { one.codecTag = two.codecTag }
        return one == two
    }
}
