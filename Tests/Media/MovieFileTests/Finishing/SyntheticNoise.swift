import MovieFile
import TestSupport

/// Noise that resembles atoms: it contains small numbers and known types, so that parsers get further.
enum SyntheticNoise {
    private static let types = ["moov", "moof", "traf", "tfhd", "tfdt", "trun", "elst", "keys", "ilst", "data", "mdat"]

    static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var bytes = SyntheticMedia.noise(count, seed: seed)
        var position = 0
        while position + 8 < count {
            let choice = Int(bytes[position + 3])
            if choice < 200 {
                bytes[position] = 0
                bytes[position + 1] = 0
                bytes[position + 2] = 0
                bytes[position + 3] = UInt8(8 + choice % 64)
                bytes.replaceSubrange((position + 4)..<(position + 8), with: types[choice % types.count].utf8)
            }
            position += 8 + choice % 24
        }
        return bytes
    }
}
