import Foundation
import Testing
import VideoToolbox

@Suite struct VTSessionPropertiesTests {
    private func set(_ session: VTSession, _ key: CFString, _ value: Any?) -> OSStatus {
        VTSessionSetProperty(session, key: key, value: value)
    }

    @Test func setProperty_supportedKey_isReturnedByCopyProperty() throws {
        let session = try ToolboxMedia.session()
        #expect(set(session, kVTCompressionPropertyKey_AverageBitRate, NSNumber(value: 500_000)) == noErr)
        #expect(set(session, kVTCompressionPropertyKey_ProfileLevel, kVTProfileLevel_H264_Main_AutoLevel) == noErr)
        var number: CFNumber?
        let key = kVTCompressionPropertyKey_AverageBitRate
        #expect(VTSessionCopyProperty(session, key: key, allocator: nil, valueOut: &number) == noErr)
        #expect(number?.intValue == 500_000)
        var object: CFTypeRef?
        #expect(VTSessionCopyProperty(session, key: key, allocator: kCFAllocatorDefault, valueOut: &object) == noErr)
        #expect((object as? NSNumber)?.intValue == 500_000)
        var text: CFString?
        let profile = kVTCompressionPropertyKey_ProfileLevel
        #expect(VTSessionCopyProperty(session, key: profile, allocator: nil, valueOut: &text) == noErr)
        #expect(text == kVTProfileLevel_H264_Main_AutoLevel)
        #expect(VTSessionCopyProperty(session, key: profile, allocator: nil, valueOut: &number) == kVTParameterErr)
        // nil resets a property.
        #expect(set(session, profile, nil) == noErr)
        #expect(VTSessionCopyProperty(session, key: profile, allocator: nil, valueOut: &text) == noErr)
        #expect(text == nil)
    }

    @Test func setProperty_hardwareOrNoEffect_isNotSupported() throws {
        let session = try ToolboxMedia.session()
        for key in [
            kVTCompressionPropertyKey_UsingHardwareAcceleratedVideoEncoder,
            kVTCompressionPropertyKey_UsingGPURegistryID, kVTCompressionPropertyKey_EnableLTR,
            kVTCompressionPropertyKey_DataRateLimits,
            kVTCompressionPropertyKey_MaxAllowedFrameQP, kVTCompressionPropertyKey_HeroEye, "NoSuchKey",
        ] {
            #expect(set(session, key, NSNumber(value: 1)) == kVTPropertyNotSupportedErr, "\(key)")
            var value: CFTypeRef?
            let status = VTSessionCopyProperty(session, key: key, allocator: nil, valueOut: &value)
            #expect(status == kVTPropertyNotSupportedErr, "\(key)")
        }
        let proRes = try ToolboxMedia.session(kCMVideoCodecType_AppleProRes422)
        for key in [kVTCompressionPropertyKey_AverageBitRate, kVTCompressionPropertyKey_MultiPassStorage] {
            #expect(set(proRes, key, NSNumber(value: 500_000)) == kVTPropertyNotSupportedErr)
        }
    }

    @Test func setProperty_invalidValueOrReadOnlyKey_isRefused() throws {
        let session = try ToolboxMedia.session()
        #expect(set(session, kVTCompressionPropertyKey_AverageBitRate, "much") == kVTParameterErr)
        #expect(set(session, kVTCompressionPropertyKey_AverageBitRate, NSNumber(value: -5)) == kVTParameterErr)
        #expect(set(session, kVTCompressionPropertyKey_RealTime, "yes") == kVTParameterErr)
        #expect(set(session, kVTCompressionPropertyKey_MaxFrameDelayCount, NSNumber(value: 3)) == kVTParameterErr)
        #expect(set(session, kVTCompressionPropertyKey_MultiPassStorage, "storage") == kVTParameterErr)
        let profile = kVTProfileLevel_HEVC_Main_AutoLevel
        #expect(set(session, kVTCompressionPropertyKey_ProfileLevel, profile) == kVTParameterErr)
        #expect(set(session, kVTCompressionPropertyKey_EncoderID, "another") == kVTPropertyReadOnlyErr)
        #expect(set(NSObject(), kVTCompressionPropertyKey_RealTime, kCFBooleanTrue) == kVTInvalidSessionErr)
    }

    @Test func setProperties_oneFault_setsTheOthers() throws {
        let session = try ToolboxMedia.session()
        let properties: [String: Any] = [
            kVTCompressionPropertyKey_EnableLTR: kCFBooleanTrue as Any,
            kVTCompressionPropertyKey_ExpectedFrameRate: NSNumber(value: 25),
        ]
        let status = VTSessionSetProperties(session, propertyDictionary: properties as CFDictionary)
        #expect(status == kVTPropertyNotSupportedErr)
        var rate: CFNumber?
        let key = kVTCompressionPropertyKey_ExpectedFrameRate
        VTSessionCopyProperty(session, key: key, allocator: nil, valueOut: &rate)
        #expect(rate?.intValue == 25)
    }

    @Test func readOnlyProperties_describeTheEncoder() throws {
        let session = try ToolboxMedia.session()
        var id: CFString?
        var key = kVTCompressionPropertyKey_EncoderID
        #expect(VTSessionCopyProperty(session, key: key, allocator: nil, valueOut: &id) == noErr)
        #expect(id == "recorder.h264")
        var attributes: CFDictionary?
        key = kVTCompressionPropertyKey_VideoEncoderPixelBufferAttributes
        #expect(VTSessionCopyProperty(session, key: key, allocator: nil, valueOut: &attributes) == noErr)
        #expect((attributes as? [String: Any])?[kCVPixelBufferWidthKey] as? Int == 160)
        VTCompressionSessionEncodeFrame(
            session, imageBuffer: try ToolboxMedia.frame(0), presentationTimeStamp: .zero, duration: .invalid,
            frameProperties: nil, infoFlagsOut: nil
        ) { _, _, _ in }
        var count: CFNumber?
        key = kVTCompressionPropertyKey_NumberOfPendingFrames
        #expect(VTSessionCopyProperty(session, key: key, allocator: nil, valueOut: &count) == noErr)
        #expect(count?.intValue == 1)
    }

    @Test func supportedProperties_listsWhatCanBeSet() throws {
        var supported: CFDictionary?
        let session = try ToolboxMedia.session()
        #expect(VTSessionCopySupportedPropertyDictionary(session, supportedPropertyDictionaryOut: &supported) == noErr)
        let all = try #require(supported as? [String: [String: String]])
        let status = kVTPropertyReadWriteStatusKey
        #expect(all[kVTCompressionPropertyKey_AverageBitRate]?[status] == kVTPropertyReadWriteStatus_ReadWrite)
        #expect(all[kVTCompressionPropertyKey_EncoderID]?[status] == kVTPropertyReadWriteStatus_ReadOnly)
        #expect(all[kVTCompressionPropertyKey_UsingHardwareAcceleratedVideoEncoder] == nil)
    }

    @Test func temporalCompression_notAllowed_makesEveryFrameAKeyframe() throws {
        let properties = [kVTCompressionPropertyKey_AllowTemporalCompression: kCFBooleanFalse as Any]
        let packets = try ToolboxMedia.encode(0..<5, in: try ToolboxMedia.session(kCMVideoCodecType_H264, properties))
        #expect(packets.count == 5 && packets.allSatisfy { ToolboxMedia.isKeyframe($0) })
    }

    @Test func keyframeInterval_inFrames_isTheLongest() throws {
        let properties: [String: Any] = [
            kVTCompressionPropertyKey_ExpectedFrameRate: NSNumber(value: 25),
            kVTCompressionPropertyKey_MaxKeyFrameInterval: NSNumber(value: 5),
        ]
        let packets = try ToolboxMedia.encode(0..<11, in: try ToolboxMedia.session(kCMVideoCodecType_H264, properties))
        let keyframes = packets.filter { ToolboxMedia.isKeyframe($0) }.map {
            Int(($0.presentationTimeStamp.seconds * 25).rounded())
        }
        // x264 may place one earlier, where intra prediction costs less.
        let gaps = zip(keyframes, keyframes.dropFirst() + [11]).map { $1 - $0 }
        #expect(keyframes.first == 0 && gaps.count >= 3 && gaps.allSatisfy { $0 <= 5 }, "\(keyframes)")
    }
}
