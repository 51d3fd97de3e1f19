public import Foundation
public import MediaTypes

/// How the pictures of several tracks become one: size, frame rate, and what is laid where and when. The model is
/// AVFoundation's `AVVideoComposition`.
public struct VideoComposition: Sendable, Hashable {
    /// Of the composed pictures, in pixels.
    public var renderSize: CGSize
    /// From one composed picture to the next.
    public var frameDuration: MediaTime
    /// One after the other, from 0 on, without gaps.
    public var instructions: [VideoCompositionInstruction]
    /// What the composed pictures' numbers mean; nil: the same as those of the first track's.
    public var color: ColorDescription?

    public init(
        renderSize: CGSize, frameDuration: MediaTime, instructions: [VideoCompositionInstruction],
        color: ColorDescription? = nil
    ) {
        self.renderSize = renderSize
        self.frameDuration = frameDuration
        self.instructions = instructions
        self.color = color
    }

    /// The end of the last instruction: where the composed pictures end.
    public var duration: MediaTime { instructions.last?.timeRange.end ?? .zero }

    func instruction(at time: MediaTime) -> VideoCompositionInstruction? {
        instructions.first { $0.timeRange.contains(time) }
    }
}

/// What is shown during a stretch of time. The model is AVFoundation's `AVVideoCompositionInstruction`.
public struct VideoCompositionInstruction: Sendable, Hashable {
    public var timeRange: TimeRange
    /// Seen where no layer lies.
    public var backgroundColor: RGBColor
    /// From the uppermost to the lowest.
    public var layerInstructions: [VideoCompositionLayerInstruction]

    public init(
        timeRange: TimeRange, backgroundColor: RGBColor = .black,
        layerInstructions: [VideoCompositionLayerInstruction]
    ) {
        self.timeRange = timeRange
        self.backgroundColor = backgroundColor
        self.layerInstructions = layerInstructions
    }
}

/// A colour in the primaries and the transfer function of the pictures it is drawn on.
public struct RGBColor: Sendable, Hashable, Codable {
    /// Each from 0 to 1.
    public var red: Double
    public var green: Double
    public var blue: Double

    public init(red: Double, green: Double, blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    public static let black = RGBColor(red: 0, green: 0, blue: 0)
    public static let white = RGBColor(red: 1, green: 1, blue: 1)
}
