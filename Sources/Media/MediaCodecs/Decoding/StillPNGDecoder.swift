import CFFmpeg
import MediaTypes

/// Decodes PNG files with libavcodec. All color types are supported; 16-bit samples are reduced to eight bits.
enum StillPNGDecoder {
    /// - Throws: `corruptData` for a damaged or truncated file, and for an image that is too large.
    static func decode(_ png: MediaData) throws(MediaError) -> DecodedStill {
        let decoder = try DecoderContext(codec: "png", decoderConfiguration: [], timeScale: 1) { context in
            context.pointee.max_pixels = Int64(DecodedStill.largestPixelCount)
        }
        guard let frame = av_frame_alloc() else {
            throw MediaError(.codecFailure, "cannot decode a PNG file", reason: "out of memory")
        }
        defer { frame.free() }
        let sample = SampleBuffer(
            format: .video(VideoFormat(codec: .png, width: 0, height: 0)), content: .data(imageOnly(png)),
            presentationTime: .zero)
        var first: DecodedStill?
        func keepFirst() throws(MediaError) {
            if first == nil { first = try still(frame.pointee) }
            av_frame_unref(frame)
        }
        try decoder.decode(CodedSample(sample), frame: frame) { () throws(MediaError) in try keepFirst() }
        try decoder.decode(nil, frame: frame) { () throws(MediaError) in try keepFirst() }
        guard let image = first else {
            throw MediaError(.corruptData, "cannot decode a PNG file", reason: "it contains no image")
        }
        return image
    }

    /// The chunks that are needed to decode the pixels. All others are removed, because libavcodec also decompresses
    /// texts and color profiles, and kilobytes of them may become gigabytes. IEND is removed because at IEND libavcodec
    /// returns an image even if rows are missing. Without IEND, libavcodec reports missing rows as damage.
    private static let neededChunks: Set<String> = ["IHDR", "PLTE", "tRNS", "IDAT"]

    /// Returns the needed chunks of the file, up to IEND. A chunk is a length, a type, data and a checksum (ISO/IEC
    /// 15948, 5.3).
    private static func imageOnly(_ png: MediaData) -> MediaData {
        let bytes = png.bytes
        var place = min(8, bytes.count)
        var kept = [0..<place]
        while place <= bytes.count - 8 {
            let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            let end = min(bytes.count, place + 12 + length)
            let type = String(decoding: bytes[place + 4..<place + 8], as: UTF8.self)
            if type == "IEND" { break }
            if neededChunks.contains(type) { kept.append(place..<end) }
            place = end
        }
        let count = kept.reduce(0) { $0 + $1.count }
        guard count < bytes.count else { return png }
        return MediaData(byteCount: count) { target in
            var filled = 0
            for part in kept {
                UnsafeMutableRawBufferPointer(rebasing: target[filled...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[part]))
                filled += part.count
            }
        }
    }

    private static func still(_ frame: AVFrame) throws(MediaError) -> DecodedStill {
        let format = AVPixelFormat(rawValue: frame.format)
        switch format {
        case AV_PIX_FMT_YA8: return DecodedStill(pixels: grayWithAlpha(frame, bytes: 1), hasAlpha: true)
        case AV_PIX_FMT_YA16BE: return DecodedStill(pixels: grayWithAlpha(frame, bytes: 2), hasAlpha: true)
        default: break
        }
        let fields = av_pix_fmt_desc_get(format)?.pointee
        func has(_ flag: Int32) -> Bool { (fields?.flags ?? 0) & UInt64(flag) != 0 }
        let isGray = fields?.nb_components == 1 && !has(AV_PIX_FMT_FLAG_RGB) && !has(AV_PIX_FMT_FLAG_PAL)
        let wanted: PixelFormat = isGray ? .gray8 : .rgba
        let imported = try FrameImporter().decodedFrame(frame, color: DecodedStill.color, wanted: wanted)
        let pixels = try PixelConverter().convert(imported, to: wanted)
        let hasAlpha = has(AV_PIX_FMT_FLAG_PAL) ? hasAlphaInPalette(frame) : has(AV_PIX_FMT_FLAG_ALPHA)
        return DecodedStill(pixels: pixels, hasAlpha: hasAlpha)
    }

    /// A palette has 256 entries of four bytes: blue, green, red, alpha.
    private static func hasAlphaInPalette(_ frame: AVFrame) -> Bool {
        guard let palette = frame.data.1 else { return false }
        return (0..<256).contains { palette[4 * $0 + 3] != 255 }
    }

    /// - Parameter bytes: the number of bytes of a component. Only the first byte is used.
    private static func grayWithAlpha(_ frame: AVFrame, bytes: Int) -> PixelBuffer {
        let (width, height) = (Int(max(0, frame.width)), Int(max(0, frame.height)))
        let target = MutablePixelBuffer(
            layout: PixelLayout(format: .rgba, width: width, height: height), color: DecodedStill.color)
        let to = target.plane(0)
        guard let data = frame.data.0 else { return target.finish() }
        for row in 0..<height {
            let from = data + row * Int(frame.linesize.0)
            for column in 0..<width {
                let (gray, alpha) = (from[2 * bytes * column], from[2 * bytes * column + bytes])
                let place = 4 * (row * width + column)
                (to[place], to[place + 1], to[place + 2], to[place + 3]) = (gray, gray, gray, alpha)
            }
        }
        return target.finish()
    }
}
