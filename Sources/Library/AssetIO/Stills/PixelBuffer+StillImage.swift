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
    /// - Throws: `corruptData`, and `invalidSample` for another size than the format's.
    package static func decoding(jpeg: MediaData, of format: FormatDescription) throws(MediaError) -> PixelBuffer {
        let video = format.video
        return try JPEGDecoder(width: video?.width ?? 0, height: video?.height ?? 0).decode(jpeg.bytes)
    }
}
