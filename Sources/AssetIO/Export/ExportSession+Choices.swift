public import MediaTypes
import MovieFile

extension ExportSession {
    /// The presets that would make something of an asset.
    ///
    /// - Throws: what loading the asset throws.
    public static func exportPresets(compatibleWith asset: Asset) async throws(MediaError) -> [ExportPreset] {
        presets(for: try await asset.load(.tracks))
    }

    /// The same for a thread that is no task, which it blocks as `Asset.loadNow` does.
    @available(*, noasync, message: "use exportPresets(compatibleWith:)")
    public static func exportPresetsNow(compatibleWith asset: Asset) throws(MediaError) -> [ExportPreset] {
        presets(for: try asset.loadBlocking(.tracks))
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

    /// The containers that hold what the preset makes of the asset.
    ///
    /// - Throws: what loading the asset throws.
    public func supportedFileTypes() async throws(MediaError) -> [FileType] {
        fileTypes(for: try await ExportFacts(asset))
    }

    /// The same for a thread that is no task, which it blocks as `Asset.loadNow` does.
    @available(*, noasync, message: "use supportedFileTypes")
    public func supportedFileTypesNow() throws(MediaError) -> [FileType] {
        fileTypes(for: try ExportFacts(blocking: asset) { false })
    }

    private func fileTypes(for facts: ExportFacts) -> [FileType] {
        let (preset, configuration) = (preset, configuration)
        let hasVideo =
            preset != .audioOnly && facts.tracks.contains { $0.mediaType == .video && $0.formatDescription != nil }
        return FileType.writable.filter { type in
            guard let plan = try? ExportPlan(facts, preset: preset, configuration, fileType: type) else { return false }
            // A preset of video makes no file without it.
            if hasVideo, !plan.outputs.contains(where: { $0.track?.mediaType == .video }) { return false }
            return plan.outputs.allSatisfy { planned in
                planned.storedFormat.map { ContainerRules.isPermitted($0, in: type) } ?? false
            }
        }
    }

    /// About how many bytes the file will have.
    ///
    /// - Throws: what loading the asset throws, and `invalidSettings` for what it has not.
    public func estimatedOutputFileLength(as fileType: FileType = .mov) async throws(MediaError) -> Int64 {
        try length(of: try await ExportFacts(asset), as: fileType)
    }

    /// The same for a thread that is no task, which it blocks as `Asset.loadNow` does.
    @available(*, noasync, message: "use estimatedOutputFileLength")
    public func estimatedOutputFileLengthNow(as fileType: FileType = .mov) throws(MediaError) -> Int64 {
        try length(of: try ExportFacts(blocking: asset) { false }, as: fileType)
    }

    private func length(of facts: ExportFacts, as fileType: FileType) throws(MediaError) -> Int64 {
        let plan = try ExportPlan(facts, preset: preset, configuration, fileType: fileType)
        let size = ExportEstimate.size(plan)
        return configuration.fileLengthLimit > 0 ? min(size, configuration.fileLengthLimit) : size
    }
}

extension ExportPlan.OutputTrack {
    /// What will be stored, as far as a container asks.
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
