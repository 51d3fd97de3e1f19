public import Foundation

/// The receiver of the segments of a writer that was created with `init(contentType:)`.
///
/// Both methods are optional. The writer calls the method with a report; its default implementation calls the method
/// without one. Segments are delivered in order, one at a time, on a thread of the writer. A delegate may block this
/// thread. The writer then waits, as for a slow disk.
public protocol AVAssetWriterDelegate: NSObjectProtocol {
    /// - Parameter segmentReport: the contents of the segment; nil for an initialization segment.
    func assetWriter(
        _ writer: AVAssetWriter, didOutputSegmentData segmentData: Data, segmentType: AVAssetSegmentType,
        segmentReport: AVAssetSegmentReport?)

    func assetWriter(
        _ writer: AVAssetWriter, didOutputSegmentData segmentData: Data, segmentType: AVAssetSegmentType)
}

extension AVAssetWriterDelegate {
    public func assetWriter(
        _ writer: AVAssetWriter, didOutputSegmentData segmentData: Data, segmentType: AVAssetSegmentType,
        segmentReport: AVAssetSegmentReport?
    ) {
        assetWriter(writer, didOutputSegmentData: segmentData, segmentType: segmentType)
    }

    public func assetWriter(
        _ writer: AVAssetWriter, didOutputSegmentData segmentData: Data, segmentType: AVAssetSegmentType
    ) {}
}
