import AssetIO
public import Foundation
import MediaTypes

/// A segment of a composition's track: a time range of a track of another asset, or a gap.
open class AVCompositionTrackSegment: AVAssetTrackSegment, @unchecked Sendable {
    // Unchecked: constant.
    /// The file; nil for a gap, and for media that is not in a file.
    public let sourceURL: URL?
    /// The source track; `kCMPersistentTrackID_Invalid` for a gap.
    public let sourceTrackID: CMPersistentTrackID
    /// The source, if the segment comes from a composition.
    let source: Composition.Source?

    /// Creates a segment of a file's media. If the source and target ranges have different lengths, the media is
    /// presented slower or faster.
    public init(
        url URL: URL, trackID: CMPersistentTrackID, sourceTimeRange: CMTimeRange, targetTimeRange: CMTimeRange
    ) {
        (sourceURL, sourceTrackID, source) = (URL, trackID, nil)
        super.init(timeMapping: CMTimeMapping(source: sourceTimeRange, target: targetTimeRange))
    }

    /// Creates a gap.
    public init(timeRange: CMTimeRange) {
        (sourceURL, sourceTrackID, source) = (nil, kCMPersistentTrackID_Invalid, nil)
        super.init(timeMapping: CMTimeMapping(source: .invalid, target: timeRange))
    }

    init(_ segment: Composition.Segment) {
        source = segment.source
        sourceURL = segment.source?.asset.url
        sourceTrackID = CMPersistentTrackID(clamping: segment.source?.track.id ?? 0)
        super.init(
            timeMapping: CMTimeMapping(
                source: segment.source.map { CMTimeRange($0.timeRange) } ?? .invalid,
                target: CMTimeRange(segment.timeRange)))
    }

    open override var isEmpty: Bool { sourceTrackID == kCMPersistentTrackID_Invalid }

    /// Returns the segment in the library's form. If necessary, blocks while the file's header is read.
    ///
    /// - Parameter assets: the composition's assets, by their URLs.
    func placed(_ assets: inout [URL: Asset]) throws(MediaError) -> Composition.Placed {
        let target = timeMapping.target.media
        guard !isEmpty else { return Composition.Placed(timeRange: target) }
        let range = timeMapping.source.media
        if let source {
            return Composition.Placed(timeRange: target, media: (source.asset, source.track, range))
        }
        guard let url = sourceURL else {
            throw MediaError(.invalidSettings, "cannot place a segment", reason: "it has no source")
        }
        let asset = assets[url] ?? Asset(url: url)
        assets[url] = asset
        guard let track = try asset.loadNow(.tracks).first(where: { $0.id == Int(sourceTrackID) }) else {
            throw MediaError(.notFound, "cannot place a segment", reason: "\(url.path) has no track \(sourceTrackID)")
        }
        return Composition.Placed(timeRange: target, media: (asset, track, range))
    }
}
