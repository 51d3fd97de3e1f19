import Foundation
import Testing
import VideoToolbox

@Suite struct VTVideoEncoderListTests {
    private func list() throws -> CFArray {
        var made: CFArray?
        #expect(VTCopyVideoEncoderList(nil, &made) == noErr)
        return try #require(made)
    }

    @Test func encoderList_namesEncodersInSoftware() throws {
        let encoders = try #require(try list() as? [[String: Any]])
        let codecs = encoders.compactMap { ($0[kVTVideoEncoderList_CodecType] as? NSNumber)?.uint32Value }
        #expect(codecs.contains(kCMVideoCodecType_H264) && codecs.contains(kCMVideoCodecType_HEVC))
        #expect(codecs.contains(kCMVideoCodecType_JPEG) && codecs.contains(kCMVideoCodecType_AppleProRes422HQ))
        for encoder in encoders {
            #expect(encoder[kVTVideoEncoderList_IsHardwareAccelerated] as? Bool == false)
            #expect(encoder[kVTVideoEncoderList_CodecName] as? String != nil)
            let specification = [kVTVideoEncoderSpecification_EncoderID: encoder[kVTVideoEncoderList_EncoderID] ?? ""]
            var session: VTCompressionSession?
            let status = VTCompressionSessionCreate(
                allocator: nil, width: 64, height: 64,
                codecType: try #require((encoder[kVTVideoEncoderList_CodecType] as? NSNumber)?.uint32Value),
                encoderSpecification: specification as CFDictionary, imageBufferAttributes: nil,
                compressedDataAllocator: nil, outputCallback: nil, refcon: nil, compressionSessionOut: &session)
            #expect(status == noErr)
        }
    }

    /// The calls that programs make that were translated from C.
    @Test func coreFoundationCalls_readTheList() throws {
        let list = try list()
        var codecs: Set<UInt32> = []
        for index in 0..<CFArrayGetCount(list) {
            let encoder = unsafeBitCast(CFArrayGetValueAtIndex(list, index), to: CFDictionary.self)
            let key = Unmanaged.passUnretained(kVTVideoEncoderList_CodecType).toOpaque()
            let value = try #require(CFDictionaryGetValue(encoder, key))
            codecs.insert(Unmanaged<CFNumber>.fromOpaque(value).takeUnretainedValue().uint32Value)
            var name: UnsafeRawPointer?
            let nameKey = Unmanaged.passUnretained(kVTVideoEncoderList_EncoderName).toOpaque()
            #expect(CFDictionaryGetValueIfPresent(encoder, nameKey, &name))
            let text = Unmanaged<NSString>.fromOpaque(try #require(name)).takeUnretainedValue()
            #expect(text.length > 0)
            let other = Unmanaged.passUnretained("NoSuchKey").toOpaque()
            #expect(CFDictionaryGetValue(encoder, other) == nil)
            #expect(!CFDictionaryGetValueIfPresent(encoder, other, nil))
        }
        #expect(codecs.contains(kCMVideoCodecType_H264))
        #expect(CFArrayGetValueAtIndex(list, CFArrayGetCount(list)) == nil)
        #expect(CFArrayGetValueAtIndex(list, -1) == nil)
    }

    @Test func valueAtIndex_again_isTheSameObject() throws {
        let list = try list()
        #expect(CFArrayGetValueAtIndex(list, 0) == CFArrayGetValueAtIndex(list, 0))
        #expect(CFArrayGetValueAtIndex(list, 0) != CFArrayGetValueAtIndex(list, 1))
        // Arrays that no longer exist leave nothing behind that another array could find.
        for number in 0..<500 {
            let array = [NSNumber(value: number)] as CFArray
            let value = try #require(CFArrayGetValueAtIndex(array, 0))
            #expect(Unmanaged<NSNumber>.fromOpaque(value).takeUnretainedValue().intValue == number)
        }
    }

    @Test func valueAtIndex_whenAnObjectEnds_mayBeCalled() {
        final class Last: NSObject {
            deinit { _ = CFArrayGetValueAtIndex(NSArray(array: [NSNumber(value: 1)]), 0) }
        }
        // The objects of arrays that no longer exist are released by a later call.
        for _ in 0..<300 { #expect(CFArrayGetValueAtIndex(NSArray(array: [Last()]), 0) != nil) }
    }
}
