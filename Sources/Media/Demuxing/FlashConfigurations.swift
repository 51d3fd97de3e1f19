import MediaTypes
import MovieFile

/// The decoder configurations within a Flash video file, with their positions.
///
/// An RTMP server stores another configuration after the sender rotated its camera or reconnected. libavformat returns
/// each configuration that it reads (Adobe, "Flash Video File Format", E.4.3.1: AVC sequence header). A seek skips the
/// configurations before its target, so this type provides them.
struct FlashConfigurations {
    private typealias Entry = (place: Int64, bytes: [UInt8])
    private var video: [Entry] = []
    private var audio: [Entry] = []

    /// Walks the tags of the file and reads the header of each.
    init(path: String) {
        guard let file = try? DiskFile(path: path, mode: .read), let size = try? file.size() else { return }
        var header = ByteReader(file.bytes(at: 0, count: 9))
        guard header.skip(5), let start = header.u32() else { return }
        // Skips the length of the previous tag.
        var place = UInt64(start) + 4
        while place + 11 < size {
            let head = file.bytes(at: place, count: 16)
            guard head.count > 12 else { return }
            let length = UInt64(head[1]) << 16 | UInt64(head[2]) << 8 | UInt64(head[3])
            let isVideo = head[0] & 0x1F == 9
            // H.264 and HEVC have numbers 7 and 12; AAC has 10.
            let isConfiguration =
                isVideo
                ? [7, 12].contains(head[11] & 0x0F) && head[12] == 0
                : head[0] & 0x1F == 8 && head[11] >> 4 == 10 && head[12] == 0
            let skipped: UInt64 = isVideo ? 5 : 2
            if isConfiguration, length > skipped, length < 1 << 20 {
                let bytes = file.bytes(at: place + 11 + skipped, count: Int(length - skipped))
                if isVideo { video.append((Int64(place), bytes)) } else { audio.append((Int64(place), bytes)) }
            }
            place += 11 + length + 4
        }
    }

    /// Returns the configuration that a packet at `place` needs; nil if that is the configuration of the track.
    func bytes(for mediaType: MediaType?, at place: Int64) -> [UInt8]? {
        let entries = mediaType == .video ? video : audio
        // The search is binary, because this function is called for every packet.
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].place <= place { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : entries[low - 1].bytes
    }
}
