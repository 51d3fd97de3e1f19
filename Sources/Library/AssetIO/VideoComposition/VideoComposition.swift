public import Foundation
public import MediaTypes

/// The composition of several tracks into one: frame size, frame rate, and the layers over time. Modeled on
/// AVFoundation's `AVVideoComposition`.
public struct VideoComposition: Sendable, Hashable {
    /// The size of the composed frames in pixels.
    public var renderSize: CGSize
    /// The time from one composed frame to the next.
    public var frameDuration: MediaTime
    /// The instructions, in order, from 0 on and without gaps. The last one may end after the asset does.
    public var instructions: [VideoCompositionInstruction]
    /// The color tags of the composed frames; nil for those of the first track.
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

    /// The end of the last instruction. The composed video ends there, or at the asset's end if that is earlier.
    public var duration: MediaTime { instructions.last?.timeRange.end ?? .zero }

    func instruction(at time: MediaTime) -> VideoCompositionInstruction? {
        instructions.first { $0.timeRange.contains(time) }
    }
}

/// The content of the composed video during a time range. Modeled on AVFoundation's `AVVideoCompositionInstruction`.
public struct VideoCompositionInstruction: Sendable, Hashable {
    public var timeRange: TimeRange
    /// The color that is visible where there is no layer.
    public var backgroundColor: RGBColor
    /// The layers, from the uppermost to the lowest.
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

/// A color in the primaries and the transfer function of the frames it is drawn on.
public struct RGBColor: Sendable, Hashable, Codable {
    /// The components, each from 0 to 1.
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
