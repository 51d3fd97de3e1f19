import AssetIO
import Foundation
import MediaTypes

/// Metadata of one track.
extension AVAssetTrack {
    public var metadata: [AVMetadataItem] {
        let type = sourceAsset?.url.flatMap { FileType(fileExtension: $0.pathExtension) } ?? .mov
        // The creation time in a track's header describes the file. It is left out, so that a copy of the items has no
        // date that the program never set.
        let stored = (engine?.metadata ?? []).filter { $0.key.lowercased() != "creation_time" }
        return AVMetadataItem.items(fromStored: stored, of: type)
    }
    public var commonMetadata: [AVMetadataItem] { metadata.compactMap(\.asCommon) }
    public var availableMetadataFormats: [AVMetadataFormat] { AVMetadataFormat.of(metadata) }
    public func metadata(forFormat format: AVMetadataFormat) -> [AVMetadataItem] { metadata.filter(format.holds) }
    public func loadMetadata(for format: AVMetadataFormat) async throws -> [AVMetadataItem] {
        metadata(forFormat: format)
    }
    @preconcurrency
    public func loadMetadata(
        for format: AVMetadataFormat, completionHandler: @escaping @Sendable ([AVMetadataItem]?, (any Error)?) -> Void
    ) {
        OffPool.queue.async { completionHandler(self.metadata(forFormat: format), nil) }
    }
}

extension AVPartialAsyncProperty where Root: AVAssetTrack {
    public static var metadata: AVAsyncProperty<Root, [AVMetadataItem]> { .init("metadata") { $0.metadata } }
    public static var commonMetadata: AVAsyncProperty<Root, [AVMetadataItem]> {
        .init("commonMetadata") { $0.commonMetadata }
    }
    public static var availableMetadataFormats: AVAsyncProperty<Root, [AVMetadataFormat]> {
        .init("availableMetadataFormats") { $0.availableMetadataFormats }
    }
}
