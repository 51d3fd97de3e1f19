import AssetIO
public import Foundation
import MediaTypes

/// The content that is shown during a time range. Only instructions of the class `AVVideoCompositionInstruction` are
/// rendered. Other classes need a custom compositor, which is not supported.
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

/// The content that is shown during a time range.
open class AVVideoCompositionInstruction: NSObject, AVVideoCompositionInstructionProtocol, NSCopying, NSMutableCopying,
    @unchecked Sendable
{
    // Unchecked: mutable only in `AVMutableVideoCompositionInstruction`, which belongs to one thread.
    var storage = Storage()

    struct Storage {
        var timeRange = CMTimeRange.invalid
        var backgroundColor: CGColor?
        var layers: [AVVideoCompositionLayerInstruction] = []
        var enablePostProcessing = true
        var requiredSourceSampleDataTrackIDs: [NSNumber] = []
    }

    public override init() {}

    open var timeRange: CMTimeRange { storage.timeRange }
    /// The color where no layer is drawn; nil means black.
    open var backgroundColor: CGColor? { storage.backgroundColor }
    /// The layers from the uppermost to the lowest.
    open var layerInstructions: [AVVideoCompositionLayerInstruction] { storage.layers }
    open var enablePostProcessing: Bool { storage.enablePostProcessing }
    open var requiredSourceSampleDataTrackIDs: [NSNumber] { storage.requiredSourceSampleDataTrackIDs }

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
        other.storage = storage
        other.storage.layers = storage.layers.compactMap { $0.copy() as? AVVideoCompositionLayerInstruction }
        return other
    }
}

extension AVVideoCompositionLayerInstruction {
    fileprivate func isTweening(in range: CMTimeRange) -> Bool {
        func touches(_ other: CMTimeRange) -> Bool {
            !other.isEmpty && other.isValid && !other.intersection(range).isEmpty
        }
        return storage.transforms.ramps.contains { touches($0.range) && $0.start != $0.end }
            || storage.opacities.ramps.contains { touches($0.range) && $0.start != $0.end }
            || storage.crops.ramps.contains { touches($0.range) && $0.start != $0.end }
    }
}

open class AVMutableVideoCompositionInstruction: AVVideoCompositionInstruction, @unchecked Sendable {
    // Unchecked: like its superclass, used by one thread at a time.
    open override var timeRange: CMTimeRange {
        get { storage.timeRange }
        set { storage.timeRange = newValue }
    }
    open override var backgroundColor: CGColor? {
        get { storage.backgroundColor }
        set { storage.backgroundColor = newValue }
    }
    open override var layerInstructions: [AVVideoCompositionLayerInstruction] {
        get { storage.layers }
        set { storage.layers = newValue }
    }
    open override var enablePostProcessing: Bool {
        get { storage.enablePostProcessing }
        set { storage.enablePostProcessing = newValue }
    }
    open override var requiredSourceSampleDataTrackIDs: [NSNumber] {
        get { storage.requiredSourceSampleDataTrackIDs }
        set { storage.requiredSourceSampleDataTrackIDs = newValue }
    }
}
