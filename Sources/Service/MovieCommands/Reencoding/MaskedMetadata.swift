import AssetIO
import CommandInterface
import MediaTypes

/// The metadata of a copy whose frames are masked or cropped. A pure value.
struct MaskedMetadata {
    /// The items to add to those of the source: the requested ones, and the masks.
    let added: [MetadataItem]
    /// The items of the source that are true for the copy.
    let kept: [MetadataItem]
    /// Descriptions of the source's items that are left out, one line each.
    let leftOut: [String]

    /// - Parameters:
    ///   - facts: the metadata of the source.
    ///   - tracks: the tracks that the copy gets.
    init(_ request: ReencodeRequest, _ facts: [MetadataItem], _ tracks: [AssetTrack]) {
        let stage = request.frameStage
        let hasVideo =
            request.video != .none && tracks.contains { $0.mediaType == .video && $0.formatDescription != nil }
            && FileType(fileExtension: request.outputURL.pathExtension) != .m4a
        guard stage.isActive, hasVideo else {
            (self.added, self.kept, self.leftOut) = (request.metadata, facts, [])
            return
        }
        added = (RecordedMasks(stage).map { [$0.metadataItem] } ?? []) + request.metadata
        var leftOut: [String] = []
        var kept = facts.filter { !$0.isListOfMasks }
        if kept.count < facts.count {
            leftOut.append(
                "the list of the recording's masks: it does not apply to the copy; what the masks hid stays hidden")
        }
        let count = kept.count
        if !stage.masks.isEmpty { kept.removeAll(where: \.isImage) }
        if kept.count < count { leftOut.append("the cover image: it may show what the masks hide") }
        (self.kept, self.leftOut) = (kept, leftOut)
    }
}

extension MetadataItem {
    /// In an `.mp4` file, the key has a prefix that names its owner.
    fileprivate var isListOfMasks: Bool { key == Self.masksKey || key.hasSuffix(":" + Self.masksKey) }

    fileprivate var isImage: Bool {
        switch content {
        case .jpeg, .png: true
        case .text, .integer, .float: false
        }
    }
}
