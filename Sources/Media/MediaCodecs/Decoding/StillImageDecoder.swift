package import MediaTypes

/// Decodes image files: PNG with libavcodec and JPEG with TurboJPEG. The orientation that a camera stored in the file
/// is not applied.
package enum StillImageDecoder {
    /// - Throws: `corruptData` for a damaged or truncated file, `unsupported` for JPEG files of CMYK.
    package static func decode(_ file: MediaData, as format: StillImageFormat) throws(MediaError) -> DecodedStill {
        switch format {
        case .png: try StillPNGDecoder.decode(file)
        case .jpeg: try StillJPEGDecoder.decode(file.bytes)
        }
    }
}
