import CFFmpeg
import MediaTypes

extension MovieDemuxer {
    /// Shortens a packet of linear PCM that is incomplete because the file is truncated. Keeps the complete frames.
    /// Returns false if no frame is complete, or if the size of a frame is unknown.
    func keepWholeFrames(_ packet: UnsafeMutablePointer<AVPacket>, _ audio: AudioFormat?) -> Bool {
        // In other containers, bytes may be missing anywhere in a damaged packet, not only at its end.
        let containers = ["wav", "w64", "aiff", "au", "caf"]
        guard containers.contains(container), let size = audio?.bytesPerFrame, size > 0 else { return false }
        let whole = Int(packet.pointee.size) / size * size
        guard whole > 0 else { return false }
        av_shrink_packet(packet, Int32(whole))
        packet.pointee.flags &= ~AV_PKT_FLAG_CORRUPT
        return true
    }
}
