public import Foundation
import MediaTypes

/// Reads the samples of an output as groups of timed metadata.
open class AVAssetReaderOutputMetadataAdaptor: NSObject, @unchecked Sendable {
    // Unchecked: constant.
    public let assetReaderTrackOutput: AVAssetReaderTrackOutput

    /// Creates an adaptor for an output of a metadata track. With the output of another track, the reader fails when
    /// the adaptor is used.
    public init(assetReaderTrackOutput trackOutput: AVAssetReaderTrackOutput) {
        assetReaderTrackOutput = trackOutput
        super.init()
    }

    /// Returns the next group. Blocks while it is read. A group without items represents a time without metadata.
    /// Returns nil at the end, after a failure, and before reading has started. The reader's `status` distinguishes
    /// these cases.
    open func nextTimedMetadataGroup() -> AVTimedMetadataGroup? {
        guard assetReaderTrackOutput.mediaType == .metadata else {
            assetReaderTrackOutput.reader?.fail(
                MediaError(
                    .invalidSettings, "cannot read groups of metadata",
                    reason: "the output's track is \(assetReaderTrackOutput.mediaType.rawValue), not metadata",
                    wayOut: "use a track of the media type metadata"))
            return nil
        }
        return assetReaderTrackOutput.copyNextSampleBuffer().flatMap { AVTimedMetadataGroup(sampleBuffer: $0) }
    }
}
