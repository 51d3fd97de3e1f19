import CFFmpeg
import MediaCodecs
import MediaTypes

extension MovieDemuxer {
    /// The maximum size in bytes of a frame that is decoded. A frame of DV has 144,000 bytes.
    private static let mostFrameBytes = 1 << 23

    /// Adds the field order to tracks whose container does not state it, if their first frame is interlaced.
    ///
    /// Reads and decodes only the first packet of each such track.
    static func addFields(
        to tracks: inout [Track], of context: UnsafeMutablePointer<AVFormatContext>, path: String
    ) {
        let unknown = tracks.filter { track in
            let isCover = context.pointee.streams[track.index].map {
                $0.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
            }
            return isCover != true && FirstFrameFields.codecs.contains(track.codecName)
                && track.format?.video.map { $0.fieldOrder == nil } ?? false
        }
        guard !unknown.isEmpty else { return }
        forFirstPackets(of: Set(unknown.map(\.index)), context, path: path, most: mostFrameBytes) { index, packet in
            guard case .video(var video) = tracks[index].format else { return }
            let hints = DecoderHints(codecName: tracks[index].codecName, codecTag: tracks[index].codecTag)
            video.fieldOrder = FirstFrameFields.order(of: packet, video, hints)
            tracks[index].format = .video(video)
        }
    }
}
