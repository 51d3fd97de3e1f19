import MediaTypes
import MovieFile

/// An AIFF or AIFF-C file (Audio Interchange File Format 1.3; AIFF-C draft of 1991).
struct AIFFContainer: AudioContainer {
    private let format: AudioFormat
    private let pcm: PCMSampleFormat
    private let isCompressedForm: Bool

    let largestByteCount: UInt64? = 0x7FFF_0000

    /// - Parameter isCompressedForm: true for AIFF-C, which also stores floating point and little-endian samples.
    /// - Throws: `invalidSettings` for a format that such a file cannot store.
    init(_ format: AudioFormat, isCompressedForm: Bool) throws(MediaError) {
        func refusal(_ reason: String, _ wayOut: String = "") -> MediaError {
            MediaError(.invalidSettings, "cannot write an AIFF file", reason: reason, wayOut: wayOut)
        }
        guard let pcm = format.pcm else { throw refusal("it stores linear PCM, not \(format.codec)") }
        let isLittle = !format.isBigEndian && pcm.byteCount > 1
        if !isCompressedForm, isLittle || pcm.isFloatingPoint {
            throw refusal("it can store only big-endian integers", "use a .aifc file")
        }
        if isLittle, pcm != .s16 {
            throw refusal("only samples of 16 bits may be little-endian", "store them big-endian")
        }
        self.format = format
        self.pcm = pcm
        self.isCompressedForm = isCompressedForm
    }

    func head(_ extent: AudioExtent?) -> [UInt8] {
        let (common, channels) = (commonChunk(extent), channelChunk)
        // The largest size while the real one is unknown.
        let byteCount = UInt32(clamping: extent?.byteCount ?? largestByteCount ?? 0)
        let version = isCompressedForm ? 12 : 0
        let overhead = UInt32(4 + version + common.count + channels.count + 16)
        var list = ByteList()
        list.text("FORM")
        list.big(overhead + byteCount + byteCount % 2)
        if isCompressedForm {
            list.text("AIFCFVER")
            list.big(UInt32(4))
            // AIFF-C has only this version.
            list.big(UInt32(0xA280_5140))
        } else {
            list.text("AIFF")
        }
        list.raw(common)
        list.raw(channels)
        list.text("SSND")
        list.big(byteCount + 8)
        list.zeros(8)
        return list.bytes
    }

    func tail(_ extent: AudioExtent) -> [UInt8] { extent.byteCount % 2 == 1 ? [0] : [] }

    private func commonChunk(_ extent: AudioExtent?) -> [UInt8] {
        let frameSize = UInt64(max(1, pcm.byteCount * format.channelCount))
        let frames = (extent?.byteCount ?? largestByteCount ?? 0) / frameSize
        var body = ByteList()
        body.big(UInt16(clamping: format.channelCount))
        body.big(UInt32(clamping: frames))
        body.big(UInt16(pcm.byteCount * 8))
        body.raw(Self.extended(UInt64(max(1, format.sampleRate))))
        if isCompressedForm { body.raw(compression) }
        var list = ByteList()
        list.text("COMM")
        list.big(UInt32(body.bytes.count))
        list.raw(body.bytes)
        return list.bytes
    }

    /// The compression type, and its name as a Pascal string of even length.
    private var compression: [UInt8] {
        let type: StaticString
        switch (pcm, format.isBigEndian) {
        case (.float32, _): type = "fl32"
        case (.float64, _): type = "fl64"
        case (.s16, false): type = "sowt"
        default: type = "NONE"
        }
        var list = ByteList()
        list.text(type)
        list.zeros(2)
        return list.bytes
    }

    /// Apple's chunk that states the loudspeakers of the channels; empty for plain mono or stereo.
    private var channelChunk: [UInt8] {
        guard !format.isPlainMonoOrStereo else { return [] }
        let payload = ChannelLayoutAtom.plain(format.layout ?? .discrete(format.channelCount))
        var list = ByteList()
        list.text("CHAN")
        list.big(UInt32(payload.count))
        list.raw(payload)
        return list.bytes
    }

    /// Returns an integer above 0 as an IEEE 754 number of 80 bits: sign, exponent, and a mantissa with its leading
    /// one.
    private static func extended(_ number: UInt64) -> [UInt8] {
        let shift = number.leadingZeroBitCount
        var list = ByteList()
        list.big(UInt16(16_383 + 63 - shift))
        list.big(number << UInt64(shift))
        return list.bytes
    }
}
