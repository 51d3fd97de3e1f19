/// Follows the numbers of H.264 frames (frame_num; ITU-T H.264, 7.4.3). The numbers show whether reference frames are
/// missing: frames on which other frames depend. A pure value.
package struct H264FrameNumbers: Sendable {
    private let reader: H264SliceReader
    /// The number of the latest reference frame; nil before the first frame.
    private var reference: UInt32?

    /// - Parameter record: an AVCDecoderConfigurationRecord.
    /// - Returns: nil if no sequence parameter set states the size of the numbers.
    package init?(record: [UInt8]) {
        guard let reader = H264SliceReader(record: record) else { return nil }
        self.reader = reader
    }

    /// Accepts the next stored frame in decode order: NAL units after their lengths.
    ///
    /// - Returns: the number of reference frames that are missing directly before this frame; 0 if the frame's number
    ///   cannot be read. Frame numbers repeat after 2^n reference frames, where n is the number of their bits. Of a
    ///   longer loss, only the remainder is counted.
    package mutating func missing(before frame: UnsafeRawBufferPointer) -> Int {
        guard let header = reader.header(of: frame) else { return 0 }
        let number = header.number
        let mask = (UInt32(1) << UInt32(reader.bitCount)) - 1
        guard !header.isIDR, let before = reference else {
            reference = number
            return 0
        }
        // 0 for the second field of a frame.
        let step = (number &- before) & mask
        // A frame that is not a reference frame has the number of the next reference frame.
        if step > 0 { reference = header.isReference ? number : (number &- 1) & mask }
        return max(0, Int(step) - 1)
    }

    /// Returns the number of a stored frame: NAL units after their lengths. Nil if the number cannot be read.
    package func number(of frame: UnsafeRawBufferPointer) -> Int? { reader.header(of: frame).map { Int($0.number) } }
}
