import CFFmpeg
import MediaTypes

extension MovieDemuxer {
    /// Shortens a packet of linear PCM, which the end of the file has cut off, to its whole frames. Returns false if it
    /// has none, or if its frames have no known size.
    func keepWholeFrames(_ packet: UnsafeMutablePointer<AVPacket>, _ audio: AudioFormat?) -> Bool {
        // In other containers, a damaged packet may lack bytes at any place.
        let containers = ["wav", "w64", "aiff", "au", "caf"]
        guard containers.contains(container), let size = audio?.bytesPerFrame, size > 0 else { return false }
        let whole = Int(packet.pointee.size) / size * size
        guard whole > 0 else { return false }
        av_shrink_packet(packet, Int32(whole))
        packet.pointee.flags &= ~AV_PKT_FLAG_CORRUPT
        return true
    }
}
