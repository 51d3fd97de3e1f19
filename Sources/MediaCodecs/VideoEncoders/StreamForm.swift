import CFFmpeg
import MediaTypes

/// What libavcodec's encoders give, in the form that a movie file holds.
struct StreamForm {
    private let codec: VideoCodec
    private let scratch = ScratchMemory()

    init(_ codec: VideoCodec) { self.codec = codec }

    /// The payload of `hvcC` or `av1C`; empty for codecs that need none.
    ///
    /// - Throws: `codecFailure` when the encoder has given nothing to make it from.
    func configuration(
        _ context: UnsafeMutablePointer<AVCodecContext>, bitDepth: Int
    ) throws(MediaError) -> [UInt8] {
        guard codec == .hevc || codec == .av1 else { return [] }
        let header = UnsafeRawBufferPointer(
            start: context.pointee.extradata, count: Int(context.pointee.extradata_size))
        let record = codec == .hevc ? HEVCConfiguration.record(header) : AV1Configuration.record(header)
        guard let record else {
            throw MediaError(
                .codecFailure, "cannot open the \(codec) encoder",
                reason: "it gave no header that a file could carry")
        }
        return record
    }

    /// A packet's bytes, copied: HEVC with lengths instead of start codes, AV1 without the mark of a new moment.
    func stored(_ bytes: UnsafeRawBufferPointer, _ pool: MediaDataPool) -> MediaData {
        switch codec {
        case .hevc:
            // A unit has one byte at least behind a start code of three, and gets a length of four.
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
