/// Stores the orientation with which an image is shown in a JPEG file.
enum ExifOrientation {
    /// Returns the file with the orientation in an APP1 marker: "Exif", two zeros, and a TIFF directory with one entry
    /// (Exif 2.3, 4.5.2 and 4.6.4). The marker follows that of JFIF, which must be the first one.
    ///
    /// - Parameter orientation: the number that cameras store, 1 to 8.
    static func stored(_ orientation: UInt8, inJPEG file: [UInt8]) -> [UInt8] {
        let tiff: [UInt8] =
            [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]
            // One entry: tag 0x0112, a short number, once.
            + [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
            // No further directory.
            + [0, 0, 0, 0]
        let data = Array("Exif".utf8) + [0, 0] + tiff
        let marker = [0xFF, 0xE1, 0, UInt8(data.count + 2)] + data
        var place = 2
        if file.count > 6, file[2] == 0xFF, file[3] == 0xE0 { place += 2 + Int(file[4]) << 8 + Int(file[5]) }
        guard place <= file.count else { return file }
        var stored = file
        stored.insert(contentsOf: marker, at: place)
        return stored
    }
}
