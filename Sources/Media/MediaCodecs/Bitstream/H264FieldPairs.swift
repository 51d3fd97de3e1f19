/// Finds the samples that contain only the second field of a frame. A pure value.
///
/// If an H.264 frame is coded as two separate fields, some writers store each field as a sample, and libavformat makes a
/// packet of each. Such a movie has twice as many samples as frames. The frame is shown at the time of its first field.
package struct H264FieldPairs: Sendable {
    private let reader: H264SliceReader
    /// The latest field, if it is the first of its frame.
    private var first: (number: UInt32, isBottom: Bool)?

    /// - Parameter record: an AVCDecoderConfigurationRecord.
    /// - Returns: nil if its frames are not coded as fields.
    package init?(record: [UInt8]) {
        guard let reader = H264SliceReader(record: record), reader.mayHaveFields else { return nil }
        self.reader = reader
    }

    /// Accepts the next sample in decode order: NAL units after their lengths.
    ///
    /// - Returns: true if the sample is the second field of the frame that the sample before it began: a field of the
    ///   other parity, with the same frame number (7.4.1.2.4).
    package mutating func isSecondField(_ sample: UnsafeRawBufferPointer) -> Bool {
        guard let header = reader.header(of: sample), let isBottom = header.isBottomField else {
            first = nil
            return false
        }
        if let first, first.isBottom != isBottom, first.number == header.number, !header.isIDR {
            self.first = nil
            return true
        }
        first = (header.number, isBottom)
        return false
    }
}
