import CFFmpeg
import MediaTypes

extension MovieDemuxer {
    /// The number of frames that FFmpeg writes into the header of an AVI file before it knows the real number.
    private static let placeholder: Int64 = 1 << 30

    /// Makes the lengths of an AVI file unknown if its header has impossible ones. They are placeholders, which a
    /// program that writes to a pipe cannot replace.
    static func removePlaceholders(
        _ context: UnsafeMutablePointer<AVFormatContext>, container: String, fileSize: Int64
    ) {
        guard container == "avi" else { return }
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[index] else { continue }
            let isVideo = stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
            // Each frame has a header of eight bytes. A unit of audio has at least one byte.
            let most = isVideo ? fileSize / 8 : fileSize
            guard stream.pointee.nb_frames >= placeholder || stream.pointee.nb_frames > most else { continue }
            stream.pointee.nb_frames = 0
            stream.pointee.duration = CFFMPEG_NOPTS_VALUE
            context.pointee.duration = CFFMPEG_NOPTS_VALUE
        }
    }

    /// Returns true if a packet is marked as damaged only because it is shorter than others, at the end of a file whose
    /// header does not state the length of the audio. Then removes the mark.
    func isLastOfUnknownLength(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
        guard extent.hasUnknownLength, packet.pointee.pos >= 0,
            packet.pointee.pos + Int64(packet.pointee.size) >= extent.size,
            let stream = context.pointee.streams[Int(packet.pointee.stream_index)]
        else { return false }
        let block = stream.pointee.codecpar.pointee.block_align
        guard block > 0, packet.pointee.size % block == 0 else { return false }
        packet.pointee.flags &= ~AV_PKT_FLAG_CORRUPT
        return true
    }
}
