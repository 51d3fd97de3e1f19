import AssetIO
import Foundation
import MediaTypes

/// Of one track.
extension AVAssetTrack {
    public var metadata: [AVMetadataItem] {
        let type = sourceAsset?.url.flatMap { FileType(fileExtension: $0.pathExtension) } ?? .mov
        return AVMetadataItem.items(fromStored: engine?.metadata ?? [], of: type)
    }
    public var commonMetadata: [AVMetadataItem] { metadata.compactMap(\.asCommon) }
    public var availableMetadataFormats: [AVMetadataFormat] { AVMetadataFormat.of(metadata) }
    public func metadata(forFormat format: AVMetadataFormat) -> [AVMetadataItem] { metadata.filter(format.holds) }
    public func loadMetadata(for format: AVMetadataFormat) async throws -> [AVMetadataItem] {
        metadata(forFormat: format)
    }
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
