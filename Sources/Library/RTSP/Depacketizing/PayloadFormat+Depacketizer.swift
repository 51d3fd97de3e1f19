import Foundation
package import MediaTypes

extension PayloadFormat {
    /// Creates the depacketizer for this format.
    ///
    /// - Throws: An error if the encoding, or a parameter of it, is not supported.
    package func makeDepacketizer() throws(MediaError) -> any Depacketizer {
        switch encoding {
        case "H264": return H264Depacketizer(sets: sets("sprop-parameter-sets"))
        case "H265", "HEVC":
            let sets = sets("sprop-vps") + sets("sprop-sps") + sets("sprop-pps")
            return H265Depacketizer(sets: sets, isNumbered: parameters.number("sprop-max-don-diff") ?? 0 > 0)
        case "JPEG": return JPEGDepacketizer()
        case "MPEG4-GENERIC": return try AACDepacketizer(self)
        case "OPUS": return OpusDepacketizer(self)
        default:
            guard let depacketizer = PCMDepacketizer(self) else {
                throw MediaError(
                    .unsupported, "cannot receive a stream of the camera",
                    reason: encoding.isEmpty ? "its format is unknown" : "\(encoding) is not supported",
                    wayOut: "set the camera to H.264, H.265 or MJPEG, and its audio to AAC, Opus or G.711")
            }
            return depacketizer
        }
    }

    /// The clock rate that the encoding has if its description states none; 0 if that is unknown.
    var usualClockRate: Int {
        switch encoding {
        case "H264", "H265", "HEVC", "JPEG": return 90_000
        case "OPUS": return 48_000
        case "PCMU", "PCMA": return 8000
        case "MPEG4-GENERIC":
            let config = AACDepacketizer.bytes(parameters["config"] ?? "").flatMap { AudioSpecificConfig($0) }
            return config?.sampleRate ?? 0
        default: return 0
        }
    }

    /// Returns the parameter sets that a parameter lists in Base64, separated by commas. Invalid ones are ignored.
    private func sets(_ name: String) -> [[UInt8]] {
        (parameters[name] ?? "").split(separator: ",").compactMap { text in
            var text = text.withoutSpaces.filter { $0 != "=" }
            // Some cameras leave out the padding.
            text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
            return Data(base64Encoded: text).map { Array($0) }
        }
    }
}
