import AssetIO
public import Foundation
import MediaTypes

/// The content shown during a time range. Only `AVVideoCompositionInstruction` is rendered here: others need a custom
/// compositor, which this engine does not support.
public protocol AVVideoCompositionInstructionProtocol: NSObjectProtocol {
    var timeRange: CMTimeRange { get }
    var enablePostProcessing: Bool { get }
    var containsTweening: Bool { get }
    var requiredSourceTrackIDs: [NSValue]? { get }
    var passthroughTrackID: CMPersistentTrackID { get }
    var requiredSourceSampleDataTrackIDs: [NSNumber] { get }
}

extension AVVideoCompositionInstructionProtocol {
    public var requiredSourceSampleDataTrackIDs: [NSNumber] { [] }
}

/// The content shown during a time range.
open class AVVideoCompositionInstruction: NSObject, AVVideoCompositionInstructionProtocol, NSCopying, NSMutableCopying,
    @unchecked Sendable
{
    // Unchecked: mutable only in `AVMutableVideoCompositionInstruction`, which belongs to one thread.
    var facts = Facts()

    struct Facts {
        var timeRange = CMTimeRange.invalid
        var backgroundColor: CGColor?
        var layers: [AVVideoCompositionLayerInstruction] = []
        var enablePostProcessing = true
        var requiredSourceSampleDataTrackIDs: [NSNumber] = []
    }

    public override init() {}

    open var timeRange: CMTimeRange { facts.timeRange }
    /// The color where there is no layer; nil: black.
    open var backgroundColor: CGColor? { facts.backgroundColor }
    /// The layers from the uppermost to the lowest.
    open var layerInstructions: [AVVideoCompositionLayerInstruction] { facts.layers }
    open var enablePostProcessing: Bool { facts.enablePostProcessing }
    open var requiredSourceSampleDataTrackIDs: [NSNumber] { facts.requiredSourceSampleDataTrackIDs }

    /// True if a property of a layer changes during the time range.
    open var containsTweening: Bool { layerInstructions.contains { $0.isTweening(in: timeRange) } }

    open var requiredSourceTrackIDs: [NSValue]? { layerInstructions.map { NSNumber(value: $0.trackID) } }

    /// Always invalid: every frame is composed.
    open var passthroughTrackID: CMPersistentTrackID { kCMPersistentTrackID_Invalid }

    var engine: VideoCompositionInstruction {
        let color = backgroundColor?.rgba
        return VideoCompositionInstruction(
            timeRange: timeRange.media,
            // A transparent color is shown over black.
            backgroundColor: color.map {
                RGBColor(red: $0.red * $0.alpha, green: $0.green * $0.alpha, blue: $0.blue * $0.alpha)
            } ?? .black,
            layerInstructions: layerInstructions.map(\.engine))
    }

    open override func copy() -> Any { copy(with: nil) }
    open func copy(with zone: NSZone?) -> Any { replica(AVVideoCompositionInstruction()) }
    open override func mutableCopy() -> Any { mutableCopy(with: nil) }
    open func mutableCopy(with zone: NSZone?) -> Any { replica(AVMutableVideoCompositionInstruction()) }

    private func replica(_ other: AVVideoCompositionInstruction) -> AVVideoCompositionInstruction {
        other.facts = facts
        other.facts.layers = facts.layers.compactMap { $0.copy() as? AVVideoCompositionLayerInstruction }
        return other
    }
}

extension AVVideoCompositionLayerInstruction {
    fileprivate func isTweening(in range: CMTimeRange) -> Bool {
        func touches(_ other: CMTimeRange) -> Bool {
            !other.isEmpty && other.isValid && !other.intersection(range).isEmpty
        }
        return facts.transforms.ramps.contains { touches($0.range) && $0.start != $0.end }
            || facts.opacities.ramps.contains { touches($0.range) && $0.start != $0.end }
            || facts.crops.ramps.contains { touches($0.range) && $0.start != $0.end }
    }
}

open class AVMutableVideoCompositionInstruction: AVVideoCompositionInstruction, @unchecked Sendable {
    // Unchecked: like its superclass, used by one thread at a time.
    open override var timeRange: CMTimeRange {
        get { facts.timeRange }
        set { facts.timeRange = newValue }
    }
    open override var backgroundColor: CGColor? {
        get { facts.backgroundColor }
        set { facts.backgroundColor = newValue }
    }
    open override var layerInstructions: [AVVideoCompositionLayerInstruction] {
        get { facts.layers }
        set { facts.layers = newValue }
    }
    open override var enablePostProcessing: Bool {
        get { facts.enablePostProcessing }
        set { facts.enablePostProcessing = newValue }
    }
    open override var requiredSourceSampleDataTrackIDs: [NSNumber] {
        get { facts.requiredSourceSampleDataTrackIDs }
        set { facts.requiredSourceSampleDataTrackIDs = newValue }
    }
}
