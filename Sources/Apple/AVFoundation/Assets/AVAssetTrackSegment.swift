public import Foundation

/// A segment of a track: a time range of its media, and the time range in which it is presented.
open class AVAssetTrackSegment: NSObject, @unchecked Sendable {
    // Unchecked: constant.
    /// The mapping from the media to the track. The source of an empty segment is invalid.
    public let timeMapping: CMTimeMapping

    init(timeMapping: CMTimeMapping) { self.timeMapping = timeMapping }

    /// True if the segment is a gap.
    open var isEmpty: Bool { !timeMapping.source.isValid }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAssetTrackSegment else { return false }
        return other.timeMapping == timeMapping && other.isEmpty == isEmpty
    }
    open override var hash: Int { timeMapping.target.hashValue }
}
