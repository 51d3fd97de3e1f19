import AVFoundation
import Testing

/// Tests of Apple's types for names: their equality, and their behavior in an `Any`.
@Suite struct StringConstantTests {
    @Test func stringConstant_rawValue_matchesApple() {
        #expect(AVFileType(rawValue: "public.mpeg-4") == .mp4)
        #expect(AVFileType("com.apple.quicktime-movie") == .mov)
        #expect(AVFileType.AHAP.rawValue == "com.apple.haptics.ahap")
        #expect(AVMediaType.video.rawValue == "vide")
        #expect(AVVideoCodecType.hevc.rawValue == "hvc1")
        #expect(AVVideoProfileLevelH264HighAutoLevel == "H264_High_AutoLevel")
        #expect(AVMetadataIdentifier.iTunesMetadataSongName.rawValue == "itsk/%A9nam")
        #expect(AVMetadataKey.quickTimeMetadataKeyCreationDate.rawValue == "com.apple.quicktime.creationdate")
    }

    @Test func stringConstant_boxedAsObject_castsToItselfAndString() {
        let object = AVVideoCodecType.h264 as AnyObject
        #expect(object as? AVVideoCodecType == .h264)
        #expect(object as? String == "avc1")
        let settings: [String: AnyObject] = [AVVideoCodecKey: AVVideoCodecType.hevc as AnyObject]
        #expect((settings as [String: Any])[AVVideoCodecKey] as? AVVideoCodecType == .hevc)
    }

    @Test func metadataKey_isACopyableObject() {
        let key = AVMetadataKey.commonKeyTitle as any NSCopying & NSObjectProtocol
        #expect(key.isEqual("title" as NSString))
    }

    @Test func coreFoundationConstant_isAString() {
        #expect(kCVPixelBufferWidthKey as String == "Width")
        #expect(kVTCompressionPropertyKey_AverageBitRate as String == AVVideoAverageBitRateKey)
        let attributes = [kCVPixelBufferWidthKey: 640, kCVPixelBufferHeightKey: 360] as CFDictionary
        #expect(CFDictionaryGetCount(attributes) == 2)
        #expect(attributes[kCVPixelBufferWidthKey] as? Int == 640)
    }

    @Test func fourCharacterCodes_matchApple() {
        #expect(kCMVideoCodecType_H264 == 0x6176_6331)
        #expect(kAudioFormatMPEG4AAC == 0x6161_6320)
        #expect(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange == 875_704_438)
        #expect(kCVPixelFormatType_32BGRA == 1_111_970_369)
    }

    @Test func statusCodes_matchApple() {
        #expect(kVTPropertyNotSupportedErr == -12900 && kVTInvalidSessionErr == -12903)
        #expect(kVTVideoDecoderBadDataErr == -12909 && kVTFormatDescriptionChangeNotSupportedErr == -12916)
        #expect(kVTMultiPassStorageInvalidErr == -12214 && kVTSessionMalfunctionErr == -17691)
    }
}
