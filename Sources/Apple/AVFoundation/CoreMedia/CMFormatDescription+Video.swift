public import Foundation
import MediaCodecs
import MediaTypes

/// Creates the description from H.264's parameter sets, without start codes.
///
/// - Parameter nalUnitHeaderLength: the size in bytes of the length field before each NAL unit of a sample: 1, 2 or 4.
@discardableResult
public func CMVideoFormatDescriptionCreateFromH264ParameterSets(
    allocator: CFAllocator?, parameterSetCount: Int, parameterSetPointers: UnsafePointer<UnsafePointer<UInt8>>,
    parameterSetSizes: UnsafePointer<Int>, nalUnitHeaderLength: Int32,
    formatDescriptionOut: UnsafeMutablePointer<CMFormatDescription?>
) -> OSStatus {
    let sets = ParameterSetCollection.copied(parameterSetCount, parameterSetPointers, parameterSetSizes)
    guard let record = ParameterSets.h264Record(sets, lengthSize: Int(nalUnitHeaderLength)) else {
        return kCMFormatDescriptionError_InvalidParameter
    }
    formatDescriptionOut.pointee = CMFormatDescription(record, .h264, code: kCMVideoCodecType_H264, extra: [:])
    return noErr
}

@discardableResult
public func CMVideoFormatDescriptionCreateFromHEVCParameterSets(
    allocator: CFAllocator?, parameterSetCount: Int, parameterSetPointers: UnsafePointer<UnsafePointer<UInt8>>,
    parameterSetSizes: UnsafePointer<Int>, nalUnitHeaderLength: Int32, extensions: CFDictionary?,
    formatDescriptionOut: UnsafeMutablePointer<CMFormatDescription?>
) -> OSStatus {
    let sets = ParameterSetCollection.copied(parameterSetCount, parameterSetPointers, parameterSetSizes)
    guard let record = ParameterSets.hevcRecord(sets, lengthSize: Int(nalUnitHeaderLength)) else {
        return kCMFormatDescriptionError_InvalidParameter
    }
    formatDescriptionOut.pointee = CMFormatDescription(
        record, .hevc, code: kCMVideoCodecType_HEVC, extra: extensions as? [String: Any] ?? [:])
    return noErr
}

/// Returns a pointer to a parameter set, which is valid while the description exists.
@discardableResult
public func CMVideoFormatDescriptionGetH264ParameterSetAtIndex(
    _ description: CMFormatDescription, parameterSetIndex: Int,
    parameterSetPointerOut: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    parameterSetSizeOut: UnsafeMutablePointer<Int>?,
    parameterSetCountOut: UnsafeMutablePointer<Int>?, nalUnitHeaderLengthOut: UnsafeMutablePointer<Int32>?
) -> OSStatus {
    guard description.engine.video?.codec == .h264 else { return kCMFormatDescriptionError_InvalidParameter }
    return description.parameterSet(
        parameterSetIndex, parameterSetPointerOut, parameterSetSizeOut, parameterSetCountOut, nalUnitHeaderLengthOut)
}

@discardableResult
public func CMVideoFormatDescriptionGetHEVCParameterSetAtIndex(
    _ description: CMFormatDescription, parameterSetIndex: Int,
    parameterSetPointerOut: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    parameterSetSizeOut: UnsafeMutablePointer<Int>?,
    parameterSetCountOut: UnsafeMutablePointer<Int>?, nalUnitHeaderLengthOut: UnsafeMutablePointer<Int32>?
) -> OSStatus {
    guard description.engine.video?.codec == .hevc else { return kCMFormatDescriptionError_InvalidParameter }
    return description.parameterSet(
        parameterSetIndex, parameterSetPointerOut, parameterSetSizeOut, parameterSetCountOut, nalUnitHeaderLengthOut)
}

private typealias ParameterSetCollection = CMFormatDescription.ParameterSetCollection

extension CMFormatDescription {
    /// The parameter sets of H.264 or HEVC. Their memory is valid as long as the collection exists.
    public struct ParameterSetCollection: RandomAccessCollection {
        let data: MediaData?
        let ranges: [Range<Int>]
        let lengthSize: Int?

        public var startIndex: Int { 0 }
        public var endIndex: Int { ranges.count }
        public subscript(index: Int) -> UnsafeBufferPointer<UInt8> {
            guard let data else { return UnsafeBufferPointer(start: nil, count: 0) }
            return UnsafeRawBufferPointer(rebasing: data.bytes[ranges[index]]).assumingMemoryBound(to: UInt8.self)
        }

        fileprivate static func copied(
            _ count: Int, _ pointers: UnsafePointer<UnsafePointer<UInt8>>, _ sizes: UnsafePointer<Int>
        ) -> [[UInt8]] {
            (0..<Swift.max(0, count)).compactMap { index in
                sizes[index] > 0 ? Array(UnsafeBufferPointer(start: pointers[index], count: sizes[index])) : nil
            }
        }
    }

    public var parameterSets: ParameterSetCollection {
        let found = configuration.flatMap { data in
            switch engine.video?.codec {
            case .h264: ParameterSets.h264Sets(Array(data.bytes))
            case .hevc: ParameterSets.hevcSets(Array(data.bytes))
            default: nil
            }
        }
        return ParameterSetCollection(data: configuration, ranges: found?.sets ?? [], lengthSize: found?.lengthSize)
    }

    /// The size in bytes of the length field before each NAL unit of a sample; nil for codecs other than H.264 and
    /// HEVC.
    public var nalUnitHeaderLength: Int? { parameterSets.lengthSize }

    fileprivate func parameterSet(
        _ index: Int, _ pointer: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ size: UnsafeMutablePointer<Int>?,
        _ count: UnsafeMutablePointer<Int>?, _ headerLength: UnsafeMutablePointer<Int32>?
    ) -> OSStatus {
        let sets = parameterSets
        guard let lengthSize = sets.lengthSize else { return kCMFormatDescriptionError_ValueNotAvailable }
        count?.pointee = sets.count
        headerLength?.pointee = Int32(lengthSize)
        guard sets.indices.contains(index) else { return kCMFormatDescriptionError_InvalidParameter }
        pointer?.pointee = sets[index].baseAddress
        size?.pointee = sets[index].count
        return noErr
    }

    fileprivate convenience init(
        _ record: ParameterSets.Record, _ codec: VideoCodec, code: FourCharCode, extra: [String: Any]
    ) {
        var format = VideoFormat(
            codec: codec, width: record.width, height: record.height, codecTag: MediaTypes.FourCharCode(rawValue: code))
        format.decoderConfiguration = record.bytes
        self.init(.video(format), code: code, extra: extra)
    }

    // MARK: Creation

    public convenience init(
        videoCodecType: MediaSubType, width: Int, height: Int, extensions: Extensions? = nil
    ) throws {
        self.init(
            like: try Self.made { out in
                CMVideoFormatDescriptionCreate(
                    allocator: nil, codecType: videoCodecType.rawValue, width: Int32(clamping: width),
                    height: Int32(clamping: height), extensions: extensions?.dictionary, formatDescriptionOut: out)
            })
    }

    public convenience init(imageBuffer: CVImageBuffer) throws {
        self.init(.video(imageBuffer.videoFormat))
    }

    public convenience init(h264ParameterSets: [Data], nalUnitHeaderLength: Int = 4) throws {
        let sets = h264ParameterSets.map { [UInt8]($0) }
        guard let record = ParameterSets.h264Record(sets, lengthSize: nalUnitHeaderLength) else {
            throw Error.invalidParameter
        }
        self.init(record, .h264, code: kCMVideoCodecType_H264, extra: [:])
    }

    public convenience init(
        hevcParameterSets: [Data], nalUnitHeaderLength: Int = 4, extensions: Extensions? = nil
    ) throws {
        let sets = hevcParameterSets.map { [UInt8]($0) }
        guard let record = ParameterSets.hevcRecord(sets, lengthSize: nalUnitHeaderLength) else {
            throw Error.invalidParameter
        }
        self.init(record, .hevc, code: kCMVideoCodecType_HEVC, extra: extensions?.all ?? [:])
    }

    public func matchesImageBuffer(_ imageBuffer: CVImageBuffer) -> Bool {
        CMVideoFormatDescriptionMatchesImageBuffer(self, imageBuffer: imageBuffer)
    }

    public static var extensionKeysCommonWithImageBuffers: [Extensions.Key] {
        [
            .cleanAperture, .fieldCount, .fieldDetail, .pixelAspectRatio, .colorPrimaries, .transferFunction,
            .gammaLevel, .yCbCrMatrix, .iccProfile, .bytesPerRow, .chromaLocationTopField, .chromaLocationBottomField,
        ]
    }
}
