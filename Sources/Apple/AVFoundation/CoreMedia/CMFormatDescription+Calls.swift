public import Foundation
import MediaTypes

public func CMFormatDescriptionGetMediaType(_ description: CMFormatDescription) -> CMMediaType {
    description.mediaTypeCode
}
public func CMFormatDescriptionGetMediaSubType(_ description: CMFormatDescription) -> FourCharCode {
    description.subTypeCode
}
public func CMFormatDescriptionGetExtensions(_ description: CMFormatDescription) -> CFDictionary? {
    let all = description.extensionValues
    return all.isEmpty ? nil : all as NSDictionary
}
public func CMFormatDescriptionGetExtension(
    _ description: CMFormatDescription, extensionKey: CFString
) -> CFPropertyList? {
    description.extensionValues[extensionKey].map { $0 as AnyObject }
}
public func CMFormatDescriptionEqual(_ a: CMFormatDescription?, otherFormatDescription b: CMFormatDescription?) -> Bool
{
    a == b
}

public func CMVideoFormatDescriptionGetDimensions(_ description: CMVideoFormatDescription) -> CMVideoDimensions {
    description.dimensions
}
public func CMVideoFormatDescriptionGetPresentationDimensions(
    _ description: CMVideoFormatDescription, usePixelAspectRatio: Bool, useCleanAperture: Bool
) -> CGSize {
    description.presentationDimensions(
        usePixelAspectRatio: usePixelAspectRatio, useCleanAperture: useCleanAperture)
}
public func CMVideoFormatDescriptionGetCleanAperture(
    _ description: CMVideoFormatDescription, originIsAtTopLeft: Bool
) -> CGRect {
    description.cleanAperture(originIsAtTopLeft: originIsAtTopLeft)
}
public func CMVideoFormatDescriptionGetCodecType(_ description: CMVideoFormatDescription) -> CMVideoCodecType {
    description.subTypeCode
}

public func CMVideoFormatDescriptionGetExtensionKeysCommonWithImageBuffers() -> CFArray {
    CMFormatDescription.extensionKeysCommonWithImageBuffers.map(\.rawValue) as NSArray
}

/// Creates the description of a codec or pixel format that the library supports.
@discardableResult
public func CMVideoFormatDescriptionCreate(
    allocator: CFAllocator?, codecType: CMVideoCodecType, width: Int32, height: Int32, extensions: CFDictionary?,
    formatDescriptionOut: UnsafeMutablePointer<CMFormatDescription?>
) -> OSStatus {
    guard (1...32_768).contains(width), (1...32_768).contains(height) else {
        return kCMFormatDescriptionError_InvalidParameter
    }
    let extra = extensions as? [String: Any] ?? [:]
    var format: VideoFormat
    if let pixels = PixelFormat(codecType) {
        format = VideoFormat(
            pixelFormat: pixels, width: Int(width), height: Int(height),
            color: ColorDescription(isFullRange: PixelFormat.isFullRange(codecType) ?? false))
    } else {
        let codec =
            CodecCode.videoCodec(codecType)
            ?? VideoCodec(rawValue: FourCharacters(codecType).description.trimmingCharacters(in: .whitespaces))
        format = VideoFormat(
            codec: codec, width: Int(width), height: Int(height), codecTag: MediaTypes.FourCharCode(rawValue: codecType)
        )
    }
    for (key, value) in extra { format.color = ColorNames.color(format.color, with: value, for: key) ?? format.color }
    format.readShape(extra)
    if let atoms = extra["SampleDescriptionExtensionAtoms"] as? [String: Any] {
        let known = ["avcC", "hvcC", "av1C", "vpcC", "esds"]
        if let data = known.lazy.compactMap({ atoms[$0] as? Data }).first {
            format.decoderConfiguration = Array(data)
        }
    }
    formatDescriptionOut.pointee = CMFormatDescription(.video(format), code: codecType, extra: extra)
    return noErr
}

@discardableResult
public func CMVideoFormatDescriptionCreateForImageBuffer(
    allocator: CFAllocator?, imageBuffer: CVImageBuffer,
    formatDescriptionOut: UnsafeMutablePointer<CMVideoFormatDescription?>
) -> OSStatus {
    formatDescriptionOut.pointee = CMFormatDescription(.video(imageBuffer.videoFormat))
    return noErr
}

extension CVPixelBuffer {
    /// The format of the image, with the pixel aspect ratio and the clean aperture of its attachments.
    var videoFormat: VideoFormat {
        var format = pixels.videoFormat
        let keys = [kCVImageBufferPixelAspectRatioKey, kCVImageBufferCleanApertureKey]
        format.readShape(keys.reduce(into: [:]) { values, key in values[key] = attachment(key)?.value })
        return format
    }
}

extension VideoFormat {
    /// Reads the pixel aspect ratio and the clean aperture under the keys that extensions of format descriptions and
    /// attachments of image buffers share.
    fileprivate mutating func readShape(_ values: [String: Any]) {
        if let aspect = values["CVPixelAspectRatio"] as? [String: Any],
            let horizontal = (aspect["HorizontalSpacing"] as? NSNumber)?.int32Value,
            let vertical = (aspect["VerticalSpacing"] as? NSNumber)?.int32Value, horizontal > 0, vertical > 0
        {
            pixelAspectRatio = Ratio(horizontal, vertical)
        }
        if let aperture = values[kCMFormatDescriptionExtension_CleanAperture] as? [String: Any],
            let width = (aperture[kCMFormatDescriptionKey_CleanApertureWidth] as? NSNumber)?.int32Value,
            let height = (aperture[kCMFormatDescriptionKey_CleanApertureHeight] as? NSNumber)?.int32Value, width > 0,
            height > 0
        {
            func offset(_ key: CFString) -> Int32 { (aperture[key] as? NSNumber)?.int32Value ?? 0 }
            cleanAperture = CleanAperture(
                width: width, height: height,
                horizontalOffset: offset(kCMFormatDescriptionKey_CleanApertureHorizontalOffset),
                verticalOffset: offset(kCMFormatDescriptionKey_CleanApertureVerticalOffset))
        }
    }
}

public func CMVideoFormatDescriptionMatchesImageBuffer(
    _ description: CMVideoFormatDescription, imageBuffer: CVImageBuffer
) -> Bool {
    guard let format = description.engine.video else { return false }
    let other = imageBuffer.pixels.videoFormat
    // RGB has no range, and its matrix has no name.
    let isSameRange = other.pixelFormat?.isRGB ?? false || format.color.isFullRange == other.color.isFullRange
    return format.pixelFormat == other.pixelFormat && format.width == other.width && format.height == other.height
        && isSameRange && ColorNames.attachments(of: format.color) == ColorNames.attachments(of: other.color)
}

@discardableResult
public func CMAudioFormatDescriptionCreate(
    allocator: CFAllocator?, asbd: UnsafePointer<AudioStreamBasicDescription>, layoutSize: Int,
    layout: UnsafePointer<AudioChannelLayout>?, magicCookieSize: Int, magicCookie: UnsafeRawPointer?,
    extensions: CFDictionary?, formatDescriptionOut: UnsafeMutablePointer<CMAudioFormatDescription?>
) -> OSStatus {
    guard var format = asbd.pointee.format else { return kCMFormatDescriptionError_InvalidParameter }
    if let magicCookie, magicCookieSize > 0 {
        format.decoderConfiguration = Array(UnsafeRawBufferPointer(start: magicCookie, count: magicCookieSize))
    }
    if let layout, layoutSize >= MemoryLayout<UInt32>.size * 3 {
        let bytes = Data(bytes: layout, count: layoutSize)
        if let known = ChannelLayout(coreAudio: bytes, isPCM: format.codec == .linearPCM) { format.layout = known }
    }
    formatDescriptionOut.pointee = CMFormatDescription(
        .audio(format), code: asbd.pointee.mFormatID, extra: extensions as? [String: Any] ?? [:], stream: asbd.pointee)
    return noErr
}

/// Returns a pointer to the audio format, which is valid while the description exists.
public func CMAudioFormatDescriptionGetStreamBasicDescription(
    _ description: CMAudioFormatDescription
) -> UnsafePointer<AudioStreamBasicDescription>? {
    description.audio.map { UnsafeRawPointer($0).assumingMemoryBound(to: AudioStreamBasicDescription.self) }
}

@discardableResult
public func CMFormatDescriptionCreate(
    allocator: CFAllocator?, mediaType: CMMediaType, mediaSubType: FourCharCode, extensions: CFDictionary?,
    formatDescriptionOut: UnsafeMutablePointer<CMFormatDescription?>
) -> OSStatus {
    guard mediaType == fourCC("text") else { return kCMFormatDescriptionError_InvalidParameter }
    formatDescriptionOut.pointee = CMFormatDescription(.text(TextFormat()), extra: extensions as? [String: Any] ?? [:])
    return noErr
}
public func CMFormatDescriptionGetTypeID() -> CFTypeID { 4 }
