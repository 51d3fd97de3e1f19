import CTurboJPEG
import MediaTypes

/// Decodes JPEG files of any size and chroma subsampling to RGB or gray, with TurboJPEG.
enum StillJPEGDecoder {
    /// - Throws: `corruptData` for a damaged or truncated file, `unsupported` for CMYK and for an image that is too
    ///   large.
    static func decode(_ jpeg: UnsafeRawBufferPointer) throws(MediaError) -> DecodedStill {
        let action = "cannot decode a JPEG file"
        guard let handle = tjInitDecompress() else {
            throw MediaError(.codecFailure, action, reason: "out of memory")
        }
        defer { tjDestroy(handle) }
        var message: String { String(cString: tjGetErrorStr2(handle)) }
        func damaged(_ reason: String) -> MediaError {
            MediaError(
                .corruptData, action, reason: reason, underlying: .other("TurboJPEG", tjGetErrorCode(handle)))
        }
        var (width, height, subsampling, colorspace): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        let bytes = jpeg.bindMemory(to: UInt8.self).baseAddress
        let header = tjDecompressHeader3(
            handle, bytes, UInt(jpeg.count), &width, &height, &subsampling, &colorspace)
        guard header == 0 || JPEGWarning.isHarmless(handle, jpeg) else { throw damaged(message) }
        guard width > 0, height > 0 else { throw damaged("it contains no image") }
        guard colorspace != Int32(TJCS_CMYK.rawValue), colorspace != Int32(TJCS_YCCK.rawValue) else {
            throw MediaError(.unsupported, action, reason: "its colors are CMYK")
        }
        guard Int(width) * Int(height) <= DecodedStill.largestPixelCount else {
            throw MediaError(.unsupported, action, reason: "\(width)×\(height) is too large")
        }
        // In Huffman coding, each block of 8×8 pixels needs at least one bit. A shorter file is refused here, because a
        // hundred bytes that claim a large image would take seconds and gigabytes to decode.
        let blocks = (Int(width) + 7) / 8 * ((Int(height) + 7) / 8)
        guard jpeg.count >= blocks / 8 || StillImageHeader(jpeg)?.usesArithmeticCoding == true else {
            throw damaged("it is too short for \(width)×\(height)")
        }
        let isGray = colorspace == Int32(TJCS_GRAY.rawValue)
        let target = MutablePixelBuffer(
            layout: PixelLayout(
                format: isGray ? .gray8 : .rgba, width: Int(width), height: Int(height), alignment: 64),
            color: DecodedStill.color)
        let result = tjDecompress2(
            handle, bytes, UInt(jpeg.count), target.plane(0).bindMemory(to: UInt8.self).baseAddress, width,
            Int32(clamping: target.layout.planes[0].bytesPerRow), height,
            isGray ? Int32(TJPF_GRAY.rawValue) : Int32(TJPF_RGBA.rawValue), Int32(TJFLAG_LIMITSCANS))
        guard result == 0 || JPEGWarning.isHarmless(handle, jpeg) else { throw damaged(message) }
        return DecodedStill(pixels: target.finish(), hasAlpha: false)
    }
}
