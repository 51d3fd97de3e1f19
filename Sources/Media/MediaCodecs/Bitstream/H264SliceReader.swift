/// Reads the beginnings of the slice headers of stored H.264 frames (ITU-T H.264, 7.3.3): NAL units after their lengths.
struct H264SliceReader: Sendable {
    struct Header {
        /// The first byte of the NAL unit.
        let head: UInt8
        /// The number of the frame (frame_num).
        let number: UInt32
        /// True for a slice of a bottom field, false for one of a top field, and nil for one of a frame.
        let isBottomField: Bool?

        /// True for an IDR picture.
        var isIDR: Bool { head & 0x1F == 5 }
        /// True if other frames may depend on the slice's frame.
        var isReference: Bool { head & 0x60 != 0 }
    }

    /// The number of bits of a frame's number.
    let bitCount: Int
    /// True if frames may be coded as two separate fields.
    let mayHaveFields: Bool
    private let lengthSize: Int

    /// The maximum number of bytes that are read of a slice.
    private static let mostBytes = 32

    /// - Parameter record: an AVCDecoderConfigurationRecord.
    /// - Returns: nil if no sequence parameter set states the size of the numbers.
    init?(record: [UInt8]) {
        guard let (sets, lengthSize) = ParameterSets.h264Sets(record),
            let place = sets.first(where: { (record[$0].first ?? 0) & 0x1F == 7 }),
            let sequence = H264SequenceParameters(Array(record[place])), let bitCount = sequence.frameNumberBits
        else { return nil }
        self.lengthSize = lengthSize
        self.bitCount = bitCount
        mayHaveFields = sequence.mayHaveFields
    }

    /// Returns the header of a stored frame's first slice; nil if it cannot be read.
    func header(of frame: UnsafeRawBufferPointer) -> Header? {
        guard let slice = firstSlice(of: frame), let head = slice.first else { return nil }
        let bytes = EmulationPrevention.removed(from: Array(slice.dropFirst().prefix(Self.mostBytes))[...])
        var bits = BitReader(bytes[...])
        // The first macroblock, the type and the parameter set of the slice.
        for _ in 0..<3 { guard bits.golomb() != nil else { return nil } }
        guard let number = bits.number(bitCount) else { return nil }
        guard mayHaveFields, bits.bit() == 1, let bottom = bits.bit() else {
            return Header(head: head, number: number, isBottomField: nil)
        }
        return Header(head: head, number: number, isBottomField: bottom == 1)
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
