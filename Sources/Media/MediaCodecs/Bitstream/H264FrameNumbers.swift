/// Follows the numbers of H.264 frames (frame_num; ITU-T H.264, 7.4.3). The numbers show whether reference frames are
/// missing: frames on which other frames depend. A pure value.
package struct H264FrameNumbers: Sendable {
    private let lengthSize: Int
    /// The number of bits of a frame's number.
    private let bitCount: Int
    /// The number of the latest reference frame; nil before the first frame.
    private var reference: UInt32?

    /// The maximum number of bytes that are read of a slice. The frame's number is in its first bytes.
    private static let mostBytes = 32

    /// - Parameter record: an AVCDecoderConfigurationRecord.
    /// - Returns: nil if no sequence parameter set states the size of the numbers.
    package init?(record: [UInt8]) {
        guard let (sets, lengthSize) = ParameterSets.h264Sets(record),
            let place = sets.first(where: { (record[$0].first ?? 0) & 0x1F == 7 }),
            let bitCount = H264SequenceParameters(Array(record[place]))?.frameNumberBits
        else { return nil }
        self.lengthSize = lengthSize
        self.bitCount = bitCount
    }

    /// Accepts the next stored frame in decode order: NAL units after their lengths.
    ///
    /// - Returns: the number of reference frames that are missing directly before this frame; 0 if the frame's number
    ///   cannot be read. Frame numbers repeat after 2^`bitCount` reference frames. Of a longer loss, only the remainder
    ///   is counted.
    package mutating func missing(before frame: UnsafeRawBufferPointer) -> Int {
        guard let unit = firstSlice(of: frame), let head = unit.first, let number = readNumber(of: unit) else {
            return 0
        }
        let mask = (UInt32(1) << UInt32(bitCount)) - 1
        guard head & 0x1F != 5, let before = reference else {
            reference = number
            return 0
        }
        // 0 for the second field of a frame.
        let step = (number &- before) & mask
        // A frame that is not a reference frame has the number of the next reference frame.
        let isReference = head & 0x60 != 0
        if step > 0 { reference = isReference ? number : (number &- 1) & mask }
        return max(0, Int(step) - 1)
    }

    /// Returns the number of a stored frame: NAL units after their lengths. Nil if the number cannot be read.
    package func number(of frame: UnsafeRawBufferPointer) -> Int? {
        guard let unit = firstSlice(of: frame), let number = readNumber(of: unit) else { return nil }
        return Int(number)
    }

    private func readNumber(of slice: Slice<UnsafeRawBufferPointer>) -> UInt32? {
        let bytes = EmulationPrevention.removed(from: Array(slice.dropFirst().prefix(Self.mostBytes))[...])
        var bits = BitReader(bytes[...])
        // The first macroblock, the type and the parameter set of the slice (7.3.3).
        for _ in 0..<3 { guard bits.golomb() != nil else { return nil } }
        return bits.number(bitCount)
    }

    /// Returns the first unit that has a slice header: a slice, or partition A of a slice.
    private func firstSlice(of frame: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>? {
        var position = 0
        while frame.count - position > lengthSize {
            let start = position + lengthSize
            let length = frame[position..<start].reduce(0) { $0 << 8 | Int($1) }
            guard length > 0, length <= frame.count - start else { return nil }
            if [1, 2, 5].contains(frame[start] & 0x1F) { return frame[start..<(start + length)] }
            position = start + length
        }
        return nil
    }
}
