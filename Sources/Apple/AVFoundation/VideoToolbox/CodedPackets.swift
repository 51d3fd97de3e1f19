import MediaTypes

/// A packet of a sample buffer, with Core Media's times.
struct CodedPacket {
    let data: MediaData
    let timing: CMSampleTimingInfo
    /// False if the sample buffer says that the packet depends on other packets.
    let isKeyframe: Bool
}

extension CMSampleBuffer {
    /// Returns the packets of the buffer in decode order; nil if the buffer has no data, or if the sizes do not match
    /// the data.
    ///
    /// The packets may have no times.
    func codedPackets() -> [CodedPacket]? {
        guard isValid, isReady, case .data(let block) = content else { return nil }
        let data = block.media
        guard data.count > 0 else { return nil }
        func packet(_ data: MediaData, _ index: Int) -> CodedPacket {
            CodedPacket(
                data: data, timing: timing(at: index) ?? timings.first ?? .invalid,
                isKeyframe: engine?.isKeyframe ?? isKeyframe(index))
        }
        guard numSamples > 1 else { return [packet(data, 0)] }
        var (packets, offset): ([CodedPacket], Int) = ([], 0)
        for index in 0..<numSamples {
            let length = size(at: index)
            guard length > 0, length <= data.count - offset else { return nil }
            let bytes = UnsafeRawBufferPointer(rebasing: data.bytes[offset..<(offset + length)])
            packets.append(packet(MediaData(borrowing: bytes, keeping: data), index))
            offset += length
        }
        return packets
    }
}
