import CoreVideo
import Foundation
import Testing

@Suite struct CVPixelBufferTests {
    private static let formats: [OSType] = [
        kCVPixelFormatType_32ARGB, kCVPixelFormatType_32RGBA, kCVPixelFormatType_32BGRA, kCVPixelFormatType_24RGB,
        kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange,
        kCVPixelFormatType_420YpCbCr8Planar, kCVPixelFormatType_422YpCbCr8, kCVPixelFormatType_422YpCbCr8_yuvs,
        kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange,
    ]

    @Test(arguments: formats) func pixelBuffer_everyFormat_hasWritablePlanes(_ format: OSType) throws {
        var made: CVPixelBuffer?
        #expect(CVPixelBufferCreate(kCFAllocatorDefault, 35, 21, format, nil, &made) == kCVReturnSuccess)
        let buffer = try #require(made)
        #expect(CVPixelBufferGetPixelFormatType(buffer) == format)
        #expect(CVPixelBufferGetWidth(buffer) == 35 && CVPixelBufferGetHeight(buffer) == 21)
        let count = CVPixelBufferGetPlaneCount(buffer)
        #expect(CVPixelBufferIsPlanar(buffer) == (count > 0))
        CVPixelBufferLockBaseAddress(buffer, [])
        for plane in 0..<max(1, count) {
            let start = try #require(CVPixelBufferGetBaseAddressOfPlane(buffer, plane))
            memset(
                start, 0x7F,
                CVPixelBufferGetBytesPerRowOfPlane(buffer, plane) * CVPixelBufferGetHeightOfPlane(buffer, plane))
        }
        CVPixelBufferUnlockBaseAddress(buffer, [])
        #expect(CVPixelBufferGetBaseAddressOfPlane(buffer, 9) == nil)
        #expect(CVPixelBufferGetDataSize(buffer) >= 35 * 21)
    }

    @Test func pixelBuffer_invalidSizeOrFormat_isRefusedWithItsCode() {
        var made: CVPixelBuffer?
        #expect(CVPixelBufferCreate(nil, 0, 10, kCVPixelFormatType_32BGRA, nil, &made) == kCVReturnInvalidSize)
        #expect(CVPixelBufferCreate(nil, 10, .max, kCVPixelFormatType_32BGRA, nil, &made) == kCVReturnInvalidSize)
        #expect(CVPixelBufferCreate(nil, 10, 10, 0x1234, nil, &made) == kCVReturnInvalidPixelFormat)
        var bytes = [UInt8](repeating: 0, count: 400)
        let status = CVPixelBufferCreateWithBytes(
            nil, 10, 10, kCVPixelFormatType_32BGRA, &bytes, 39, nil, nil, nil, &made)
        #expect(status == kCVReturnInvalidArgument && made == nil)
    }

    @Test func pool_releasedBuffer_isReused() throws {
        let attributes: [String: Any] = [
            kCVPixelBufferPixelFormatTypeKey as String: Int(kCVPixelFormatType_32BGRA),
            kCVPixelBufferWidthKey as String: 64, kCVPixelBufferHeightKey as String: 64,
        ]
        var made: CVPixelBufferPool?
        #expect(CVPixelBufferPoolCreate(nil, nil, attributes as CFDictionary, &made) == kCVReturnSuccess)
        let pool = try #require(made)
        func address() throws -> UnsafeMutableRawPointer? {
            var buffer: CVPixelBuffer?
            CVPixelBufferPoolCreatePixelBuffer(nil, pool, &buffer)
            return CVPixelBufferGetBaseAddress(try #require(buffer))
        }
        let (first, second) = (try address(), try address())
        #expect(first == second)
        #expect(CVPixelBufferPoolCreate(nil, nil, nil, &made) == kCVReturnInvalidPixelBufferAttributes)
    }
}
