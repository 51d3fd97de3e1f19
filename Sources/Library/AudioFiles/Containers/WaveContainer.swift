import MediaTypes

/// A WAVE file (Multimedia Programming Interface and Data Specifications 1.0), which becomes an RF64 file above 4 GiB
/// (EBU Tech 3306).
struct WaveContainer: AudioContainer {
    private let format: AudioFormat
    private let pcm: PCMSampleFormat
    private let mask: UInt32

    /// The length in bytes of RF64's chunk of 64-bit numbers: two sizes, the number of frames, and an empty table.
    private static let sizesLength = 28
    /// The value of a 32-bit size that is unknown, or is stored elsewhere.
    private static let unknown = UInt32.max

    /// - Throws: `invalidSettings` for a format that such a file cannot store.
    init(_ format: AudioFormat) throws(MediaError) {
        guard let pcm = format.pcm else {
            throw MediaError(
                .invalidSettings, "cannot write a .wav file", reason: "it stores linear PCM, not \(format.codec)")
        }
        if format.isBigEndian, pcm != .s8 {
            throw MediaError(
                .invalidSettings, "cannot write a .wav file", reason: "it can store only little-endian samples",
                wayOut: "store them little-endian, or use a .caf file")
        }
        self.format = format
        self.pcm = pcm
        let layout = format.statedLayout ?? .discrete(format.channelCount)
        if layout.isDiscrete {
            mask = 0
        } else if let bits = layout.mask, bits < 1 << 18 {
            mask = UInt32(bits)
        } else {
            throw MediaError(
                .invalidSettings, "cannot write a .wav file with the channels \(layout.rawValue)",
                reason: "it stores loudspeakers in the order of its channel mask",
                wayOut: "use the usual order, a discrete layout, or a .caf file")
        }
    }

    func head(_ extent: AudioExtent?) -> [UInt8] {
        let format = formatChunk
        // The form's name, the chunk of sizes with its header, the format, the header of the data.
        let overhead = UInt64(4 + 8 + Self.sizesLength + format.count + 8)
        let padded = (extent?.byteCount ?? 0) + (extent?.byteCount ?? 0) % 2
        let isLarge = overhead + padded > UInt64(UInt32.max)
        var list = ByteList()
        if isLarge { list.text("RF64") } else { list.text("RIFF") }
        list.little(extent == nil || isLarge ? Self.unknown : UInt32(overhead + padded))
        list.text("WAVE")
        if isLarge, let extent {
            list.text("ds64")
            list.little(UInt32(Self.sizesLength))
            list.little(overhead + padded)
            list.little(extent.byteCount)
            list.little(UInt64(max(0, extent.frameCount)))
            list.little(UInt32(0))
        } else {
            list.text("JUNK")
            list.little(UInt32(Self.sizesLength))
            list.zeros(Self.sizesLength)
        }
        list.raw(format)
        list.text("data")
        list.little(extent == nil || isLarge ? Self.unknown : UInt32(extent?.byteCount ?? 0))
        return list.bytes
    }

    func tail(_ extent: AudioExtent) -> [UInt8] { extent.byteCount % 2 == 1 ? [0] : [] }

    /// Makes samples of eight bits unsigned, as WAVE stores them.
    func adapt(_ bytes: inout [UInt8]) {
        guard pcm == .s8 else { return }
        for index in bytes.indices { bytes[index] ^= 0x80 }
    }

    private var formatChunk: [UInt8] {
        let kind: UInt16 = pcm.isFloatingPoint ? 3 : 1
        let isPlain = format.isPlainMonoOrStereo && (pcm.isFloatingPoint || pcm.byteCount <= 2)
        let frameSize = pcm.byteCount * format.channelCount
        var list = ByteList()
        list.text("fmt ")
        list.little(UInt32(isPlain ? 16 : 40))
        list.little(isPlain ? kind : 0xFFFE)
        list.little(UInt16(clamping: format.channelCount))
        list.little(UInt32(clamping: format.sampleRate))
        list.little(UInt32(clamping: format.sampleRate * frameSize))
        list.little(UInt16(clamping: frameSize))
        list.little(UInt16(pcm.byteCount * 8))
        guard !isPlain else { return list.bytes }
        // The fields of WAVEFORMATEXTENSIBLE: the size of the rest, the number of used bits (all of them), the
        // loudspeakers, and the kind as the start of a GUID.
        list.little(UInt16(22))
        list.little(UInt16(pcm.byteCount * 8))
        list.little(mask)
        list.little(kind)
        list.raw([0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71])
        return list.bytes
    }
}
