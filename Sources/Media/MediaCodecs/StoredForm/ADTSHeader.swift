/// The header of an AAC frame in an ADTS stream (ISO/IEC 14496-3, 1.A.2).
struct ADTSHeader {
    /// The number of bytes before the raw data block.
    let byteCount: Int
    /// The AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
    let configuration: [UInt8]
    /// The channel configuration; 0 means that a program configuration element in the stream defines the channels.
    let channelConfiguration: UInt8
    /// The channel count; nil if the header does not contain it.
    var channelCount: Int? {
        channelConfiguration == 0 ? nil : channelConfiguration == 7 ? 8 : Int(channelConfiguration)
    }
    /// The number of raw data blocks in the frame.
    let blockCount: Int

    /// Reads a header. Returns nil for bytes that are not exactly one frame.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 7, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 else { return nil }
        let length = Int(bytes[3] & 3) << 11 | Int(bytes[4]) << 3 | Int(bytes[5]) >> 5
        let rate = bytes[2] >> 2 & 0xF
        byteCount = bytes[1] & 1 == 0 ? 9 : 7
        guard length == bytes.count, length > byteCount, rate < 13 else { return nil }
        channelConfiguration = (bytes[2] & 1) << 2 | bytes[3] >> 6
        blockCount = Int(bytes[6] & 3) + 1
        let objectType = (bytes[2] >> 6) + 1
        configuration = [objectType << 3 | rate >> 1, rate << 7 | channelConfiguration << 3]
    }
}
