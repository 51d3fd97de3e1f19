package import MediaTypes

/// How QuickTime stores raw pictures: which layouts it has a code for, and how their rows lie.
package enum RawPictureForm {
    /// The code of the sample description (QTFF, "Video sample description": `raw ` is R G B with 24 bits and A R G B with 32;
    /// TN2162: `2vuy` and `yuvs`); nil: there is none.
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

    /// Bits of a pixel as the description counts them: 24, or 32 with alpha.
    static func depth(_ format: PixelFormat) -> UInt16 {
        switch format {
        case .bgra, .rgba, .argb: 32
        default: 24
        }
    }

    /// The sample of a picture: its rows one behind the other, each of an even number of bytes. Shares the picture's memory where
    /// it lies so already.
    ///
    /// - Precondition: the layout holds the whole picture, and `isStored`.
    package static func sample(of picture: PixelBuffer) -> MediaData {
        let least = PixelLayout(format: picture.format, width: picture.width, height: picture.height).planes[0]
        let (used, rowBytes) = (least.bytesPerRow, (least.bytesPerRow + 1) / 2 * 2)
        let (rows, stride) = (picture.plane(0), picture.layout.planes[0].bytesPerRow)
        if stride == rowBytes {
            let bytes = UnsafeRawBufferPointer(rebasing: rows[..<(rowBytes * picture.height)])
            return MediaData(borrowing: bytes, keeping: picture.data)
        }
        return MediaData(byteCount: rowBytes * picture.height) { target in
            for row in 0..<picture.height {
                let from = UnsafeRawBufferPointer(rebasing: rows[(row * stride)..<(row * stride + used)])
                UnsafeMutableRawBufferPointer(rebasing: target[(row * rowBytes)...]).copyMemory(from: from)
                for pad in used..<rowBytes { target[row * rowBytes + pad] = 0 }
            }
        }
    }
}
