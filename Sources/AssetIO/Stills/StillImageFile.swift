import MediaCodecs
public import MediaTypes

extension PixelBuffer {
    /// The picture as a file of one picture. Blocks while it is compressed, some 10 ms for a JPEG of 1920×1080.
    ///
    /// - Parameter quality: of JPEG, 1 to 100.
    /// - Throws: `invalidSample` for planes too small for the picture, `codecFailure` for a size beyond the format's.
    public func encoded(as format: StillImageFormat, quality: Int = 90) throws(MediaError) -> MediaData {
        try StillImageEncoder().encode(self, as: format, quality: quality)
    }
}
