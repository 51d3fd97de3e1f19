public import MediaTypes
import MovieFile

extension ExportSession {
    /// The presets that would make something of an asset.
    ///
    /// - Throws: what loading the asset throws.
    public static func exportPresets(compatibleWith asset: Asset) async throws(MediaError) -> [ExportPreset] {
        let tracks = try await asset.load(.tracks).filter { $0.formatDescription != nil }
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
        let facts = try await ExportFacts(asset)
        let (preset, configuration) = (preset, configuration)
        return FileType.writable.filter { type in
            guard let plan = try? ExportPlan(facts, preset: preset, configuration, fileType: type) else { return false }
            return plan.outputs.allSatisfy { planned in
                guard case .passthrough = planned else { return true }
                return planned.track?.formatDescription.map { ContainerRules.isPermitted($0, in: type) } ?? false
            }
        }
    }

    /// About how many bytes the file will have.
    ///
    /// - Throws: what loading the asset throws, and `invalidSettings` for what it has not.
    public func estimatedOutputFileLength(as fileType: FileType = .mov) async throws(MediaError) -> Int64 {
        let plan = try ExportPlan(
            try await ExportFacts(asset), preset: preset, configuration, fileType: fileType)
        let size = ExportEstimate.size(plan)
        return configuration.fileLengthLimit > 0 ? min(size, configuration.fileLengthLimit) : size
    }
}
