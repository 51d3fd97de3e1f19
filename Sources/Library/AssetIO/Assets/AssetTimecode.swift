import Demuxing
public import MediaTypes

/// The timecode of an asset's first frame, and its format.
public struct AssetTimecode: Sendable, Hashable {
    public var format: TimecodeFormat
    /// The number of frames since 00:00:00:00, without skipped numbers, as in `TimecodeFormat.sample`.
    public var frameNumber: UInt32

    public init(format: TimecodeFormat, frameNumber: UInt32) {
        self.format = format
        self.frameNumber = frameNumber
    }

    /// Returns the timecode of the frame that is shown `time` after this one.
    func advanced(by time: MediaTime) -> AssetTimecode {
        guard format.frameDuration.isNumeric, format.frameDuration > .zero, time > .zero else { return self }
        let rate = Double(format.frameDuration.timescale) / Double(max(1, format.frameDuration.value))
        let frames = UInt32(clamping: Int64(clamping: min(1e15, time.seconds * rate).rounded()))
        return AssetTimecode(format: format, frameNumber: frameNumber &+ frames)
    }

    public var label: Timecode { format.label(ofFrame: Int64(frameNumber)) }
    /// The timecode as text, such as `10:00:00:12`.
    public var text: String { format.text(label) }
}

extension AssetProperty where Value == AssetTimecode? {
    /// The timecode from a timecode track, or from the container or the video (Matroska's `TIMECODE`, MPEG-2's GOP
    /// headers); nil if there is none.
    public static var timecode: Self { AssetProperty("timecode", \.timecode) }
}

extension AssetTimecode {
    init?(_ tracks: [MovieDemuxer.Track], metadata: [MetadataItem]) {
        let timecodeTrack = tracks.first { $0.format?.timecode != nil }
        let video = tracks.first { $0.mediaType == .video }
        let texts = [timecodeTrack?.metadata, video?.metadata, metadata].compactMap { items in
            items?.first { $0.key.lowercased() == "timecode" }?.value
        }
        guard let text = texts.first, let (label, drops) = Self.label(text) else { return nil }
        guard
            let format = timecodeTrack?.format?.timecode
                ?? Self.format(video?.averageFrameRate, video?.realFrameRate, drops: drops)
        else { return nil }
        self.init(format: format, frameNumber: UInt32(clamping: format.frameNumber(of: label)))
    }

    /// Parses `hh:mm:ss:ff`. A semicolon or a point before the frames means that numbers are dropped.
    static func label(_ text: String) -> (Timecode, drops: Bool)? {
        let parts = text.split(whereSeparator: { ":;.,".contains($0) }).map { Int($0) }
        guard parts.count == 4, let hours = parts[0], let minutes = parts[1], let seconds = parts[2],
            let frames = parts[3], parts.allSatisfy({ ($0 ?? -1) >= 0 })
        else { return nil }
        let drops = text.contains(";") || text.contains(".")
        return (Timecode(hours: hours, minutes: minutes, seconds: seconds, frames: frames), drops)
    }

    private static func format(_ average: Ratio?, _ real: Ratio?, drops: Bool) -> TimecodeFormat? {
        guard let rate = [average, real].compactMap({ $0 }).first(where: { $0.numerator > 0 && $0.denominator > 0 })
        else { return nil }
        let count = (Double(rate.numerator) / Double(rate.denominator)).rounded()
        guard (1...255).contains(count) else { return nil }
        return TimecodeFormat(
            frameDuration: MediaTime(value: Int64(rate.denominator), timescale: rate.numerator),
            framesPerSecond: Int(clamping: count), dropsFrames: drops && Int(clamping: count) % 30 == 0)
    }
}
