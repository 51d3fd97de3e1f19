package import MediaTypes

/// Which tracks may refer to which.
package enum AssociationRules {
    /// Why one track may not refer to another, with the way out; nil when it may.
    ///
    /// - Parameters:
    ///   - source: what the track with the reference holds.
    ///   - target: what the track that it refers to holds.
    package static func refusal(
        of association: TrackAssociation, from source: MediaType, to target: MediaType, in fileType: FileType
    ) -> MediaError? {
        func error(_ code: MediaError.Code, _ reason: String, wayOut: String) -> MediaError {
            MediaError(
                code, "cannot refer from \(source.rawValue) to \(target.rawValue) by `\(association.rawValue)`",
                reason: reason, wayOut: wayOut)
        }
        if association == .timecode, !fileType.isQuickTime {
            return error(.unsupported, "only QuickTime has timecode tracks", wayOut: "write .mov")
        }
        let isFit: Bool
        switch association {
        case .timecode: isFit = target == .timecode && (source == .video || source == .audio)
        // Pictures of chapters may stand beside their titles.
        case .chapterList: isFit = (target == .text || target == .video) && (source == .video || source == .audio)
        case .selectionFollower: isFit = [.audio, .text].contains(source) && [.audio, .text].contains(target)
        case .audioFallback: isFit = source == .audio && target == .audio
        case .metadataReferent: isFit = source == .metadata && target != .metadata
        case .forcedSubtitlesOnly: isFit = source == .text && target == .text
        default: isFit = true
        }
        return isFit
            ? nil : error(.invalidSettings, "these media do not stand in this relation", wayOut: "exchange the tracks")
    }
}
