import Testing

@testable import AVFoundation

@Suite struct ExifOrientationTests {
    @Test func exifOrientation_afterJFIF_isTheSecondMarker() {
        let jfif: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xDB]
        let stored = ExifOrientation.stored(6, inJPEG: jfif)
        #expect(Array(stored[..<10]) == [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xE1])
        #expect(Array(stored.suffix(2)) == [0xFF, 0xDB] && stored.count == jfif.count + 36)
        #expect(ExifOrientation.stored(6, inJPEG: [0xFF, 0xD8, 0xFF, 0xDB])[3] == 0xE1)
    }
}
