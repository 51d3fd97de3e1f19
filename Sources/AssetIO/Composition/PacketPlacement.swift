import MediaTypes

/// Stored packets belong to a part as wholes. Where parts meet, nothing may be shown twice, and decode times go on.
///
/// At the beginning and at the end of what is read they come as from a file: with what decoding needs.
struct PacketPlacement: SamplePlacement {
    let part: CompositionPart
    private let isVideo: Bool
    /// When the last packet of the range is decoded.
    private(set) var lastDecodeTime: MediaTime
    private var hasBegun = false
    /// A picture was left out that is shown behind the part.
    private var hasOverhang = false

    /// What decode times are moved by where they would not increase: short against the time between pictures.
    private static let step = MediaTime(value: 1, timescale: 1000)

    init(_ part: CompositionPart, after lastDecodeTime: MediaTime) {
        self.part = part
        self.lastDecodeTime = lastDecodeTime
        isVideo = part.source.track.mediaType == .video
    }

    var sourceRange: TimeRange { part.sourceRange }

    mutating func place(_ sample: SampleBuffer) throws(MediaError) -> SampleBuffer? {
        let moved = part.placed(sample)
        guard try isVideo ? belongs(moved) : isMostlyInside(moved) else { return nil }
        let decodeTime = moved.decodeTime ?? moved.presentationTime
        guard decodeTime <= lastDecodeTime else {
            lastDecodeTime = decodeTime
            return moved
        }
        let later = lastDecodeTime + Self.step
        guard part.followsSeam, later <= moved.presentationTime else {
            // Not of our making: as it is in the file.
            guard part.followsSeam else { return moved }
            throw refusal("decodes its pictures earlier than the segment before leaves time for")
        }
        lastDecodeTime = later
        return SampleBuffer(
            format: moved.format, content: moved.content, presentationTime: moved.presentationTime, decodeTime: later,
            duration: moved.duration, sampleCount: moved.sampleCount, isKeyFrame: moved.isKeyFrame)
    }

    /// Pictures: those before the start lean on the segment before the seam, or on pictures that would be seen.
    private mutating func belongs(_ sample: SampleBuffer) throws(MediaError) -> Bool {
        let time = sample.presentationTime
        if part.followsSeam, time < part.target.start {
            guard hasBegun else { throw refusal("begins between key frames") }
            return false
        }
        hasBegun = true
        guard part.precedesSeam else { return true }
        if time >= part.target.end {
            hasOverhang = true
            return false
        }
        if hasOverhang { throw refusal("ends where a picture leans on one behind the end") }
        return true
    }

    /// Sound: the packets whose middle is inside, so that what is too much here and too little there adds up to nothing.
    private func isMostlyInside(_ sample: SampleBuffer) -> Bool {
        let duration = max(sample.duration ?? .zero, Self.wholePacket(sample))
        let half = MediaTime(value: duration.ticks(in: 1_000_000) / 2, timescale: 1_000_000)
        let middle = sample.presentationTime + half
        if part.followsSeam, middle < part.target.start { return false }
        return !part.precedesSeam || middle < part.target.end
    }

    /// Of the packet at the end of an edit the reader says how much of it is heard; both files that share it must find the
    /// same middle.
    private static func wholePacket(_ sample: SampleBuffer) -> MediaTime {
        guard let audio = sample.format.audio, audio.bytesPerFrame == nil, audio.sampleRate > 0 else { return .zero }
        return MediaTime(
            value: Int64(clamping: audio.framesPerPacket), timescale: Int32(clamping: audio.sampleRate))
    }

    private func refusal(_ reason: String) -> MediaError {
        MediaError(
            .unsupported, "cannot read the stored samples of a composition",
            reason: "the segment at \(part.segment.timeRange.start.words) \(reason)",
            wayOut: "decode and re-encode the track, or cut it at key frames")
    }
}

/// Stored packets that are shown in a part, for whoever wants their times alone: nothing that decoding needs comes with them.
struct ShownPacketPlacement: SamplePlacement {
    let part: CompositionPart

    var sourceRange: TimeRange { part.sourceRange }

    func place(_ sample: SampleBuffer) -> SampleBuffer? {
        let moved = part.placed(sample)
        return part.target.contains(moved.presentationTime) ? moved : nil
    }
}
