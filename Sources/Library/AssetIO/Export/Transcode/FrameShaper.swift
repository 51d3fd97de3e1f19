import MediaCodecs
import MediaTypes

/// Crops, rotates, flips and masks decoded frames, with the same plan and painter as a recording. The pixel format
/// stays the same, so that ten bits stay ten bits. Only 4:2:2 of eight bits becomes 4:2:0 in a quarter turn. Only one
/// thread at a time may call. Memory comes from pools.
final class FrameShaper {
    private let shape: FrameShape
    private let fitter: FrameFitter
    private let scaler = FrameScaler()
    private let rotator = FrameRotator()
    private let formats = PixelConverter()
    private let painter: MaskPainter?

    init(_ shape: FrameShape) {
        self.shape = shape
        let stored = FrameGeometry(width: shape.stored.width, height: shape.stored.height)
        fitter = FrameFitter(stored, mode: .resizeAspect)
        painter = shape.masks.isEmpty ? nil : MaskPainter(shape.masks, style: shape.maskStyle)
    }

    /// Returns the frame with its new geometry. The result may be the same frame, or share the frame's memory.
    ///
    /// - Throws: `invalidSample` for rows too short for the frame.
    func reshape(_ frame: PixelBuffer) throws(MediaError) -> PixelBuffer {
        let (visible, plan) = (shape.visible, shape.plan)
        // Without fitting, a frame of a different size would be cropped at the wrong place.
        let stored = try fitter.fit(frame)
        let part = try scaler.scale(stored, width: visible.width, height: visible.height, crop: visible)
        let result: PixelBuffer
        if shape.isCropped {
            let shown = try turn(part, shape.orientation)
            let cropped = try scaler.scale(
                shown, width: plan.scaled.width, height: plan.scaled.height, crop: plan.part)
            result = try turn(cropped, plan.orientation)
        } else {
            result = try turn(part, shape.orientation.then(plan.orientation))
        }
        var color = result.color
        // A frame without a matrix must keep the color standard of its source if its height changes.
        if color.matrix == 2, !frame.format.isRGB, (frame.height >= 720) != (result.height >= 720) {
            color.matrix = frame.height >= 720 ? 1 : 6
        }
        return PixelBuffer(layout: result.layout, color: color, data: result.data)
    }

    /// Rotates or flips a frame. For a quarter turn, the rotator converts 4:2:2 to 4:2:0 and back. Frames of eight bits
    /// are converted to 4:2:0 here and stay 4:2:0, because encoders get that in any case. Only ProRes gets 4:2:2, with
    /// ten bits.
    private func turn(_ frame: PixelBuffer, _ orientation: FrameOrientation) throws(MediaError) -> PixelBuffer {
        let isHalved = frame.format == .i422 || frame.format == .yuyv || frame.format == .uyvy
        let source = try isHalved && orientation.swapsSides ? formats.convert(frame, to: .i420) : frame
        return try rotator.turn(source, orientation)
    }

    /// Returns the frame with its masked parts hidden.
    ///
    /// - Parameter isOwn: true if no other code has a reference to the frame's memory. That memory is overwritten. Any
    ///   other frame is copied first, because decoders still use their frames.
    func mask(_ frame: PixelBuffer, isOwn: Bool) -> PixelBuffer {
        guard let painter else { return frame }
        let target = MutablePixelBuffer(reopening: isOwn ? frame : formats.copy(frame))
        painter.paint(target, isInterlaced: shape.hasFields)
        return target.finish()
    }
}
