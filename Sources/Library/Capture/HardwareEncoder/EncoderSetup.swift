import CV4L2
import MediaTypes

/// The formats, the rate and the controls for which an encoder's device is set up.
struct EncoderSetup: Sendable, Hashable {
    /// The pixel formats for frames, the best first.
    static let frameFormats: [(code: UInt32, format: PixelFormat)] = [
        (CV4L2_PIX_NV12, .nv12), (CV4L2_PIX_NV12M, .nv12), (CV4L2_PIX_YUV420, .i420), (CV4L2_PIX_YUV420M, .i420),
    ]

    /// The V4L2 code of the packets' format, such as H.264's.
    var coded: UInt32
    var width: Int
    var height: Int
    var color = ColorDescription()
    /// Frames per second, for the rate control.
    var frameRate: Double
    /// Bits per second; nil keeps the driver's setting.
    var bitRate: Int?
    /// The maximum number of frames from one keyframe to the next.
    var keyframeInterval: Int

    /// The controls to set. Those that the encoder cannot work without come first.
    var controls: [(id: UInt32, value: Int64, isRequired: Bool)] {
        var controls: [(id: UInt32, value: Int64, isRequired: Bool)] = []
        if let bitRate { controls.append((id: CV4L2_CID_BITRATE, value: Int64(bitRate), isRequired: true)) }
        // Encoders have different controls for the keyframe interval, or none. So each keyframe is also requested
        // individually.
        let interval = Int64(max(1, keyframeInterval))
        let others: [(UInt32, Int64)] = [
            (CV4L2_CID_FRAME_RC_ENABLE, 1), (CV4L2_CID_BITRATE_MODE, 0), (CV4L2_CID_B_FRAMES, 0),
            (CV4L2_CID_GOP_SIZE, interval), (CV4L2_CID_H264_I_PERIOD, interval),
            (CV4L2_CID_REPEAT_SEQ_HEADER, 1), (CV4L2_CID_HEADER_MODE, 1),
            // One slice, and so one buffer, for each frame.
            (CV4L2_CID_MULTI_SLICE_MODE, 0),
            // High (enum v4l2_mpeg_video_h264_profile); an encoder without it keeps its own.
            (CV4L2_CID_H264_PROFILE, 4), (CV4L2_CID_H264_LEVEL, level),
        ]
        for (id, value) in others { controls.append((id: id, value: value, isRequired: false)) }
        return controls
    }

    /// The H.264 level (enum v4l2_mpeg_video_h264_level): at least 4.0, which is the default of drivers. If the level
    /// is too low, some drivers refuse larger frames, and others write a stream that claims too low a level.
    ///
    /// Source: ITU-T H.264, table A-1, with the factor 1.25 of the High profile for the bit rate.
    var level: Int64 {
        let limits: [(level: Int64, blocksPerSecond: Double, blocks: Double, bitRate: Double)] = [
            (11, 245_760, 8192, 25e6), (12, 245_760, 8192, 62.5e6), (13, 522_240, 8704, 62.5e6),
            (14, 589_824, 22_080, 168.75e6), (15, 983_040, 36_864, 300e6), (16, 2_073_600, 36_864, 300e6),
        ]
        let blocks = (Double(width) / 16).rounded(.up) * (Double(height) / 16).rounded(.up)
        let perSecond = frameRate.isFinite ? blocks * frameRate : blocks * 30
        let fitting = limits.first {
            perSecond <= $0.blocksPerSecond && blocks <= $0.blocks && Double(bitRate ?? 0) <= $0.bitRate
        }
        return fitting?.level ?? 16
    }

    /// The duration of a frame for VIDIOC_S_PARM. The rate is rounded to 1/1000 of a frame per second.
    var frameTime: (numerator: UInt32, denominator: UInt32) {
        let rate = frameRate.isFinite ? min(max(frameRate, 0.001), 1_000_000) : 30
        // in range: at most 10^9
        return (1000, UInt32((rate * 1000).rounded()))
    }

    /// The color tags of `color` in V4L2's codes; 0 is the driver's default.
    var tags: (colorspace: UInt32, transfer: UInt32, encoding: UInt32, quantization: UInt32) {
        let (colorspace, encoding): (UInt32, UInt32) =
            switch color.matrix {
            case 1: (V4L2_COLORSPACE_REC709.rawValue, V4L2_YCBCR_ENC_709.rawValue)
            case 5, 6: (V4L2_COLORSPACE_SMPTE170M.rawValue, V4L2_YCBCR_ENC_601.rawValue)
            case 9: (V4L2_COLORSPACE_BT2020.rawValue, V4L2_YCBCR_ENC_BT2020.rawValue)
            default: (V4L2_COLORSPACE_DEFAULT.rawValue, V4L2_YCBCR_ENC_DEFAULT.rawValue)
            }
        let transfer: UInt32 =
            switch color.transfer {
            case 1, 6, 14: V4L2_XFER_FUNC_709.rawValue
            case 13: V4L2_XFER_FUNC_SRGB.rawValue
            default: V4L2_XFER_FUNC_DEFAULT.rawValue
            }
        let range = color.isFullRange ? V4L2_QUANTIZATION_FULL_RANGE : V4L2_QUANTIZATION_LIM_RANGE
        return (colorspace, transfer, encoding, range.rawValue)
    }
}
