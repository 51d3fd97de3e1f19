public import Foundation

/// A stretch of a track: which part of its media is presented when.
open class AVAssetTrackSegment: NSObject, @unchecked Sendable {
    // Unchecked: constant.
    /// From the media to the track. Of an empty one the source is invalid.
    public let timeMapping: CMTimeMapping

    init(timeMapping: CMTimeMapping) { self.timeMapping = timeMapping }

    /// Nothing is presented.
    open var isEmpty: Bool { !timeMapping.source.isValid }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAssetTrackSegment else { return false }
        return other.timeMapping == timeMapping && other.isEmpty == isEmpty
    }
    open override var hash: Int { timeMapping.target.hashValue }
}
