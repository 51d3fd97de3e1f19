public import Foundation
import MediaTypes

/// Reads the samples of an output as groups of timed metadata.
open class AVAssetReaderOutputMetadataAdaptor: NSObject, @unchecked Sendable {
    // Unchecked: constant.
    public let assetReaderTrackOutput: AVAssetReaderTrackOutput

    /// Creates an adaptor for an output of a metadata track. With another one, the reader fails when it is used.
    public init(assetReaderTrackOutput trackOutput: AVAssetReaderTrackOutput) {
        assetReaderTrackOutput = trackOutput
        super.init()
    }

    /// Returns the next group; blocks while it is read. A time without metadata is a group without items. nil at the
    /// end, after a failure and before reading has started: the reader's `status` distinguishes these.
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
