/// Converts between parameter sets and the records of ISO/IEC 14496-15 in which files and format descriptions store
/// them.
package enum ParameterSets {
    package struct Record: Sendable {
        /// The payload of `avcC` or `hvcC`.
        package var bytes: [UInt8]
        /// The visible size in pixels.
        package var width: Int
        package var height: Int
    }

    /// - Parameters:
    ///   - sets: NAL units without start codes or lengths; at least one of each kind.
    ///   - lengthSize: bytes of the length before each NAL unit of a sample: 1, 2 or 4.
    /// - Returns: nil if the sets contain no frame size.
    package static func h264Record(_ sets: [[UInt8]], lengthSize: Int) -> Record? {
        guard [1, 2, 4].contains(lengthSize), let sequence = sets.first(where: { ($0.first ?? 0) & 0x1F == 7 }),
            let size = H264SequenceParameters(sequence)
        else { return nil }
        var configuration = AVCConfiguration()
        for set in sets { set.withUnsafeBytes { configuration.take($0) } }
        var bytes = configuration.bytes
        guard bytes.count > 4 else { return nil }
        bytes[4] = 0xFC | UInt8(lengthSize - 1)
        return Record(bytes: bytes, width: size.width, height: size.height)
    }

    package static func hevcRecord(_ sets: [[UInt8]], lengthSize: Int) -> Record? {
        guard [1, 2, 4].contains(lengthSize) else { return nil }
        var header: [UInt8] = []
        for set in sets { header += [0, 0, 0, 1] + set }
        guard var bytes = header.withUnsafeBytes({ HEVCConfiguration.record($0) }),
            let sequence = sets.first(where: { ($0.first ?? 0) >> 1 & 0x3F == 33 }),
            let size = HEVCConfiguration.frameSize(sequence)
        else { return nil }
        bytes[21] = bytes[21] & 0xFC | UInt8(lengthSize - 1)
        return Record(bytes: bytes, width: size.width, height: size.height)
    }

    /// Returns the positions of the sets in an H.264 record, and the number of bytes of each NAL unit's length; nil for
    /// an invalid record.
    package static func h264Sets(_ record: [UInt8]) -> (sets: [Range<Int>], lengthSize: Int)? {
        guard record.count > 6, record[0] == 1 else { return nil }
        var (sets, position): ([Range<Int>], Int) = ([], 5)
        for mask in [UInt8(0x1F), 0xFF] {
            guard position < record.count else { return nil }
            let count = Int(record[position] & mask)
            position += 1
            guard let end = append(count, of: record, from: position, to: &sets) else { return nil }
            position = end
        }
        return (sets, Int(record[4] & 3) + 1)
    }

    package static func hevcSets(_ record: [UInt8]) -> (sets: [Range<Int>], lengthSize: Int)? {
        guard record.count > 22, record[0] == 1 else { return nil }
        var (sets, position): ([Range<Int>], Int) = ([], 23)
        for _ in 0..<Int(record[22]) {
            guard position + 3 <= record.count else { return nil }
            let count = Int(record[position + 1]) << 8 | Int(record[position + 2])
            guard let end = append(count, of: record, from: position + 3, to: &sets) else { return nil }
            position = end
        }
        return (sets, Int(record[21] & 3) + 1)
    }

    private static func append(
        _ count: Int, of record: [UInt8], from start: Int, to sets: inout [Range<Int>]
    ) -> Int? {
        var position = start
        for _ in 0..<count {
            guard position + 2 <= record.count else { return nil }
            let length = Int(record[position]) << 8 | Int(record[position + 1])
            position += 2
            guard position + length <= record.count else { return nil }
            sets.append(position..<(position + length))
            position += length
        }
        return position
    }
}
