import Foundation
import MediaCodecs
import MediaTypes

extension VideoComposition {
    /// The maximum length of a side of a composed frame.
    private static let greatestLength = Double(FrameScaler.greatestLength)

    /// Returns the reason why frames of these tracks cannot be composed; nil if they can.
    func fault(tracks: [AssetTrack]) -> MediaError? {
        reason(tracks).map { MediaError(.invalidSettings, "cannot compose frames", reason: $0) }
    }

    private func reason(_ tracks: [AssetTrack]) -> String? {
        let sides = [renderSize.width, renderSize.height]
        guard sides.allSatisfy({ $0 >= 1 && $0 <= Self.greatestLength && $0 == $0.rounded() }) else {
            return "renderSize \(renderSize.width)×\(renderSize.height) must be in whole pixels, from 1 to "
                + "\(Int(Self.greatestLength))"
        }
        guard frameDuration.isNumeric, frameDuration > .zero else { return "frameDuration must be greater than zero" }
        guard !tracks.isEmpty else { return "there are no tracks" }
        for track in tracks where track.mediaType != .video { return "track \(track.id) is \(track.mediaType)" }
        guard !instructions.isEmpty else { return "there are no instructions" }
        var end = MediaTime.zero
        for (number, instruction) in instructions.enumerated() {
            let range = instruction.timeRange
            let name = "instruction \(number + 1)"
            guard range.start.isNumeric, range.duration.isNumeric, !range.isEmpty else {
                return "\(name) has an invalid time range"
            }
            if range.start > end { return "no instruction covers the time from \(end.words) to the start of \(name)" }
            if range.start < end { return "\(name) begins before \(end.words), where the previous one ends" }
            end = range.end
            let color = instruction.backgroundColor
            guard [color.red, color.green, color.blue].allSatisfy({ (0...1).contains($0) }) else {
                return "\(name) has a backgroundColor that is not between 0 and 1"
            }
            for layer in instruction.layerInstructions {
                guard tracks.contains(where: { $0.id == layer.trackID }) else {
                    return "\(name) refers to track \(layer.trackID), which is not among the output's tracks"
                }
                if let fault = layer.fault { return "\(name), track \(layer.trackID): \(fault)" }
            }
        }
        return nil
    }
}

extension VideoCompositionLayerInstruction {
    /// The fault of the instruction, independent of the track; nil if there is none.
    var fault: String? {
        if let fault = transforms.timeFault() ?? opacities.timeFault() ?? crops.timeFault() { return fault }
        for ramp in transforms {
            guard ramp.start.isFinite, ramp.end.isFinite else { return "a transform is not finite" }
            // A frame may grow from zero size; then only one of the two transforms determines its orientation.
            let ends = [ramp.start, ramp.end].filter { !$0.isNothing }.map { FrameOrientation($0) }
            if ends.contains(nil) {
                return "a transform rotates by an angle that is not a multiple of 90°, which cannot be drawn"
            }
            if ends.count == 2, ends[0] != ends[1] {
                return "a ramp of transforms changes the orientation of the frame"
            }
        }
        for ramp in opacities where ![ramp.start, ramp.end].allSatisfy({ (0...1).contains($0) }) {
            return "an opacity is not between 0 and 1"
        }
        for ramp in crops {
            for rectangle in [ramp.start, ramp.end] {
                let numbers = [rectangle.origin.x, rectangle.origin.y, rectangle.size.width, rectangle.size.height]
                guard numbers.allSatisfy(\.isFinite), rectangle.size.width >= 0, rectangle.size.height >= 0 else {
                    return "a crop rectangle is not finite, or its size is negative"
                }
            }
        }
        return nil
    }
}

extension AffineTransform {
    fileprivate var isFinite: Bool { [m11, m12, m21, m22, tX, tY].allSatisfy(\.isFinite) }
    fileprivate var isNothing: Bool { [m11, m12, m21, m22].allSatisfy { $0 == 0 } }
}
