public import Foundation

/// A delegate that gets the errors in a video composition, and decides whether the validation continues.
public protocol AVVideoCompositionValidationHandling: NSObjectProtocol {
    func videoComposition(
        _ videoComposition: AVVideoComposition, shouldContinueValidatingAfterFindingInvalidValueForKey key: String
    ) -> Bool
    func videoComposition(
        _ videoComposition: AVVideoComposition,
        shouldContinueValidatingAfterFindingEmptyTimeRange timeRange: CMTimeRange
    ) -> Bool
    func videoComposition(
        _ videoComposition: AVVideoComposition,
        shouldContinueValidatingAfterFindingInvalidTimeRangeIn videoCompositionInstruction:
            any AVVideoCompositionInstructionProtocol
    ) -> Bool
    func videoComposition(
        _ videoComposition: AVVideoComposition,
        shouldContinueValidatingAfterFindingInvalidTrackIDIn videoCompositionInstruction:
            any AVVideoCompositionInstructionProtocol, layerInstruction: AVVideoCompositionLayerInstruction,
        asset: AVAsset
    ) -> Bool
}

/// Default implementations, which continue the validation.
extension AVVideoCompositionValidationHandling {
    public func videoComposition(
        _ videoComposition: AVVideoComposition, shouldContinueValidatingAfterFindingInvalidValueForKey key: String
    ) -> Bool { true }
    public func videoComposition(
        _ videoComposition: AVVideoComposition,
        shouldContinueValidatingAfterFindingEmptyTimeRange timeRange: CMTimeRange
    ) -> Bool { true }
    public func videoComposition(
        _ videoComposition: AVVideoComposition,
        shouldContinueValidatingAfterFindingInvalidTimeRangeIn videoCompositionInstruction:
            any AVVideoCompositionInstructionProtocol
    ) -> Bool { true }
    public func videoComposition(
        _ videoComposition: AVVideoComposition,
        shouldContinueValidatingAfterFindingInvalidTrackIDIn videoCompositionInstruction:
            any AVVideoCompositionInstructionProtocol, layerInstruction: AVVideoCompositionLayerInstruction,
        asset: AVAsset
    ) -> Bool { true }
}

extension AVVideoComposition {
    /// Returns true if the composition can be used for a time range: its values are valid, and its instructions are
    /// contiguous and refer to existing tracks. Blocks the calling thread while the asset's header is read.
    ///
    /// - Parameters:
    ///   - asset: the asset, or nil to skip the check of the tracks.
    ///   - timeRange: the range that the instructions must cover entirely. An infinite range extends to the asset's
    ///     end.
    ///   - validationDelegate: a delegate that is called on the calling thread, before this function returns.
    public func isValid(
        for asset: AVAsset?, timeRange: CMTimeRange,
        validationDelegate: (any AVVideoCompositionValidationHandling)?
    ) -> Bool {
        let tracks = asset.map { $0.allTracks().filter { $0.mediaType == .video } }
        return isValid(asset, tracks, asset?.duration, timeRange, validationDelegate)
    }

    public func isValid(
        for asset: AVAsset?, timeRange: CMTimeRange,
        validationDelegate: (any AVVideoCompositionValidationHandling)?
    ) async throws -> Bool {
        if let asset { _ = try await asset.load(.tracks) }
        let check: () -> Bool = {
            self.isValid(for: asset, timeRange: timeRange, validationDelegate: validationDelegate)
        }
        return check()
    }

    /// Determines the same as `isValid(for:timeRange:validationDelegate:)`. The handler is called once, on an internal
    /// queue.
    @preconcurrency
    public func determineValidity(
        for asset: AVAsset?, timeRange: CMTimeRange,
        validationDelegate: (any AVVideoCompositionValidationHandling & Sendable)?,
        completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        OffPool.queue.async {
            do {
                _ = try asset?.loadedTracks()
                completionHandler(
                    self.isValid(for: asset, timeRange: timeRange, validationDelegate: validationDelegate), nil)
            } catch { completionHandler(false, AVError.of(error)) }
        }
    }

    public func isValid(
        for tracks: [AVAssetTrack], assetDuration duration: CMTime, timeRange: CMTimeRange,
        validationDelegate: (any AVVideoCompositionValidationHandling)?
    ) -> Bool {
        isValid(tracks.first?.asset, tracks, duration, timeRange, validationDelegate)
    }

    private func isValid(
        _ asset: AVAsset?, _ tracks: [AVAssetTrack]?, _ duration: CMTime?, _ timeRange: CMTimeRange,
        _ delegate: (any AVVideoCompositionValidationHandling)?
    ) -> Bool {
        var isValid = true
        /// Records an error, and asks the delegate whether to continue.
        ///
        /// - Returns: true to continue.
        func found(_ ask: (any AVVideoCompositionValidationHandling) -> Bool) -> Bool {
            isValid = false
            return delegate.map(ask) ?? false
        }
        for key in invalidKeys {
            guard found({ $0.videoComposition(self, shouldContinueValidatingAfterFindingInvalidValueForKey: key) })
            else { return false }
        }
        var end = timeRange.start.isNumeric ? timeRange.start : .zero
        for instruction in instructions {
            let range = instruction.timeRange
            guard range.isValid, range.start.isNumeric, range.duration.isNumeric, !range.isEmpty else {
                guard
                    found({
                        $0.videoComposition(self, shouldContinueValidatingAfterFindingInvalidTimeRangeIn: instruction)
                    })
                else { return false }
                continue
            }
            if range.end <= end, range.end <= timeRange.start { continue }
            if range.start > end {
                let gap = CMTimeRange(start: end, end: range.start)
                guard found({ $0.videoComposition(self, shouldContinueValidatingAfterFindingEmptyTimeRange: gap) })
                else { return false }
            } else if range.start < end, range.start > timeRange.start || end > timeRange.start {
                guard
                    found({
                        $0.videoComposition(self, shouldContinueValidatingAfterFindingInvalidTimeRangeIn: instruction)
                    })
                else { return false }
            }
            end = CMTimeMaximum(end, range.end)
            guard let tracks, let asset, let layers = (instruction as? AVVideoCompositionInstruction)?.layerInstructions
            else { continue }
            for layer in layers where !tracks.contains(where: { $0.trackID == layer.trackID && $0.mediaType == .video })
            {
                guard
                    found({
                        $0.videoComposition(
                            self, shouldContinueValidatingAfterFindingInvalidTrackIDIn: instruction,
                            layerInstruction: layer, asset: asset)
                    })
                else { return false }
            }
        }
        let last = timeRange.end.isNumeric ? timeRange.end : (duration ?? end)
        if last.isNumeric, end < last {
            let gap = CMTimeRange(start: end, end: last)
            _ = found { $0.videoComposition(self, shouldContinueValidatingAfterFindingEmptyTimeRange: gap) }
        }
        return isValid
    }

    private var invalidKeys: [String] {
        var keys: [String] = []
        if !(frameDuration.isNumeric && frameDuration > .zero) { keys.append("frameDuration") }
        let size = renderSize
        if !(size.width >= 1 && size.height >= 1 && size.width.isFinite && size.height.isFinite) {
            keys.append("renderSize")
        }
        if renderScale != 1 { keys.append("renderScale") }
        if instructions.isEmpty { keys.append("instructions") }
        return keys
    }
}
