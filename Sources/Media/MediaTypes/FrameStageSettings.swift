/// The changes that are made to every frame before it is recorded, in this order: crop, rotation, flip, scale, masks,
/// stamp.
package struct FrameStageSettings: Sendable, Hashable {
    /// The part of the camera's frame that is used, in pixels.
    package struct Crop: Sendable, Hashable {
        package var size: FrameSize
        package var x: Int
        package var y: Int

        package init(_ size: FrameSize, x: Int, y: Int) {
            self.size = size
            self.x = x
            self.y = y
        }
    }

    package enum Flip: String, Sendable, Hashable, CaseIterable {
        /// Swaps left and right.
        case horizontal
        /// Swaps top and bottom.
        case vertical
    }

    package var crop: Crop?
    /// The rotation in degrees clockwise: 90, 180 or 270; nil if the frame is not rotated.
    package var rotation: Int?
    package var flip: Flip?
    /// The size of the recorded frame; nil keeps the size of the crop.
    package var scale: FrameSize?
    package var masks: [FrameMask] = []
    package var maskStyle = FrameMaskStyle.black
    package var stamp = FrameStamp()

    package init() {}

    /// True if the size or the orientation of the frame changes.
    package var changesGeometry: Bool { crop != nil || rotation != nil || flip != nil || scale != nil }
    /// True if the settings change anything. Otherwise frames pass unchanged.
    package var isActive: Bool { changesGeometry || !masks.isEmpty || stamp.isActive }
}
