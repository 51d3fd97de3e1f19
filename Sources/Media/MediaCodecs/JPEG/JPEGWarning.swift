import CTurboJPEG

/// Decides what a warning of TurboJPEG means for the image.
enum JPEGWarning {
    /// Returns true if the image is complete in spite of the decoder's warning. This is the case if the camera has put
    /// stray bytes between two markers, because the decoder skips such bytes.
    ///
    /// TurboJPEG keeps only its first warning. A truncated image may have stray bytes too, so this function also checks
    /// that the end of the image is present.
    static func isHarmless(_ handle: tjhandle, _ jpeg: UnsafeRawBufferPointer) -> Bool {
        tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue)
            && String(cString: tjGetErrorStr2(handle)).contains("extraneous bytes") && hasEnd(jpeg)
    }

    /// Returns true if the last start of a scan is followed by the end of the image. Neither marker can be in the data
    /// of a scan (ITU-T T.81, B.1.1.5).
    private static func hasEnd(_ jpeg: UnsafeRawBufferPointer) -> Bool {
        var place = jpeg.count - 2
        while place >= 0 {
            if jpeg[place] == 0xFF {
                if jpeg[place + 1] == 0xD9 { return true }
                if jpeg[place + 1] == 0xDA { return false }
            }
            place -= 1
        }
        return false
    }
}
