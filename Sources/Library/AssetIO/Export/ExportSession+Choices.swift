public import MediaTypes
import MovieFile

extension ExportSession {
    /// Returns the presets that are usable for an asset.
    ///
    /// - Throws: the errors of loading the asset.
    public static func exportPresets(compatibleWith asset: Asset) async throws(MediaError) -> [ExportPreset] {
        presets(for: try await asset.load(.tracks))
    }

    /// Variant for threads that are not tasks. Blocks the calling thread as `Asset.loadNow` does.
    @available(*, noasync, message: "use exportPresets(compatibleWith:)")
    public static func exportPresetsNow(compatibleWith asset: Asset) throws(MediaError) -> [ExportPreset] {
        presets(for: try asset.loadNow(.tracks))
    }

    private static func presets(for all: [AssetTrack]) -> [ExportPreset] {
        let tracks = all.filter { $0.formatDescription != nil }
        let (hasVideo, hasAudio) = (
            tracks.contains { $0.mediaType == .video }, tracks.contains { $0.mediaType == .audio }
        )
        return ExportPreset.allCases.filter { preset in
            switch preset {
            case .audioOnly: hasAudio
            case .passthrough: hasVideo || hasAudio
            default: hasVideo
            }
        }
    }

    /// Returns the containers that can store the output of the preset for the asset.
    ///
    /// - Throws: the errors of loading the asset.
    public func supportedFileTypes() async throws(MediaError) -> [FileType] {
        fileTypes(for: try await ExportSource(asset))
    }

    /// Variant for threads that are not tasks. Blocks the calling thread as `Asset.loadNow` does.
    @available(*, noasync, message: "use supportedFileTypes")
    public func supportedFileTypesNow() throws(MediaError) -> [FileType] {
        fileTypes(for: try ExportSource(blocking: asset) { false })
    }

    private func fileTypes(for facts: ExportSource) -> [FileType] {
        let (preset, configuration) = (preset, configuration)
        let hasVideo =
            preset != .audioOnly && facts.tracks.contains { $0.mediaType == .video && $0.formatDescription != nil }
        return FileType.writable.filter { type in
            guard let plan = try? ExportPlan(facts, preset: preset, configuration, fileType: type) else { return false }
            // A container is left out if the export to it would lack the asset's video.
            if hasVideo, !plan.outputs.contains(where: { $0.track?.mediaType == .video }) { return false }
            return plan.outputs.allSatisfy { planned in
                planned.storedFormat.map { ContainerRules.isPermitted($0, in: type) } ?? false
            }
        }
    }

    /// Returns the approximate size of the file in bytes.
    ///
    /// - Throws: the errors of loading the asset, and `invalidSettings` for a time range or a track that the asset does
    ///   not have.
    public func estimatedOutputFileLength(as fileType: FileType = .mov) async throws(MediaError) -> Int64 {
        try length(of: try await ExportSource(asset), as: fileType)
    }

    /// Variant for threads that are not tasks. Blocks the calling thread as `Asset.loadNow` does.
    @available(*, noasync, message: "use estimatedOutputFileLength")
    public func estimatedOutputFileLengthNow(as fileType: FileType = .mov) throws(MediaError) -> Int64 {
        try length(of: try ExportSource(blocking: asset) { false }, as: fileType)
    }

    private func length(of facts: ExportSource, as fileType: FileType) throws(MediaError) -> Int64 {
        let plan = try ExportPlan(facts, preset: preset, configuration, fileType: fileType)
        let size = ExportEstimate.size(plan)
        return configuration.fileLengthLimit > 0 ? min(size, configuration.fileLengthLimit) : size
    }
}

extension ExportPlan.OutputTrack {
    /// The stored format, with those properties that the containers' rules check.
    fileprivate var storedFormat: FormatDescription? {
        if let settings = videoSettings {
            return .video(VideoFormat(codec: settings.codec.stored, width: 0, height: 0))
        }
        if let settings = audioSettings {
            return .audio(AudioFormat(codec: settings.codec, sampleRate: 0, channelCount: 0))
        }
        return track?.formatDescription
    }
}
