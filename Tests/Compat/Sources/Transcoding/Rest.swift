import Foundation
import VideoToolbox

// Declarations in OSLog, and in files of the program that are not compiled here.

/// A message of OSLog, with the interpolation that states who may read a value.
struct LogMessage: ExpressibleByStringInterpolation {
    struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ value: any Error, privacy: Privacy) { text += "\(value)" }
    }

    enum Privacy {
        case `public`
    }

    let text: String

    init(stringLiteral text: String) { self.text = text }
    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
}

struct Logger {
    let category: String

    init(subsystem: String, category: String) { self.category = category }

    func error(_ message: LogMessage) { print("\(category): \(message.text)") }
}

struct VideoTranscoderError: Error {
    let status: OSStatus

    init?(status: OSStatus) {
        guard status != noErr else { return nil }
        self.status = status
    }
}

extension VideoEncoder {
    public struct Config {
        var codecType = kCMVideoCodecType_H264
        var averageBitRate = 1_000_000
        var maxKeyFrameInterval = 30

        var encoderSpecification: CFDictionary { [:] as CFDictionary }

        func apply(to session: VTCompressionSession) {
            let properties: [(CFString, CFTypeRef)] = [
                (kVTCompressionPropertyKey_AverageBitRate, averageBitRate as CFNumber),
                (kVTCompressionPropertyKey_MaxKeyFrameInterval, maxKeyFrameInterval as CFNumber),
                (kVTCompressionPropertyKey_AllowFrameReordering, kCFBooleanFalse),
            ]
            for (key, value) in properties where VTSessionSetProperty(session, key: key, value: value) != noErr {
                print("\(key) was refused")
            }
        }
    }
}

extension VideoDecoder {
    public struct Config {
        var decoderSpecification: CFDictionary { [:] as CFDictionary }
        var imageBufferAttributes: CFDictionary? {
            [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange] as CFDictionary
        }

        func apply(to session: VTDecompressionSession) {
            VTSessionSetProperty(session, key: kVTDecompressionPropertyKey_RealTime, value: kCFBooleanFalse)
        }
    }
}

extension VTCompressionSession {
    static func create(
        size: CGSize, codecType: CMVideoCodecType, encoderSpecification: CFDictionary
    ) throws -> VTCompressionSession {
        var session: VTCompressionSession?
        let status = VTCompressionSessionCreate(
            allocator: nil, width: Int32(size.width), height: Int32(size.height), codecType: codecType,
            encoderSpecification: encoderSpecification, imageBufferAttributes: nil, compressedDataAllocator: nil,
            outputCallback: nil, refcon: nil, compressionSessionOut: &session)
        if let error = VideoTranscoderError(status: status) { throw error }
        return session!
    }

    func encodeFrame(
        _ pixelBuffer: CVPixelBuffer, presentationTimeStamp: CMTime, duration: CMTime,
        outputHandler: @escaping VTCompressionOutputHandler
    ) throws {
        var flags = VTEncodeInfoFlags()
        let status = VTCompressionSessionEncodeFrame(
            self, imageBuffer: pixelBuffer, presentationTimeStamp: presentationTimeStamp, duration: duration,
            frameProperties: nil, infoFlagsOut: &flags, outputHandler: outputHandler)
        if let error = VideoTranscoderError(status: status) { throw error }
    }
}

extension VTDecompressionSession {
    static func create(
        formatDescription: CMVideoFormatDescription, decoderSpecification: CFDictionary,
        imageBufferAttributes: CFDictionary?
    ) throws -> VTDecompressionSession {
        var session: VTDecompressionSession?
        let status = VTDecompressionSessionCreate(
            allocator: nil, formatDescription: formatDescription, decoderSpecification: decoderSpecification,
            imageBufferAttributes: imageBufferAttributes, outputCallback: nil, decompressionSessionOut: &session)
        if let error = VideoTranscoderError(status: status) { throw error }
        return session!
    }

    func decodeFrame(
        _ sampleBuffer: CMSampleBuffer, flags: VTDecodeFrameFlags, outputHandler: @escaping VTDecompressionOutputHandler
    ) throws {
        var information = VTDecodeInfoFlags()
        let status = VTDecompressionSessionDecodeFrame(
            self, sampleBuffer: sampleBuffer, flags: flags, infoFlagsOut: &information, outputHandler: outputHandler)
        if let error = VideoTranscoderError(status: status) { throw error }
    }
}
