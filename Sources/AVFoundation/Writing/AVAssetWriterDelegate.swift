public import Foundation

/// Who takes the segments of a writer that was made with `init(contentType:)`.
///
/// Both methods may be left out, as of a protocol with optional methods: what is called is the one with a report, which calls the
/// other where it is not there. They are called in order, one at a time, on a thread of the writer's that may be blocked: the
/// writer then waits, as it would for a slow disk.
public protocol AVAssetWriterDelegate: NSObjectProtocol {
    /// - Parameter segmentReport: what the segment holds; nil for an initialization segment.
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
