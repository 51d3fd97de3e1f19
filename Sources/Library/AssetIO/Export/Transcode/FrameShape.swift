import Foundation
import MediaCodecs
import MediaTypes

/// The crop, the rotation, the flip and the masks of a track's frames. A pure value.
///
/// They refer to the frame as players show it. Therefore the clean aperture and the rotation of the track's matrix are
/// applied first, and the result has neither.
struct FrameShape: Sendable, Hashable {
    /// The size of the track's stored frames. Frames of a different size are fitted into it first.
    let stored: FrameSize
    /// The part of a stored frame that players show.
    let visible: PixelRectangle
    /// The orientation in which players show that part.
    let orientation: FrameOrientation
    /// The geometry that is applied after `visible` and `orientation`.
    let plan: FrameStagePlan
    /// Masks, in percent of the encoded frame.
    let masks: [FrameMask]
    let maskStyle: FrameMaskStyle
    /// True if the encoded frames consist of two fields.
    var hasFields = false

    /// Creates the shape.
    ///
    /// - Parameters:
    ///   - settings: the settings of the shape; their scale and their stamp are not used.
    ///   - format: the format of the track.
    ///   - transform: the matrix of the track.
    /// - Throws: `invalidSettings` for a crop that is not inside the frame, `unsupported` for a matrix that skews
    ///   frames, or rotates them by an angle that is not a multiple of 90°.
    init(
        _ settings: FrameStageSettings, of format: VideoFormat, shownBy transform: AffineTransform
    ) throws(MediaError) {
        guard let orientation = FrameOrientation(transform) else {
            throw MediaError(
                .unsupported, "cannot mask, crop or flip frames",
                reason: "the movie's matrix skews them, or rotates them by an angle that is not a multiple of 90°")
        }
        self.orientation = orientation
        stored = FrameSize(format.width, format.height)
        visible = FrameGeometry(format).visible
        (masks, maskStyle) = (settings.masks, settings.maskStyle)
        let shown =
            orientation.swapsSides
            ? FrameSize(visible.height, visible.width) : FrameSize(visible.width, visible.height)
        var geometry = settings
        geometry.scale = nil
        do throws(MediaError) { plan = try FrameStagePlan(geometry, source: shown) } catch {
            throw MediaError(
                .invalidSettings, error.action, reason: error.reason, wayOut: "choose a --crop inside them")
        }
    }

    /// The size of the frames before they are scaled.
    var size: FrameSize { plan.size }

    /// True if `plan` uses only a part of the frame that players show.
    var isCropped: Bool {
        let shown =
            orientation.swapsSides
            ? PixelRectangle(width: visible.height, height: visible.width)
            : PixelRectangle(width: visible.width, height: visible.height)
        return plan.part != shown
    }

    /// True if width and height of the stored frames are swapped.
    private var swapsSides: Bool { orientation.swapsSides != plan.orientation.swapsSides }

    /// True if every line of a frame stays where it is.
    var keepsLines: Bool { orientation == .upright && plan.orientation == .upright && size == stored }

    /// Returns the format of the frames before they are scaled.
    func format(of source: VideoFormat) -> VideoFormat {
        var format = source
        (format.width, format.height) = (size.width, size.height)
        format.cleanAperture = nil
        if swapsSides {
            let ratio = source.pixelAspectRatio
            format.pixelAspectRatio = Ratio(ratio.denominator, ratio.numerator)
        }
        return format
    }
}
