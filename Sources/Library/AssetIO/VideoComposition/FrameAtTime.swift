import MediaCodecs
import MediaTypes

/// Returns the frame that a track shows at a time: the last one that has begun, unless the track has a gap since then.
/// The times must increase. Only one thread at a time may call.
final class FrameAtTime {
    private let asset: Asset
    private let track: AssetTrack
    private let configuration: ReaderOutputConfiguration
    private let gaps: [TimeRange]
    private var source: (any SampleSource)?
    private var current: SampleBuffer?
    private var following: SampleBuffer?

    init(asset: Asset, track: AssetTrack, _ configuration: ReaderOutputConfiguration) {
        self.asset = asset
        self.track = track
        self.configuration = configuration
        gaps = asset.gaps(of: track)
    }

    var allocationCount: Int { source?.allocationCount ?? 0 }

    /// Opens the track for times of a range. Blocks.
    ///
    /// - Throws: the errors of opening and reading a track.
    func begin(_ range: TimeRange) throws(MediaError) {
        let source = try asset.source(
            of: track, ranges: [range],
            SourceOptions(settings: .pixels(nil), sharesMemory: true, of: configuration))
        (self.source, current) = (source, nil)
        following = try source.next()
    }

    /// - Returns: the frame; nil before the track's first frame, in a gap, and after the track's end.
    /// - Throws: the errors of reading the track.
    func frame(at time: MediaTime) throws(MediaError) -> PixelBuffer? {
        while let next = following, next.presentationTime <= time {
            current = next
            following = try source?.next()
        }
        guard let current, case .pixels(let frame) = current.content else { return nil }
        let shown = current.presentationTime
        guard !gaps.contains(where: { $0.start <= time && ($0.start > shown || time < $0.end) }) else { return nil }
        if following == nil {
            let end = shown + (current.duration ?? .zero)
            guard time < max(end, track.timeRange.end) else { return nil }
        }
        return frame
    }

    /// The geometry of the frame that `frame(at:)` returned last. A decoded frame states neither its pixel aspect ratio
    /// nor its clean aperture, so these are those of the track.
    var geometry: FrameGeometry? {
        guard let current, case .pixels(let frame) = current.content else { return nil }
        let format = asset.videoFormat(of: track, at: current.presentationTime)
        let isAsStated = format.map { $0.width == frame.width && $0.height == frame.height } ?? false
        return FrameGeometry(
            width: frame.width, height: frame.height, pixelAspectRatio: format?.pixelAspectRatio ?? .one,
            cleanAperture: isAsStated ? format?.cleanAperture : nil)
    }

    /// Returns true if the track shows nothing at a time and later.
    ///
    /// - Throws: the errors of reading the track.
    func hasEnded(by time: MediaTime) throws(MediaError) -> Bool {
        try frame(at: time) == nil && following == nil
    }
}
