public import Foundation

/// The receiver of the segments of a writer created with `init(contentType:)`.
///
/// Both methods are optional. The one with a report is called; its default implementation calls the other. They are
/// called in order, one at a time, on a thread of the writer that may be blocked: the writer then waits, as it would
/// for a slow disk.
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
