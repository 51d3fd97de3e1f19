import AssetIO
import Foundation
import MediaTypes
import RealTime

extension AVAssetExportSession {
    /// Returns the presets that the library supports.
    public class func allExportPresets() -> [String] { ExportPresetTable.all.map(\.name) }

    /// Returns the presets that can export an asset. Blocks the calling thread while the asset's header is read.
    /// Returns an empty array if the header cannot be read.
    public class func exportPresets(compatibleWith asset: AVAsset) -> [String] {
        guard let presets = try? ExportSession.exportPresetsNow(compatibleWith: asset.engine) else { return [] }
        return ExportPresetTable.all.filter { presets.contains($0.preset) }.map(\.name)
    }

    // MARK: Compatibility

    /// Determines whether a preset can export an asset to a file type.
    ///
    /// - Parameters:
    ///   - outputFileType: the file type, or nil for any type.
    ///   - handler: called once, on an internal queue.
    @preconcurrency
    public class func determineCompatibility(
        ofExportPreset presetName: String, with asset: AVAsset, outputFileType: AVFileType?,
        completionHandler handler: @escaping @Sendable (Bool) -> Void
    ) {
        OffPool.queue.async { handler(isCompatible(presetName, asset, outputFileType)) }
    }

    public class func compatibility(
        ofExportPreset presetName: String, with asset: AVAsset, outputFileType: AVFileType?
    ) async -> Bool {
        await OffPool.queue.result { isCompatible(presetName, asset, outputFileType) }
    }

    private class func isCompatible(_ presetName: String, _ asset: AVAsset, _ type: AVFileType?) -> Bool {
        guard exportPresets(compatibleWith: asset).contains(presetName),
            let session = AVAssetExportSession(asset: asset, presetName: presetName)
        else { return false }
        let types = session.supportedFileTypes
        return type.map(types.contains) ?? !types.isEmpty
    }

    /// The file types that can store the result. Blocks the calling thread while the asset's header is read. The list
    /// is empty if the header cannot be read.
    public var supportedFileTypes: [AVFileType] {
        guard let engine = try? engine(settings, for: .mov), let types = try? engine.supportedFileTypesNow() else {
            return []
        }
        let known = types.compactMap { AVFileType($0) }
        return entry.fileTypes.isEmpty ? known : known.filter(entry.fileTypes.contains)
    }

    @preconcurrency
    public func determineCompatibleFileTypes(completionHandler handler: @escaping @Sendable ([AVFileType]) -> Void) {
        OffPool.queue.async { handler(self.supportedFileTypes) }
    }

    public var compatibleFileTypes: [AVFileType] {
        get async {
            await OffPool.queue.result { self.supportedFileTypes }
        }
    }

    // MARK: Estimates

    /// The estimated size of the file in bytes; 0 if it cannot be estimated. Blocks the calling thread while the
    /// asset's header is read.
    public var estimatedOutputFileLength: Int64 { (try? estimatedLength()) ?? 0 }

    @preconcurrency
    public func estimateOutputFileLength(completionHandler handler: @escaping @Sendable (Int64, (any Error)?) -> Void) {
        OffPool.queue.async {
            do { handler(try self.estimatedLength(), nil) } catch { handler(0, AVError.of(error)) }
        }
    }

    public var estimatedOutputFileLengthInBytes: Int64 {
        get async throws {
            do { return try await OffPool.run { try self.estimatedLength() } } catch { throw AVError.of(error) }
        }
    }

    /// The estimated duration that fits into `fileLengthLimit`. Without a limit, the entire duration. Blocks the
    /// calling thread while the asset's header is read.
    public var maxDuration: CMTime { (try? estimatedDuration()) ?? .invalid }

    @preconcurrency
    public func estimateMaximumDuration(completionHandler handler: @escaping @Sendable (CMTime, (any Error)?) -> Void) {
        OffPool.queue.async {
            do { handler(try self.estimatedDuration(), nil) } catch { handler(.invalid, AVError.of(error)) }
        }
    }

    public var estimatedMaximumDuration: CMTime {
        get async throws {
            do { return try await OffPool.run { try self.estimatedDuration() } } catch { throw AVError.of(error) }
        }
    }

    private func estimatedLength(limited: Bool = true) throws(MediaError) -> Int64 {
        var settings = settings
        if !limited { settings.fileLengthLimit = 0 }
        let type = try settings.fileType?.engine() ?? .mov
        return try engine(settings, for: type).estimatedOutputFileLengthNow(as: type)
    }

    private func estimatedDuration() throws(MediaError) -> CMTime {
        let (settings, duration) = (settings, try asset.engine.loadNow(.duration))
        let part = settings.timeRange.media.intersection(TimeRange(start: .zero, duration: duration)).duration
        let length = try estimatedLength(limited: false)
        guard settings.fileLengthLimit > 0, length > settings.fileLengthLimit else { return CMTime(part) }
        return CMTimeMultiplyByFloat64(CMTime(part), multiplier: Double(settings.fileLengthLimit) / Double(length))
    }
}
