public import Foundation
import MediaTypes
import RealTime

/// Appends groups of timed metadata to an input.
open class AVAssetWriterInputMetadataAdaptor: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    public let assetWriterInput: AVAssetWriterInput
    /// The end of the last group; nil if the group lasts until the next one.
    private let end = Locked<MediaTime?>(nil)

    /// Creates an adaptor for a metadata input. The input's format hint must describe every item that will be appended.
    /// An input of another media type becomes invalid: it can no longer be added, and a writer that already has it
    /// fails.
    public init(assetWriterInput input: AVAssetWriterInput) {
        assetWriterInput = input
        super.init()
        guard input.mediaType != .metadata else { return }
        input.refuse(
            MediaError(
                .invalidSettings, "cannot create a metadata adaptor",
                reason: "the input is for \(input.mediaType.rawValue), not metadata",
                wayOut: "create an input of the media type metadata"))
    }

    /// Appends a group. The times of its items have no effect.
    ///
    /// A group lasts until its end, but at most until the next group. A group without a duration lasts until the next
    /// group. The last group of a track needs a duration. Time ranges between groups have no metadata.
    ///
    /// - Returns: true if the group was accepted. An invalid group makes the writer fail. With a live source, only that
    ///   group is dropped.
    @discardableResult
    open func append(_ timedMetadataGroup: AVTimedMetadataGroup) -> Bool {
        assetWriterInput.appendSamples(
            { () throws(MediaError) in try samples(timedMetadataGroup) },
            accepted: { sample in
                end.withLock { $0 = sample.duration.map { sample.presentationTime + $0 } }
            })
    }

    /// Returns the group as a sample. If there is a gap before the group, an empty sample comes first.
    private func samples(_ group: AVTimedMetadataGroup) throws(MediaError) -> [SampleBuffer] {
        guard let format = assetWriterInput.sourceFormatHint?.engine.metadata else {
            throw MediaError(
                .invalidSample, "cannot append a group of metadata", reason: "the input has no metadata format",
                wayOut: "create the input with a sourceFormatHint that lists the items")
        }
        let sample = try group.sample(in: format)
        guard let last = end.withLock({ $0 }), last < sample.presentationTime else { return [sample] }
        return [format.sample([], at: last, duration: sample.presentationTime - last), sample]
    }
}
