public import Foundation
import MediaCodecs
import MediaTypes

/// An encoder of the library, in the form in which Video Toolbox lists encoders.
struct ListedEncoder: Sendable {
    let codecType: CMVideoCodecType
    let codec: VideoCodec
    let codecName: String
    let encoderName: String
    /// The encoder's own name, such as `recorder.h264`.
    let id: String
    let reorders: Bool

    /// All encoders that the installed libraries of this machine provide.
    static let installed: [ListedEncoder] = all.filter { $0.codec == .h264 || (try? LibavVideoCodec($0.codec)) != nil }

    private static let all: [ListedEncoder] = [
        ListedEncoder(kCMVideoCodecType_H264, .h264, "H.264", "x264", "recorder.h264", reorders: true),
        ListedEncoder(kCMVideoCodecType_HEVC, .hevc, "HEVC", "x265", "recorder.hevc", reorders: true),
        ListedEncoder(kCMVideoCodecType_JPEG, .mjpeg, "Photo - JPEG", "libavcodec JPEG", "recorder.jpeg"),
        ListedEncoder(
            kCMVideoCodecType_AppleProRes422Proxy, .proRes422Proxy, "Apple ProRes 422 Proxy", "libavcodec ProRes",
            "recorder.apco"),
        ListedEncoder(
            kCMVideoCodecType_AppleProRes422LT, .proRes422LT, "Apple ProRes 422 LT", "libavcodec ProRes",
            "recorder.apcs"),
        ListedEncoder(
            kCMVideoCodecType_AppleProRes422, .proRes422, "Apple ProRes 422", "libavcodec ProRes", "recorder.apcn"),
        ListedEncoder(
            kCMVideoCodecType_AppleProRes422HQ, .proRes422HQ, "Apple ProRes 422 HQ", "libavcodec ProRes",
            "recorder.apch"),
    ]

    private init(
        _ codecType: CMVideoCodecType, _ codec: VideoCodec, _ codecName: String, _ encoderName: String, _ id: String,
        reorders: Bool = false
    ) {
        self.codecType = codecType
        self.codec = codec
        self.codecName = codecName
        self.encoderName = encoderName
        self.id = id
        self.reorders = reorders
    }

    /// Returns the encoder for a codec that fits the caller's choice. Returns nil if there is none, for example if the
    /// caller requires hardware.
    static func chosen(_ codecType: CMVideoCodecType, _ specification: CFDictionary?) -> ListedEncoder? {
        let wishes = specification as? [String: Any] ?? [:]
        let hardware = wishes[kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder]
        guard hardware.flatMap({ settingsNumber($0) })?.bool != true,
            wishes[kVTVideoEncoderSpecification_RequiredEncoderGPURegistryID] == nil
        else { return nil }
        let id = wishes[kVTVideoEncoderSpecification_EncoderID].flatMap { settingsString($0) }
        return installed.first { $0.codecType == codecType && (id == nil || id == $0.id) }
    }

    var dictionary: NSDictionary {
        let entries: [String: Any] = [
            kVTVideoEncoderList_CodecType: NSNumber(value: codecType), kVTVideoEncoderList_CodecName: codecName,
            kVTVideoEncoderList_EncoderID: id, kVTVideoEncoderList_EncoderName: encoderName,
            kVTVideoEncoderList_DisplayName: codecName,
            kVTVideoEncoderList_IsHardwareAccelerated: NSNumber(value: false),
            kVTVideoEncoderList_SupportsFrameReordering: NSNumber(value: reorders),
        ]
        return entries as NSDictionary
    }
}

/// Lists the encoders as dictionaries. None of them uses hardware.
///
/// - Parameter options: no option has an effect.
@discardableResult
public func VTCopyVideoEncoderList(
    _ options: CFDictionary?, _ listOfVideoEncodersOut: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    listOfVideoEncodersOut.pointee = NSArray(array: ListedEncoder.installed.map(\.dictionary))
    return noErr
}

/// Always returns false, because decompression sessions decode in software.
public func VTIsHardwareDecodeSupported(_ codecType: CMVideoCodecType) -> Bool { false }
