import Foundation
import MediaTypes

// HDR metadata in the byte layout of Core Video and Video Toolbox. HEVC's messages have the same layout (ITU-T H.265,
// D.2.28 and D.2.35), with the highest byte first.

extension MasteringDisplay {
    /// Returns nil unless there are 24 bytes.
    init?(coreVideo bytes: Data) {
        guard bytes.count == 24 else { return nil }
        let words = stride(from: 0, to: 24, by: 2).map { bytes.bigEndianWord($0) }
        func point(_ index: Int) -> Chromaticity { Chromaticity(x: words[2 * index], y: words[2 * index + 1]) }
        func long(_ index: Int) -> UInt32 { UInt32(words[index]) << 16 | UInt32(words[index + 1]) }
        self.init(
            red: point(2), green: point(0), blue: point(1), whitePoint: point(3), maximumLuminance: long(8),
            minimumLuminance: long(10))
    }

    var coreVideoBytes: Data {
        var data = Data()
        for point in [green, blue, red, whitePoint] {
            data.append(bigEndian: point.x)
            data.append(bigEndian: point.y)
        }
        data.append(bigEndian: maximumLuminance)
        data.append(bigEndian: minimumLuminance)
        return data
    }
}

extension ContentLightLevel {
    /// Returns nil unless there are 4 bytes.
    init?(coreVideo bytes: Data) {
        guard bytes.count == 4 else { return nil }
        self.init(maximum: bytes.bigEndianWord(0), maximumAverage: bytes.bigEndianWord(2))
    }

    var coreVideoBytes: Data {
        var data = Data()
        data.append(bigEndian: maximum)
        data.append(bigEndian: maximumAverage)
        return data
    }
}

extension Data {
    fileprivate func bigEndianWord(_ offset: Int) -> UInt16 {
        withUnsafeBytes { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt16.self)) }
    }

    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
