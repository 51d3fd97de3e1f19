import CFFmpeg
import MediaTypes

/// Converts the output of libavcodec's encoders to the form that a movie file stores.
struct StreamForm {
    private let codec: VideoCodec
    private let scratch = ScratchMemory()

    init(_ codec: VideoCodec) { self.codec = codec }

    /// Returns the payload of `hvcC` or `av1C`; empty for codecs that need none.
    ///
    /// - Parameter header: the header of libavcodec's encoder.
    /// - Throws: `codecFailure` if the header is not usable.
    func configuration(_ header: [UInt8]) throws(MediaError) -> [UInt8] {
        guard codec == .hevc || codec == .av1 else { return [] }
        let record = header.withUnsafeBytes { bytes in
            codec == .hevc ? HEVCConfiguration.record(bytes) : AV1Configuration.record(bytes)
        }
        guard let record else {
            throw MediaError(
                .codecFailure, "cannot open the \(codec) encoder",
                reason: "it returned no header that a file can store")
        }
        return record
    }

    /// Returns a copy of a packet's bytes. HEVC gets lengths instead of start codes, and AV1 loses the temporal
    /// delimiter.
    func stored(_ bytes: UnsafeRawBufferPointer, _ pool: MediaDataPool) -> MediaData {
        switch codec {
        case .hevc:
            // Each unit has at least four bytes: a start code of three, and one more. It grows by one byte, because its
            // length has four bytes.
            let target = scratch.bytes(bytes.count + bytes.count / 4 + 4)
            var count = 0
            AnnexB.forEachUnit(bytes) { unit in
                target.storeBytes(of: UInt32(clamping: unit.count).bigEndian, toByteOffset: count, as: UInt32.self)
                UnsafeMutableRawBufferPointer(rebasing: target[(count + 4)...]).copyMemory(from: unit)
                count += 4 + unit.count
            }
            return pool.copy(UnsafeRawBufferPointer(rebasing: target[..<count]))
        case .av1: return pool.copy(AV1Configuration.withoutDelimiter(bytes))
        default: return pool.copy(bytes)
        }
    }
}
