import CoreGraphics
import CoreVideo
import Foundation
import Testing

/// Tests of Core Video's properties of pixel buffers and pools.
@Suite struct CVPixelBufferPropertiesTests {
    private func frame(_ format: OSType = kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange) throws -> CVPixelBuffer {
        var made: CVPixelBuffer?
        CVPixelBufferCreate(nil, 64, 48, format, nil, &made)
        return try #require(made)
    }

    @Test func planes_returnTheirSizesWithoutPadding() throws {
        let frame = try frame()
        #expect(CVPixelBufferGetPlaneCount(frame) == 2 && CVPixelBufferIsPlanar(frame))
        #expect(CVPixelBufferGetWidthOfPlane(frame, 1) == 32 && CVPixelBufferGetHeightOfPlane(frame, 1) == 24)
        #expect(CVPixelBufferGetWidthOfPlane(frame, 2) == 0 && CVPixelBufferGetBytesPerRowOfPlane(frame, 0) >= 64)
        #expect(CVPixelBufferGetBytesPerRow(frame) == CVPixelBufferGetBytesPerRowOfPlane(frame, 0))
        #expect(CVPixelBufferGetBaseAddress(frame) == CVPixelBufferGetBaseAddressOfPlane(frame, 0))
        var sides = (left: 9, right: 9, top: 9, bottom: 9)
        CVPixelBufferGetExtendedPixels(frame, &sides.left, &sides.right, &sides.top, &sides.bottom)
        let padding: [Int] = [sides.left, sides.right, sides.top, sides.bottom]
        #expect(padding == [0, 0, 0, 0])
        #expect(CVPixelBufferFillExtendedPixels(frame) == kCVReturnSuccess)
        #expect(
            CVPixelBufferGetTypeID() == CVBufferGetTypeID() && CVPixelBufferGetTypeID() != CVPixelBufferPoolGetTypeID())
        #expect(CVPixelBufferLockBaseAddress(frame, .readOnly) == kCVReturnSuccess)
        #expect(CVPixelBufferUnlockBaseAddress(frame, .readOnly) == kCVReturnSuccess)
    }

    @Test func pixelBuffer_fromCallersPlanes_copiesAndReleasesThem() throws {
        final class Count: @unchecked Sendable { var returned = 0 }
        let count = Count()
        var (luma, chroma) = ([UInt8](repeating: 7, count: 70 * 48), [UInt8](repeating: 9, count: 64 * 24))
        var made: CVPixelBuffer?
        let status = luma.withUnsafeMutableBytes { luma in
            chroma.withUnsafeMutableBytes { chroma in
                var planes = [luma.baseAddress, chroma.baseAddress]
                var (widths, heights, strides) = ([64, 32], [48, 24], [70, 64])
                return CVPixelBufferCreateWithPlanarBytes(
                    nil, 64, 48, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, nil, 0, 2, &planes, &widths, &heights,
                    &strides,
                    { context, _, _, planes, _ in
                        if let context { Unmanaged<Count>.fromOpaque(context).takeUnretainedValue().returned += planes }
                    }, Unmanaged.passUnretained(count).toOpaque(), nil, &made)
            }
        }
        let frame = try #require(made)
        #expect(status == kCVReturnSuccess && count.returned == 2)
        let last = CVPixelBufferGetBaseAddressOfPlane(frame, 0)! + 47 * CVPixelBufferGetBytesPerRowOfPlane(frame, 0)
        #expect(last.load(fromByteOffset: 63, as: UInt8.self) == 7)
        #expect(CVPixelBufferGetBaseAddressOfPlane(frame, 1)?.load(as: UInt8.self) == 9)
        var (planes, width, height, stride): ([UnsafeMutableRawPointer?], [Int], [Int], [Int]) = ([nil], [1], [1], [1])
        var refused: CVPixelBuffer?
        #expect(
            CVPixelBufferCreateWithPlanarBytes(
                nil, 64, 48, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, nil, 0, 1, &planes, &width, &height,
                &stride, nil,
                nil, nil, &refused) == kCVReturnInvalidArgument && refused == nil)
    }

    @Test func pixelBuffer_fromCallersBytes_usesAndReleasesThem() throws {
        final class Count: @unchecked Sendable { var returned = 0 }
        let count = Count()
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: 256 * 48, alignment: 16)
        bytes.storeBytes(of: 5, as: UInt8.self)
        do {
            var made: CVPixelBuffer?
            CVPixelBufferCreateWithBytes(
                nil, 64, 48, kCVPixelFormatType_32BGRA, bytes, 256,
                { context, bytes in
                    if let context { Unmanaged<Count>.fromOpaque(context).takeUnretainedValue().returned += 1 }
                    UnsafeMutableRawPointer(mutating: bytes)?.deallocate()
                }, Unmanaged.passUnretained(count).toOpaque(), nil, &made)
            #expect(CVPixelBufferGetBaseAddress(try #require(made)) == bytes && count.returned == 0)
        }
        #expect(count.returned == 1)
    }

    @Test func attributes_areResolvedAndCompared() throws {
        let frame = try frame(kCVPixelFormatType_32BGRA)
        let wanted: [String: Any] = [
            kCVPixelBufferWidthKey: 64, kCVPixelBufferHeightKey: 48,
            kCVPixelBufferPixelFormatTypeKey: [kCVPixelFormatType_32ARGB, kCVPixelFormatType_32BGRA],
            kCVPixelBufferBytesPerRowAlignmentKey: 16,
        ]
        #expect(CVPixelBufferIsCompatibleWithAttributes(frame, wanted as CFDictionary))
        #expect(!CVPixelBufferIsCompatibleWithAttributes(frame, [kCVPixelBufferWidthKey: 65] as CFDictionary))
        #expect(
            !CVPixelBufferIsCompatibleWithAttributes(
                frame, [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_32ARGB] as CFDictionary))
        var resolved: CFDictionary?
        let other: [String: Any] = [
            kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_32BGRA, kCVPixelBufferBytesPerRowAlignmentKey: 64,
        ]
        #expect(CVPixelBufferCreateResolvedAttributesDictionary(nil, [wanted, other] as CFArray, &resolved) == 0)
        #expect(resolved?.object(forKey: kCVPixelBufferBytesPerRowAlignmentKey) as? Int == 64)
        #expect((resolved?.object(forKey: kCVPixelBufferPixelFormatTypeKey) as? [NSNumber])?.count == 1)
        #expect(
            CVPixelBufferCreateResolvedAttributesDictionary(
                nil, [wanted, [kCVPixelBufferWidthKey: 2]] as CFArray, &resolved)
                == kCVReturnInvalidPixelBufferAttributes)
        let made = CVPixelBufferCopyCreationAttributes(frame)
        #expect(made.object(forKey: kCVPixelBufferWidthKey) as? Int == 64)
    }

    @Test func imageBuffer_attachments_setShapeAndColor() throws {
        let frame = try frame()
        #expect(CVImageBufferGetEncodedSize(frame) == CGSize(width: 64, height: 48))
        #expect(
            CVImageBufferGetDisplaySize(frame) == CGSize(width: 64, height: 48) && CVImageBufferIsFlipped(frame))
        #expect(CVImageBufferGetCleanRect(frame) == CGRect(x: 0, y: 0, width: 64, height: 48))
        #expect(CVImageBufferGetColorSpace(frame) == nil)
        CVBufferSetAttachments(
            frame,
            [
                kCVImageBufferCleanApertureKey: [
                    "Width": 60, "Height": 40, "HorizontalOffset": 1, "VerticalOffset": 0,
                ],
                kCVImageBufferPixelAspectRatioKey: ["HorizontalSpacing": 2, "VerticalSpacing": 1],
                kCVImageBufferColorPrimariesKey: kCVImageBufferColorPrimaries_ITU_R_2020,
                kCVImageBufferTransferFunctionKey: kCVImageBufferTransferFunction_ITU_R_2100_HLG,
            ] as CFDictionary, .shouldPropagate)
        #expect(CVImageBufferGetCleanRect(frame) == CGRect(x: 3, y: 4, width: 60, height: 40))
        #expect(CVImageBufferGetDisplaySize(frame) == CGSize(width: 120, height: 40))
        #expect(CVImageBufferGetColorSpace(frame) == CGColorSpace(name: CGColorSpace.itur_2100_HLG))
        let srgb: [String: Any] = [
            kCVImageBufferColorPrimariesKey: kCVImageBufferColorPrimaries_ITU_R_709_2,
            kCVImageBufferTransferFunctionKey: kCVImageBufferTransferFunction_sRGB,
        ]
        #expect(
            CVImageBufferCreateColorSpaceFromAttachments(srgb as CFDictionary) == CGColorSpace(name: CGColorSpace.sRGB))
    }

    @Test func attachments_areSetCopiedPropagatedAndRemoved() throws {
        let (frame, other) = (try frame(), try frame())
        CVBufferSetAttachment(frame, "kept", "a", .shouldPropagate)
        CVBufferSetAttachment(frame, "own", "b", .shouldNotPropagate)
        var mode = CVAttachmentMode.shouldPropagate
        #expect(CVBufferCopyAttachment(frame, "own", &mode) as? String == "b" && mode == .shouldNotPropagate)
        #expect(CVBufferCopyAttachments(frame, .shouldPropagate)?.count == 1)
        #expect(CVBufferGetAttachments(frame, .shouldNotPropagate)?.count == 1)
        CVBufferPropagateAttachments(frame, other)
        #expect(CVBufferHasAttachment(other, "kept") && !CVBufferHasAttachment(other, "own"))
        CVBufferRemoveAttachment(other, "kept")
        #expect(!CVBufferHasAttachment(other, "kept"))
        CVBufferRemoveAllAttachments(frame)
        #expect(
            CVBufferCopyAttachments(frame, .shouldPropagate) == nil
                && CVBufferCopyAttachment(frame, "own", nil) == nil)
    }

    @Test func pool_returnsItsAttributesAndKeepsLentBuffers() throws {
        let attributes: [String: Any] = [
            kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_32BGRA, kCVPixelBufferWidthKey: 64,
            kCVPixelBufferHeightKey: 48,
        ]
        var made: CVPixelBufferPool?
        CVPixelBufferPoolCreate(
            nil, [kCVPixelBufferPoolMinimumBufferCountKey: 3] as CFDictionary, attributes as CFDictionary, &made)
        let pool = try #require(made)
        #expect(
            CVPixelBufferPoolGetAttributes(pool)?.object(forKey: kCVPixelBufferPoolMinimumBufferCountKey) as? Int == 3)
        #expect(CVPixelBufferPoolGetPixelBufferAttributes(pool)?.object(forKey: kCVPixelBufferWidthKey) as? Int == 64)
        var (first, second): (CVPixelBuffer?, CVPixelBuffer?)
        #expect(CVPixelBufferPoolCreatePixelBuffer(nil, pool, &first) == kCVReturnSuccess)
        let threshold = [kCVPixelBufferPoolAllocationThresholdKey: 9] as CFDictionary
        #expect(
            CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(nil, pool, threshold, &second) == kCVReturnSuccess)
        let (one, two) = (try #require(first), try #require(second))
        #expect(CVPixelBufferGetBaseAddress(one) != CVPixelBufferGetBaseAddress(two))
        #expect(CVPixelBufferGetWidth(two) == 64 && CVPixelBufferGetHeight(two) == 48)
        CVPixelBufferGetBaseAddress(one)?.storeBytes(of: 42, as: UInt8.self)
        CVPixelBufferPoolFlush(pool, .excessBuffers)
        #expect(CVPixelBufferGetBaseAddress(one)?.load(as: UInt8.self) == 42)
    }
}
