import Foundation
import Testing
import VideoToolbox

@Suite struct VTPixelTransferSessionTests {
    private func session(_ mode: CFString? = nil) throws -> VTPixelTransferSession {
        var made: VTPixelTransferSession?
        #expect(VTPixelTransferSessionCreate(allocator: nil, pixelTransferSessionOut: &made) == noErr)
        let session = try #require(made)
        if let mode {
            #expect(VTSessionSetProperty(session, key: kVTPixelTransferPropertyKey_ScalingMode, value: mode) == noErr)
        }
        return session
    }

    private func buffer(_ width: Int, _ height: Int, _ format: OSType, _ value: [UInt8] = [0]) throws -> CVPixelBuffer {
        var made: CVPixelBuffer?
        CVPixelBufferCreate(nil, width, height, format, nil, &made)
        let buffer = try #require(made)
        let bytes = try #require(CVPixelBufferGetBaseAddress(buffer)).assumingMemoryBound(to: UInt8.self)
        let count = CVPixelBufferGetBytesPerRow(buffer) * height
        for place in 0..<count { bytes[place] = value[place % value.count] }
        return buffer
    }

    private func byte(_ buffer: CVPixelBuffer, _ plane: Int, row: Int, _ place: Int) throws -> Int {
        let start = try #require(CVPixelBufferGetBaseAddressOfPlane(buffer, plane))
        let offset = row * CVPixelBufferGetBytesPerRowOfPlane(buffer, plane) + place
        return Int(start.load(fromByteOffset: offset, as: UInt8.self))
    }

    @Test func transfer_rgbToVideoRange_isBT601() throws {
        let red = try buffer(64, 48, kCVPixelFormatType_32BGRA, [0, 0, 255, 255])
        let target = try buffer(32, 24, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
        #expect(VTPixelTransferSessionTransferImage(try session(), from: red, to: target) == noErr)
        #expect(abs(try byte(target, 0, row: 12, 16) - 81) <= 2)
        #expect(abs(try byte(target, 1, row: 6, 16) - 90) <= 2)
        #expect(abs(try byte(target, 1, row: 6, 17) - 240) <= 2)
        let matrix = CVBufferCopyAttachment(target, kCVImageBufferYCbCrMatrixKey, nil) as? String
        #expect(matrix == kCVImageBufferYCbCrMatrix_ITU_R_601_4)
    }

    @Test func transfer_rgbToRGB_keepsAlphaAndScales() throws {
        let source = try buffer(64, 48, kCVPixelFormatType_32BGRA, [10, 20, 30, 40])
        let target = try buffer(20, 10, kCVPixelFormatType_32ARGB)
        #expect(VTPixelTransferSessionTransferImage(try session(), from: source, to: target) == noErr)
        #expect(try (0..<4).map { try byte(target, 0, row: 9, 76 + $0) } == [40, 30, 20, 10])
    }

    @Test func transfer_betweenRanges_convertsTheValues() throws {
        let black = try buffer(64, 48, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, [16])
        for row in 0..<24 {
            let start = try #require(CVPixelBufferGetBaseAddressOfPlane(black, 1))
            memset(start + row * CVPixelBufferGetBytesPerRowOfPlane(black, 1), 128, 64)
        }
        let full = try buffer(64, 48, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, [99])
        let transfer = try session()
        #expect(VTPixelTransferSessionTransferImage(transfer, from: black, to: full) == noErr)
        #expect(try byte(full, 0, row: 20, 20) <= 1)
        let back = try buffer(64, 48, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, [99])
        #expect(VTPixelTransferSessionTransferImage(transfer, from: full, to: back) == noErr)
        #expect(abs(try byte(back, 0, row: 20, 20) - 16) <= 1)
    }

    /// An image of 720 rows or more without a matrix is BT.709, whatever the size of its copy.
    @Test func transfer_largeUntaggedToSmallRGB_isBT709() throws {
        let red = try buffer(1280, 720, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, [63])
        let start = try #require(CVPixelBufferGetBaseAddressOfPlane(red, 1)).assumingMemoryBound(to: UInt8.self)
        for place in 0..<360 * CVPixelBufferGetBytesPerRowOfPlane(red, 1) { start[place] = place % 2 == 0 ? 102 : 240 }
        let target = try buffer(64, 36, kCVPixelFormatType_32BGRA)
        #expect(VTPixelTransferSessionTransferImage(try session(), from: red, to: target) == noErr)
        let color = try (0..<4).map { try byte(target, 0, row: 18, 128 + $0) }
        #expect(zip(color, [0, 0, 255, 255]).allSatisfy { abs($0 - $1) <= 4 }, "\(color)")
    }

    @Test func transfer_letterbox_hasBlackBars() throws {
        let white = try buffer(64, 64, kCVPixelFormatType_32BGRA, [255])
        let target = try buffer(128, 64, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
        let boxed = try session(kVTScalingMode_Letterbox)
        #expect(VTPixelTransferSessionTransferImage(boxed, from: white, to: target) == noErr)
        #expect(abs(try byte(target, 0, row: 32, 4) - 16) <= 1)
        #expect(abs(try byte(target, 0, row: 32, 64) - 235) <= 1)
        let trimmed = try session(kVTScalingMode_Trim)
        #expect(VTPixelTransferSessionTransferImage(trimmed, from: white, to: target) == noErr)
        #expect(abs(try byte(target, 0, row: 32, 4) - 235) <= 1)
    }

    @Test func transfer_cropToCleanAperture_leavesOutTheRest() throws {
        let source = try buffer(64, 64, kCVPixelFormatType_OneComponent8, [20])
        let bytes = try #require(CVPixelBufferGetBaseAddress(source)).assumingMemoryBound(to: UInt8.self)
        for row in 16..<48 {
            for column in 16..<48 { bytes[row * CVPixelBufferGetBytesPerRow(source) + column] = 200 }
        }
        let aperture = [
            kCVImageBufferCleanApertureWidthKey: NSNumber(value: 32),
            kCVImageBufferCleanApertureHeightKey: NSNumber(value: 32),
        ]
        CVBufferSetAttachment(source, kCVImageBufferCleanApertureKey, aperture, .shouldPropagate)
        let target = try buffer(32, 32, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
        let cropping = try session(kVTScalingMode_CropSourceToCleanAperture)
        #expect(VTPixelTransferSessionTransferImage(cropping, from: source, to: target) == noErr)
        #expect(try byte(target, 0, row: 2, 2) > 150 && byte(target, 0, row: 29, 29) > 150)
    }

    @Test func properties_unknownKeyOrValue_isRefused() throws {
        let session = try session()
        let key = kVTPixelTransferPropertyKey_ScalingMode
        #expect(VTSessionSetProperty(session, key: key, value: "Diagonal") == kVTParameterErr)
        #expect(VTSessionSetProperty(session, key: "NoSuchKey", value: "Normal") == kVTPropertyNotSupportedErr)
        var mode: CFString?
        #expect(VTSessionCopyProperty(session, key: key, allocator: nil, valueOut: &mode) == noErr)
        #expect(mode == kVTScalingMode_Normal)
    }

    @Test func transfer_invalidSessionOrSameBuffer_isRefused() throws {
        let transfer = try session()
        let image = try buffer(64, 48, kCVPixelFormatType_32BGRA)
        #expect(VTPixelTransferSessionTransferImage(transfer, from: image, to: image) == kVTParameterErr)
        VTPixelTransferSessionInvalidate(transfer)
        let other = try buffer(64, 48, kCVPixelFormatType_32BGRA)
        #expect(VTPixelTransferSessionTransferImage(transfer, from: image, to: other) == kVTInvalidSessionErr)
    }
}
