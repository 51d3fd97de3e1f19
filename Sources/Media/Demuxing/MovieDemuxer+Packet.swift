package import MediaTypes

extension MovieDemuxer {
    package struct Packet: Sendable {
        package var track: Int
        package var sample: SampleBuffer
        /// True if the packet is decoded only because other packets depend on it. The packet is not shown, because it
        /// precedes the start of an edit or is audio priming.
        package var isDiscarded: Bool
        /// If false, the file has only decode times, as in AVI. The sample's presentation time is then its decode time.
        package var hasPresentationTime = true
        /// If false, the decode time is unknown, as for the first frames of Matroska. The sample's decode time is then
        /// nil.
        package var hasDecodeTime = true
        /// The numbers of decoded audio frames to discard: `skippedFrames` from the start of this packet on, and
        /// `droppedFrames` at its end.
        package var skippedFrames = 0
        package var droppedFrames = 0
        /// True if the bytes are encrypted (ISO/IEC 23001-7), so no decoder can use them.
        package var isEncrypted = false
        /// Byte offset in the file; negative if unknown.
        package var position: Int64 = -1
    }
}
