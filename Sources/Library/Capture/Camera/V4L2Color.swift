import CV4L2
import MediaTypes

/// The color tags of a driver's frames, as the driver reports them.
///
/// Source: the Linux media API, "Colorspaces" and "Detailed Colorspace Descriptions"; videodev2.h, V4L2_MAP_*_DEFAULT.
struct V4L2Color {
    var colorspace: UInt32
    /// The transfer function. 0 means the colorspace's default, also for the next two properties.
    var transfer: UInt32 = 0
    var encoding: UInt32 = 0
    var quantization: UInt32 = 0
    /// True if the frames are JPEG: full range with the BT.601 matrix, whatever the driver reports (JFIF 1.02).
    var isJPEG = false

    /// The same tags in the codes of ITU-T H.273.
    var description: ColorDescription {
        // Without a colorspace, assume a webcam: sRGB (V4L2_MAP_COLORSPACE_DEFAULT).
        let colorspace = colorspace == V4L2_COLORSPACE_DEFAULT.rawValue ? V4L2_COLORSPACE_SRGB.rawValue : colorspace
        return ColorDescription(
            primaries: Self.primaries(colorspace),
            transfer: Self.transfer(transfer, colorspace),
            matrix: isJPEG ? 6 : Self.matrix(encoding, colorspace),
            isFullRange: isJPEG || Self.isFullRange(quantization, colorspace))
    }

    private static func primaries(_ colorspace: UInt32) -> UInt8 {
        switch v4l2_colorspace(colorspace) {
        case V4L2_COLORSPACE_REC709, V4L2_COLORSPACE_SRGB, V4L2_COLORSPACE_JPEG: 1
        case V4L2_COLORSPACE_470_SYSTEM_M: 4
        case V4L2_COLORSPACE_470_SYSTEM_BG: 5
        case V4L2_COLORSPACE_SMPTE170M, V4L2_COLORSPACE_BT878: 6
        case V4L2_COLORSPACE_SMPTE240M: 7
        case V4L2_COLORSPACE_BT2020: 9
        case V4L2_COLORSPACE_DCI_P3: 11
        default: 2
        }
    }

    private static func transfer(_ transfer: UInt32, _ colorspace: UInt32) -> UInt8 {
        switch v4l2_xfer_func(transfer) {
        case V4L2_XFER_FUNC_709: return 1
        case V4L2_XFER_FUNC_SRGB: return 13
        case V4L2_XFER_FUNC_SMPTE240M: return 7
        case V4L2_XFER_FUNC_NONE: return 8
        case V4L2_XFER_FUNC_DCI_P3: return 17
        case V4L2_XFER_FUNC_SMPTE2084: return 16
        case V4L2_XFER_FUNC_DEFAULT: break
        default: return 2
        }
        switch v4l2_colorspace(colorspace) {
        case V4L2_COLORSPACE_SRGB, V4L2_COLORSPACE_JPEG: return 13
        case V4L2_COLORSPACE_SMPTE240M: return 7
        case V4L2_COLORSPACE_DCI_P3: return 17
        case V4L2_COLORSPACE_RAW: return 8
        case V4L2_COLORSPACE_OPRGB: return 2
        case V4L2_COLORSPACE_BT2020: return 14
        case V4L2_COLORSPACE_SMPTE170M, V4L2_COLORSPACE_BT878: return 6
        default: return 1
        }
    }

    private static func matrix(_ encoding: UInt32, _ colorspace: UInt32) -> UInt8 {
        switch v4l2_ycbcr_encoding(encoding) {
        // 3 and 4 are the xvYCC variants and 5 is the old name of sYCC; they use the same matrices.
        case V4L2_YCBCR_ENC_601, V4L2_YCBCR_ENC_XV601, v4l2_ycbcr_encoding(5): return 6
        case V4L2_YCBCR_ENC_709, V4L2_YCBCR_ENC_XV709: return 1
        case V4L2_YCBCR_ENC_BT2020: return 9
        case V4L2_YCBCR_ENC_BT2020_CONST_LUM: return 10
        case V4L2_YCBCR_ENC_SMPTE240M: return 7
        default: break
        }
        switch v4l2_colorspace(colorspace) {
        case V4L2_COLORSPACE_REC709, V4L2_COLORSPACE_DCI_P3: return 1
        case V4L2_COLORSPACE_BT2020: return 9
        case V4L2_COLORSPACE_SMPTE240M: return 7
        case V4L2_COLORSPACE_470_SYSTEM_BG: return 5
        default: return 6
        }
    }

    private static func isFullRange(_ quantization: UInt32, _ colorspace: UInt32) -> Bool {
        switch v4l2_quantization(quantization) {
        case V4L2_QUANTIZATION_FULL_RANGE: true
        case V4L2_QUANTIZATION_LIM_RANGE: false
        default: v4l2_colorspace(colorspace) == V4L2_COLORSPACE_JPEG
        }
    }
}

extension V4L2Color {
    init(_ pix: v4l2_pix_format, isJPEG: Bool) {
        self.init(
            colorspace: pix.colorspace, transfer: pix.xfer_func, encoding: pix.ycbcr_enc,
            quantization: pix.quantization, isJPEG: isJPEG)
    }
}
