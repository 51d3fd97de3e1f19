import AssetIO
public import Foundation
import MediaTypes

/// The placement of one track's frames on the composed frame. A value applies from its time until the time of the next
/// value. Before the first value, the transform is the identity, the opacity is 1, and nothing is cropped.
open class AVVideoCompositionLayerInstruction: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    // Unchecked: mutable only in `AVMutableVideoCompositionLayerInstruction`, which belongs to one thread.
    var storage = Storage()

    struct Storage: Sendable {
        var trackID = kCMPersistentTrackID_Invalid
        var transforms = RampList<CGAffineTransform>()
        var opacities = RampList<Float>()
        var crops = RampList<CGRect>()
    }

    public override init() {}

    open var trackID: CMPersistentTrackID { storage.trackID }

    /// Returns the transform ramp at a time: its two transforms and its time range.
    ///
    /// - Returns: false after the end of the last ramp, and if no transform was set. The pointers are then not written.
    open func getTransformRamp(
        for time: CMTime, start startTransform: UnsafeMutablePointer<CGAffineTransform>?,
        end endTransform: UnsafeMutablePointer<CGAffineTransform>?, timeRange: UnsafeMutablePointer<CMTimeRange>?
    ) -> Bool {
        Self.write(storage.transforms.ramp(at: time, initial: .identity), startTransform, endTransform, timeRange)
    }

    /// Returns the opacity ramp at a time, like `getTransformRamp`.
    open func getOpacityRamp(
        for time: CMTime, startOpacity: UnsafeMutablePointer<Float>?, endOpacity: UnsafeMutablePointer<Float>?,
        timeRange: UnsafeMutablePointer<CMTimeRange>?
    ) -> Bool {
        Self.write(storage.opacities.ramp(at: time, initial: 1), startOpacity, endOpacity, timeRange)
    }

    /// Returns the ramp of the crop rectangle at a time, like `getTransformRamp`. Before the first rectangle, the crop
    /// rectangle is infinite.
    open func getCropRectangleRamp(
        for time: CMTime, startCropRectangle: UnsafeMutablePointer<CGRect>?,
        endCropRectangle: UnsafeMutablePointer<CGRect>?, timeRange: UnsafeMutablePointer<CMTimeRange>?
    ) -> Bool {
        Self.write(storage.crops.ramp(at: time, initial: .infinite), startCropRectangle, endCropRectangle, timeRange)
    }

    private static func write<Value>(
        _ ramp: RampList<Value>.Ramp?, _ start: UnsafeMutablePointer<Value>?, _ end: UnsafeMutablePointer<Value>?,
        _ timeRange: UnsafeMutablePointer<CMTimeRange>?
    ) -> Bool {
        guard let ramp else { return false }
        start?.pointee = ramp.start
        end?.pointee = ramp.end
        timeRange?.pointee = ramp.range
        return true
    }

    var engine: VideoCompositionLayerInstruction {
        var layer = VideoCompositionLayerInstruction(trackID: Int(trackID))
        layer.usesDisplaySize = true
        for ramp in storage.transforms.ramps {
            layer.setTransformRamp(
                from: ramp.start.media, to: ramp.end.media, timeRange: ramp.range.media)
        }
        for ramp in storage.opacities.ramps {
            layer.setOpacityRamp(from: Double(ramp.start), to: Double(ramp.end), timeRange: ramp.range.media)
        }
        for ramp in storage.crops.ramps {
            layer.setCropRectangleRamp(from: ramp.start, to: ramp.end, timeRange: ramp.range.media)
        }
        return layer
    }

    open override func copy() -> Any { copy(with: nil) }
    open func copy(with zone: NSZone?) -> Any { replica(AVVideoCompositionLayerInstruction()) }
    open override func mutableCopy() -> Any { mutableCopy(with: nil) }
    open func mutableCopy(with zone: NSZone?) -> Any { replica(AVMutableVideoCompositionLayerInstruction()) }

    private func replica(_ other: AVVideoCompositionLayerInstruction) -> AVVideoCompositionLayerInstruction {
        other.storage = storage
        return other
    }
}

open class AVMutableVideoCompositionLayerInstruction: AVVideoCompositionLayerInstruction, @unchecked Sendable {
    // Unchecked: like its superclass, used by one thread at a time.
    public convenience init(assetTrack track: AVAssetTrack) {
        self.init()
        storage.trackID = track.trackID
    }

    open override var trackID: CMPersistentTrackID {
        get { storage.trackID }
        set { storage.trackID = newValue }
    }

    /// Sets the transform that applies from a time on. It maps the track's frames, in their display size, to pixels of
    /// the composed frame, with y pointing down. The display size has square pixels, and is that of the clean aperture.
    /// Translation, scaling, quarter turns and mirroring are supported. With other rotations,
    /// using the composition fails.
    open func setTransform(_ transform: CGAffineTransform, at time: CMTime) {
        storage.transforms.set(transform, at: time)
    }

    open func setTransformRamp(
        fromStart startTransform: CGAffineTransform, toEnd endTransform: CGAffineTransform, timeRange: CMTimeRange
    ) {
        storage.transforms.set(from: startTransform, to: endTransform, in: timeRange)
    }

    open func setOpacity(_ opacity: Float, at time: CMTime) { storage.opacities.set(opacity, at: time) }

    open func setOpacityRamp(
        fromStartOpacity startOpacity: Float, toEndOpacity endOpacity: Float, timeRange: CMTimeRange
    ) {
        storage.opacities.set(from: startOpacity, to: endOpacity, in: timeRange)
    }

    /// Crops the track's frames to a rectangle, in stored pixels from the corner of the clean aperture. The remaining
    /// part keeps its position on the composed frame. If the rectangle is empty, the layer is invisible.
    open func setCropRectangle(_ cropRectangle: CGRect, at time: CMTime) { storage.crops.set(cropRectangle, at: time) }

    open func setCropRectangleRamp(
        fromStartCropRectangle startCropRectangle: CGRect, toEndCropRectangle endCropRectangle: CGRect,
        timeRange: CMTimeRange
    ) {
        storage.crops.set(from: startCropRectangle, to: endCropRectangle, in: timeRange)
    }
}
