package import MediaTypes

/// The properties of an image file that are known without decoding the image.
package struct StillImageHeader: Sendable, Hashable {
    package let format: StillImageFormat
    package let width: Int
    package let height: Int
    /// Bits of one component, as stored.
    package let bitDepth: Int
    package let isGray: Bool
    package let hasAlpha: Bool
    /// The orientation that a camera stored in the file (Exif 2.3, 4.6.4), from 1 to 8; nil if there is none.
    package let orientation: Int?
    /// True for a JPEG with arithmetic coding, which may need less than one bit for a block of pixels.
    let usesArithmeticCoding: Bool

    /// Returns the format according to the file's first bytes; nil for formats other than PNG and JPEG.
    package static func format(of file: UnsafeRawBufferPointer) -> StillImageFormat? {
        if file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        return file.starts(with: [0xFF, 0xD8, 0xFF]) ? .jpeg : nil
    }

    /// Reads the header. Returns nil for other formats, and for a file that is damaged or ends within its header.
    package init?(_ file: UnsafeRawBufferPointer) {
        switch Self.format(of: file) {
        case .png: self.init(png: StillImageBytes(file))
        case .jpeg: self.init(jpeg: StillImageBytes(file))
        case nil: return nil
        }
    }

    /// Reads a PNG file (ISO/IEC 15948). It consists of chunks, each with a length, a type, data and a checksum. IHDR
    /// is the first chunk.
    private init?(png bytes: StillImageBytes) {
        guard bytes.text(at: 12) == "IHDR", let width = bytes.number(at: 16, count: 4),
            let height = bytes.number(at: 20, count: 4), let depth = bytes.number(at: 24, count: 1),
            let color = bytes.number(at: 25, count: 1), width > 0, height > 0
        else { return nil }
        var isTransparent = color == 4 || color == 6
        var place = 8
        // A transparent color or the palette's alpha is stored before the pixels.
        while !isTransparent, let count = bytes.number(at: place, count: 4), let type = bytes.text(at: place + 4) {
            if type == "IDAT" || type == "IEND" { break }
            isTransparent = type == "tRNS"
            place += 12 + count
        }
        (format, self.width, self.height) = (.png, width, height)
        // A palette has components of eight bits, independent of the size of its indices.
        bitDepth = color == 3 ? 8 : depth
        isGray = color == 0 || color == 4
        hasAlpha = isTransparent
        orientation = nil
        usesArithmeticCoding = false
    }

    /// Reads a JPEG file (ITU-T T.81, B.2). It consists of markers with lengths, up to the frame header.
    private init?(jpeg bytes: StillImageBytes) {
        var place = 2
        var orientation: Int?
        while let marker = bytes.number(at: place, count: 2), marker >> 8 == 0xFF {
            // Bytes before a marker may be 0xFF.
            if marker == 0xFFFF {
                place += 1
                continue
            }
            guard let count = bytes.number(at: place + 2, count: 2), count >= 2 else { return nil }
            // SOF0 to SOF15 without DHT, JPG and DAC.
            if (0xFFC0...0xFFCF).contains(marker), ![0xFFC4, 0xFFC8, 0xFFCC].contains(marker) {
                guard let depth = bytes.number(at: place + 4, count: 1),
                    let height = bytes.number(at: place + 5, count: 2),
                    let width = bytes.number(at: place + 7, count: 2),
                    let components = bytes.number(at: place + 9, count: 1), width > 0, height > 0
                else { return nil }
                (format, self.width, self.height, bitDepth) = (.jpeg, width, height, depth)
                (isGray, hasAlpha, self.orientation) = (components == 1, false, orientation)
                // SOF9 to SOF15.
                usesArithmeticCoding = marker > 0xFFC8
                return
            }
            if marker == 0xFFE1, orientation == nil {
                orientation = bytes.part(at: place + 4, count: count - 2)?.exifOrientation
            }
            place += 2 + count
        }
        return nil
    }
}

/// Bytes of an image file. Reads beyond their end return nil.
private struct StillImageBytes {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Returns an unsigned number of at most four bytes; nil at the end of the bytes.
    func number(at place: Int, count: Int, isLittle: Bool = false) -> Int? {
        guard place >= 0, count <= 4, place <= bytes.count - count else { return nil }
        var value = 0
        for index in 0..<count { value = value << 8 | Int(bytes[place + (isLittle ? count - 1 - index : index)]) }
        return value
    }

    /// Returns four characters.
    func text(at place: Int) -> String? {
        guard place >= 0, place <= bytes.count - 4 else { return nil }
        return String(decoding: bytes[place..<place + 4], as: UTF8.self)
    }

    func part(at place: Int, count: Int) -> StillImageBytes? {
        guard place >= 0, count >= 0, place <= bytes.count - count else { return nil }
        return StillImageBytes(UnsafeRawBufferPointer(rebasing: bytes[place..<place + count]))
    }

    /// The orientation in the data of an APP1 marker: "Exif", two zeros, and a TIFF directory (TIFF 6.0, section 2).
    var exifOrientation: Int? {
        guard text(at: 0) == "Exif", let tiff = part(at: 6, count: bytes.count - 6), let order = tiff.text(at: 0) else {
            return nil
        }
        let isLittle = order.hasPrefix("II")
        guard isLittle || order.hasPrefix("MM"), let directory = tiff.number(at: 4, count: 4, isLittle: isLittle),
            let entries = tiff.number(at: directory, count: 2, isLittle: isLittle)
        else { return nil }
        for index in 0..<entries {
            let entry = directory + 2 + 12 * index
            guard let tag = tiff.number(at: entry, count: 2, isLittle: isLittle) else { return nil }
            if tag == 0x0112 {
                let value = tiff.number(at: entry + 8, count: 2, isLittle: isLittle)
                return value.flatMap { (1...8).contains($0) ? $0 : nil }
            }
        }
        return nil
    }
}
