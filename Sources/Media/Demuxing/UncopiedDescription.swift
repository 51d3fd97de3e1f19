import CFFmpeg
package import MediaTypes
import MovieFile

/// A description of a track's frames that no copy of the track contains.
package enum UncopiedDescription: String, Sendable, Hashable, CaseIterable {
    case dolbyVision = "the Dolby Vision description"
    case spherical = "the spherical projection"
    case stereoscopic = "the stereoscopic arrangement"
    case colorProfile = "the color profile (ICC)"
    case ambientLight = "the description of the ambient light"
    /// Transparency of VP8 and VP9, which Matroska stores beside the frames.
    case transparency = "the transparency"

    /// Returns the descriptions of a stream, from the values that libavformat found.
    static func all(of stream: UnsafeMutablePointer<AVStream>, _ metadata: [MetadataItem]) -> [UncopiedDescription] {
        var found: [UncopiedDescription] = []
        if bytes(AV_PKT_DATA_DOVI_CONF, of: stream) != nil { found.append(.dolbyVision) }
        if bytes(AV_PKT_DATA_SPHERICAL, of: stream) != nil { found.append(.spherical) }
        // The first field is the type; 0 means that there is one view.
        if let stereo = bytes(AV_PKT_DATA_STEREO3D, of: stream), stereo.prefix(4).contains(where: { $0 != 0 }) {
            found.append(.stereoscopic)
        }
        if metadata.contains(where: { $0.key.lowercased() == "alpha_mode" && $0.value == "1" }) {
            found.append(.transparency)
        }
        return found
    }

    /// Returns the descriptions in the atoms of a video sample description (ISO/IEC 14496-12, 12.1.3; Dolby Vision
    /// Streams Within the ISO Base Media File Format; Google's "Spherical Video V2"; MP4RA, "Boxes").
    package static func all(in entry: StoredEntry) -> [UncopiedDescription] {
        var found: [UncopiedDescription] = []
        var reader = ByteReader(entry.body)
        guard reader.skip(78) else { return [] }
        while let size = reader.u32(), let type = reader.code(), size >= 8, let body = reader.slice(Int(size) - 8) {
            switch type {
            case "dvcC", "dvvC", "dvwC": found.append(.dolbyVision)
            case "sv3d": found.append(.spherical)
            case "st3d", "vexu", "hfov", "lhvC": found.append(.stereoscopic)
            case "amve": found.append(.ambientLight)
            case "colr" where body.starts(with: "prof".utf8) || body.starts(with: "rICC".utf8):
                found.append(.colorProfile)
            default: break
            }
        }
        return found
    }

    private static func bytes(
        _ type: AVPacketSideDataType, of stream: UnsafeMutablePointer<AVStream>
    ) -> UnsafeBufferPointer<UInt8>? {
        var size = 0
        guard let data = cffmpeg_stream_side_data(stream, type, &size), size > 0 else { return nil }
        return UnsafeBufferPointer(start: data, count: size)
    }
}
