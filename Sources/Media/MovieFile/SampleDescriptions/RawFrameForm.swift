package import MediaTypes

/// QuickTime's form of raw frames: the pixel formats that have a code, and the layout of their rows.
package enum RawFrameForm {
    /// Returns the code of the sample description; nil if there is none. `raw ` is R G B with 24 bits and A R G B with
    /// 32 (QTFF, "Video sample description"). TN2162 defines `2vuy` and `yuvs`.
    static func code(_ format: PixelFormat) -> FourCharCode? {
        switch format {
        case .yuyv: "yuvs"
        case .uyvy: "2vuy"
        case .bgra: "BGRA"
        case .rgba: "RGBA"
        case .argb, .rgb24: "raw "
        default: nil
        }
    }

    package static func isStored(_ format: PixelFormat) -> Bool { code(format) != nil }

    /// Returns the bits per pixel as the description counts them: 24, or 32 with alpha.
    static func depth(_ format: PixelFormat) -> UInt16 {
        switch format {
        case .bgra, .rgba, .argb: 32
        default: 24
        }
    }

    /// Returns the sample of a frame: its rows one after the other, each with an even number of bytes. Shares the
    /// frame's memory if it already has that layout.
    ///
    /// - Precondition: `isStored(frame.format)`, and the frame's plane is large enough for all its rows.
    package static func sample(of frame: PixelBuffer) -> MediaData {
        let least = PixelLayout(format: frame.format, width: frame.width, height: frame.height).planes[0]
        let (used, rowBytes) = (least.bytesPerRow, (least.bytesPerRow + 1) / 2 * 2)
        let (rows, stride) = (frame.plane(0), frame.layout.planes[0].bytesPerRow)
        if stride == rowBytes {
            let bytes = UnsafeRawBufferPointer(rebasing: rows[..<(rowBytes * frame.height)])
            return MediaData(borrowing: bytes, keeping: frame.data)
        }
        return MediaData(byteCount: rowBytes * frame.height) { target in
            for row in 0..<frame.height {
                let from = UnsafeRawBufferPointer(rebasing: rows[(row * stride)..<(row * stride + used)])
                UnsafeMutableRawBufferPointer(rebasing: target[(row * rowBytes)...]).copyMemory(from: from)
                for pad in used..<rowBytes { target[row * rowBytes + pad] = 0 }
            }
        }
    }
}
