package import MediaTypes

extension MovieDemuxer {
    package struct Packet: Sendable {
        package var track: Int
        package var sample: SampleBuffer
        /// Decoded for the sake of others and not shown: before the start of an edit, or audio priming.
        package var isDiscarded: Bool
        /// false: the file has decode times alone, as AVI, and the sample's presentation time is its decode time.
        package var hasPresentationTime = true
        /// false: nobody knows when it is decoded, as of the first pictures of Matroska; the sample's decode time is nil.
        package var hasDecodeTime = true
        /// Decoded frames of sound that are not heard: so many from here on, and so many at the end of this packet.
        package var skippedFrames = 0
        package var droppedFrames = 0
        /// The bytes are encrypted (ISO/IEC 23001-7): no decoder can do anything with them.
        package var isEncrypted = false
        /// Byte offset in the file; negative when unknown.
        package var position: Int64 = -1
    }
}
