import Foundation
import Testing
import VideoToolbox

/// Frames and packets for tests of Video Toolbox, at 25 frames per second.
enum ToolboxMedia {
    /// The values that callbacks receive, on whatever thread.
    final class Results<Value>: @unchecked Sendable {
        // Unchecked: the lock protects the values.
        private let lock = NSLock()
        private var values: [Value] = []
        func add(_ value: Value) {
            lock.lock()
            defer { lock.unlock() }
            values.append(value)
        }
        var all: [Value] {
            lock.lock()
            defer { lock.unlock() }
            return values
        }
    }

    static func time(_ number: Int) -> CMTime { CMTime(value: Int64(number), timescale: 25) }

    /// A diagonal gradient that moves from frame to frame; chroma is neutral.
    static func frame(
        _ number: Int, width: Int = 160, height: Int = 96,
        _ format: OSType = kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
    ) throws -> CVPixelBuffer {
        var made: CVPixelBuffer?
        try #require(CVPixelBufferCreate(nil, width, height, format, nil, &made) == kCVReturnSuccess)
        let buffer = try #require(made)
        for plane in 0..<max(1, CVPixelBufferGetPlaneCount(buffer)) {
            let start = try #require(CVPixelBufferGetBaseAddressOfPlane(buffer, plane))
            let bytes = start.assumingMemoryBound(to: UInt8.self)
            let length = CVPixelBufferGetBytesPerRowOfPlane(buffer, plane)
            for row in 0..<CVPixelBufferGetHeightOfPlane(buffer, plane) {
                for column in 0..<length {
                    bytes[row * length + column] = plane > 0 ? 128 : luma(number, column, row)
                }
            }
        }
        return buffer
    }

    static func luma(_ number: Int, _ column: Int, _ row: Int) -> UInt8 {
        let place = (column + row + number * 3) % 256
        return UInt8(40 + (place < 128 ? place : 255 - place))
    }

    /// The mean difference of the luma from that of `frame`.
    static func difference(_ image: CVPixelBuffer, from number: Int) -> Double {
        guard let start = CVPixelBufferGetBaseAddressOfPlane(image, 0) else { return .infinity }
        let bytes = start.assumingMemoryBound(to: UInt8.self)
        let (width, height) = (CVPixelBufferGetWidth(image), CVPixelBufferGetHeight(image))
        let length = CVPixelBufferGetBytesPerRowOfPlane(image, 0)
        var sum = 0
        for row in 0..<height {
            for column in 0..<width {
                sum += abs(Int(bytes[row * length + column]) - Int(luma(number, column, row)))
            }
        }
        return Double(sum) / Double(width * height)
    }

    static func session(
        _ codec: CMVideoCodecType = kCMVideoCodecType_H264, width: Int32 = 160, height: Int32 = 96,
        _ properties: [String: Any] = [:]
    ) throws -> VTCompressionSession {
        var made: VTCompressionSession?
        let status = VTCompressionSessionCreate(
            allocator: kCFAllocatorDefault, width: width, height: height, codecType: codec, encoderSpecification: nil,
            imageBufferAttributes: nil, compressedDataAllocator: nil, outputCallback: nil, refcon: nil,
            compressionSessionOut: &made)
        try #require(status == noErr)
        let session = try #require(made)
        try #require(VTSessionSetProperties(session, propertyDictionary: properties as CFDictionary) == noErr)
        return session
    }

    /// Encodes frames and returns their packets in the order of the callbacks.
    static func encode(
        _ numbers: Range<Int>, in session: VTCompressionSession, forced: Set<Int> = []
    ) throws -> [CMSampleBuffer] {
        let results = Results<CMSampleBuffer>()
        for number in numbers {
            let properties: CFDictionary? =
                forced.contains(number)
                ? [kVTEncodeFrameOptionKey_ForceKeyFrame: kCFBooleanTrue as Any] as CFDictionary : nil
            var flags: VTEncodeInfoFlags = []
            let status = VTCompressionSessionEncodeFrame(
                session, imageBuffer: try frame(number), presentationTimeStamp: time(number), duration: time(1),
                frameProperties: properties, infoFlagsOut: &flags
            ) { status, flags, sample in
                #expect(status == noErr && flags == .asynchronous)
                if let sample { results.add(sample) }
            }
            #expect(status == noErr && flags == .asynchronous)
        }
        #expect(VTCompressionSessionCompleteFrames(session, untilPresentationTimeStamp: .invalid) == noErr)
        return results.all
    }

    static func isKeyframe(_ sample: CMSampleBuffer) -> Bool {
        !((sample.sampleAttachments.first?[.notSync] as? NSNumber)?.boolValue ?? false)
    }
}
