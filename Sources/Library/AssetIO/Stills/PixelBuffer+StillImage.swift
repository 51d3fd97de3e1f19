import MediaCodecs
public import MediaTypes

extension PixelBuffer {
    /// Returns the frame as the content of an image file. Blocks while it is compressed, some 10 ms for a JPEG of
    /// 1920×1080.
    ///
    /// - Parameter quality: the JPEG quality, 1 to 100.
    /// - Throws: `invalidSample` for planes too small for the frame, `codecFailure` for a size beyond the format's
    ///   limit.
    public func encoded(as format: StillImageFormat, quality: Int = 90) throws(MediaError) -> MediaData {
        try StillImageEncoder().encode(self, as: format, quality: quality)
    }
}

extension PixelBuffer {
    /// Decodes a camera's JPEG. Blocks while it is decoded.
    ///
    /// - Throws: `corruptData`, and `invalidSample` for a different size than the format's.
    package static func decoding(jpeg: MediaData, of format: FormatDescription) throws(MediaError) -> PixelBuffer {
        let video = format.video
        return try JPEGDecoder(width: video?.width ?? 0, height: video?.height ?? 0).decode(jpeg.bytes)
    }
    /// Decodes a keyframe without the frames around it. Blocks while it is decoded, some 50 ms for 3840×2160.
    ///
    /// - Parameter sample: a packet as a movie file stores it, with the decoder configuration in its format.
    /// - Throws: `corruptData` for damage and for a packet without a complete frame, `unsupported` for a codec that
    ///   this build cannot decode.
    package static func decoding(keyframe sample: SampleBuffer) throws(MediaError) -> PixelBuffer {
        guard let video = sample.format.video else {
            throw MediaError(.invalidSample, "cannot decode a keyframe", reason: "it is not video")
        }
        let decoder = try VideoDecoder(
            format: video, hints: DecoderHints(codecName: video.codec.rawValue), timeScale: 1_000_000,
            pixelFormat: nil, sharesMemory: false, threadCount: 1)
        var decoded: PixelBuffer?
        func keep(_ frame: SampleBuffer) {
            if decoded == nil, case .pixels(let pixels) = frame.content { decoded = pixels }
        }
        try decoder.decode(CodedSample(sample)) { keep($0) }
        if decoded == nil { try decoder.finish { keep($0) } }
        guard let decoded else {
            throw MediaError(.corruptData, "cannot decode a keyframe", reason: "it contains no complete frame")
        }
        return decoded
    }
}
