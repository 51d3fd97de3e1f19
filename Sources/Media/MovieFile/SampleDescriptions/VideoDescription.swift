import MediaTypes

/// The sample description of video (QTFF, "Video Sample Description"; ISO/IEC 14496-12, 12.1.3).
struct VideoDescription {
    let video: VideoFormat
    let dialect: MovieDialect

    init(_ video: VideoFormat, dialect: MovieDialect) {
        self.video = video
        self.dialect = dialect
    }

    func write(into stsd: inout AtomWriter) {
        let code = Self.code(video, dialect)
        stsd.atom(code) { entry in
            entry.sampleEntryHead()
            entry.zeros(16)  // version, revision, vendor, temporal and spatial quality
            entry.u16(UInt16(clamping: video.width))
            entry.u16(UInt16(clamping: video.height))
            entry.fixed(72)
            entry.fixed(72)
            entry.u32(0)
            entry.u16(1)  // frames in each sample
            entry.pascalString(compressorName, size: 32)
            entry.u16(depth(code))
            entry.u16(0xFFFF)  // no color table
            writeConfiguration(code, into: &entry)
            writeFields(into: &entry)
            writeColor(into: &entry)
            writeLight(into: &entry)
            writeShape(into: &entry)
        }
    }

    /// Returns the code of the description; the codec's name if the codec has no code.
    private static func code(_ video: VideoFormat, _ dialect: MovieDialect) -> FourCharCode {
        knownCode(video, dialect) ?? FourCharCode(video.codec.rawValue)
    }

    /// Returns the code of the description. In a QuickTime file, this is the format's own code, or else the codec's
    /// usual one. MPEG-4 has fewer codes.
    ///
    /// - Returns: nil for a codec without a code.
    static func knownCode(_ video: VideoFormat, _ dialect: MovieDialect) -> FourCharCode? {
        switch dialect {
        case .quickTime:
            if let tag = video.codecTag { return tag }
            if video.codec == .raw { return video.pixelFormat.flatMap(RawFrameForm.code) ?? "raw " }
            return CodecCodes.quickTime(video)
        case .mpeg4:
            if CodecCodes.objectType(video.codec) != nil { return "mp4v" }
            let usual = CodecCodes.quickTime(video)
            guard let tag = video.codecTag else { return usual }
            return sampleEntries[video.codec, default: [tag]].contains(tag) ? tag : usual
        }
    }

    /// The codes of the MPEG-4 family, for the codecs that have further codes in QuickTime files (ISO/IEC 14496-15).
    private static let sampleEntries: [VideoCodec: Set<FourCharCode>] = [
        .h264: ["avc1", "avc2", "avc3", "avc4"], .hevc: ["hvc1", "hev1", "dvh1", "dvhe"],
    ]

    private var compressorName: String {
        switch video.codec {
        case .h264: "H.264"
        case .hevc: "HEVC"
        case .mjpeg: "Photo - JPEG"
        case .proRes: "Apple ProRes"
        case .av1: "AV1"
        default: video.codec.rawValue
        }
    }

    /// Returns the bits per pixel: 24, or 32 with an alpha channel (QTFF, "Video Sample Description").
    private func depth(_ code: FourCharCode) -> UInt16 {
        if video.codec == .raw, let format = video.pixelFormat { return RawFrameForm.depth(format) }
        if video.codec.rawValue == "qtrle", let depth = CodecCodes.runLengthDepth(video) { return depth }
        return switch code {
        case "ap4h", "ap4x", "BGRA": 32
        default: 24
        }
    }

    /// Writes the decoder configuration in the atom that the codec's standard defines: ISO/IEC 14496-15, 5.4.2.1
    /// (`avcC`) and 8.4.1.1 (`hvcC`), ISO/IEC 14496-14, 6.7.2 (`esds`), the AV1 and VP codec bindings (`av1C`, `vpcC`).
    /// For any other codec, writes FFmpeg's `glbl`, in QuickTime files only.
    private func writeConfiguration(_ code: FourCharCode, into entry: inout AtomWriter) {
        let bytes = video.decoderConfiguration
        switch code {
        case "vp08", "vp09": return writeVP(into: &entry)
        case "mp4v":
            let object = CodecCodes.objectType(video.codec) ?? .mpeg4Video
            return ElementaryStream(object: object, configuration: bytes).write(into: &entry)
        default: break
        }
        // The atom depends on the codec, not on which of its codes is used.
        switch video.codec {
        case _ where bytes.isEmpty: break
        case .h264: entry.atom("avcC") { $0.raw(bytes) }
        case .hevc: entry.atom("hvcC") { $0.raw(bytes) }
        case .av1: entry.atom("av1C") { $0.raw(bytes) }
        default: if dialect == .quickTime { entry.atom("glbl") { $0.raw(bytes) } }
        }
    }

    /// Writes `vpcC`, a full atom (VP Codec ISO Media File Format Binding, 2.2). If the source has no record, the bit
    /// depth and the chroma resolution determine the profile. The level is then unknown.
    private func writeVP(into entry: inout AtomWriter) {
        let color = video.color
        let depth = video.storedPixels.map { min(12, max(8, $0.bitDepth)) } ?? 8
        // 1 is 4:2:0 with chroma at the luma's place. 4:4:0 has no value of its own.
        let chroma: UInt8
        switch video.storedPixels?.chroma {
        case .yuv422: chroma = 2
        case .yuv444: chroma = 3
        case nil where video.storedPixels?.isRGB == true: chroma = 3
        default: chroma = 1
        }
        let isReduced = chroma == 1 && video.storedPixels?.chroma != .yuv440
        // VP9 Bitstream Specification, 7.2: profiles 0 and 2 are 4:2:0, and 2 and 3 have more than eight bits.
        let profile: UInt8 = video.codec.rawValue == "vp9" ? (depth > 8 ? 2 : 0) + (isReduced ? 0 : 1) : 0
        let record: [UInt8] = [
            profile, 0, UInt8(depth) << 4 | chroma << 1 | (color.isFullRange ? 1 : 0), color.primaries, color.transfer,
            color.matrix, 0, 0,
        ]
        let bytes = video.decoderConfiguration
        entry.fullAtom("vpcC", version: 1) { $0.raw(bytes.isEmpty ? record : bytes) }
    }

    /// Writes `fiel`: the number of fields of a frame, and their order (QTFF, "Video Sample Description Extensions").
    private func writeFields(into entry: inout AtomWriter) {
        guard let order = video.fieldOrder else { return }
        entry.atom("fiel") { fiel in
            fiel.u8(order == .progressive ? 1 : 2)
            fiel.u8(order.rawValue)
        }
    }

    /// Writes `colr`. MPEG-4's `nclx` contains the range (ISO/IEC 14496-12, 12.1.5). QuickTime's `nclc` does not, but
    /// H.264 and HEVC contain it themselves.
    private func writeColor(into entry: inout AtomWriter) {
        let color = video.color
        guard color.isSpecified || (color.isFullRange && dialect == .mpeg4) else { return }
        entry.atom("colr") { colr in
            colr.code(dialect == .quickTime ? "nclc" : "nclx")
            for value in [color.primaries, color.transfer, color.matrix] { colr.u16(UInt16(value)) }
            if dialect == .mpeg4 { colr.u8(color.isFullRange ? 0x80 : 0) }
        }
    }

    /// Writes `mdcv` and `clli` (ISO/IEC 14496-12, 12.1.6 and 12.1.7), in QuickTime and MPEG-4 files alike.
    private func writeLight(into entry: inout AtomWriter) {
        if let display = video.masteringDisplay {
            entry.atom("mdcv") { mdcv in
                for place in [display.green, display.blue, display.red, display.whitePoint] {
                    mdcv.u16(place.x)
                    mdcv.u16(place.y)
                }
                mdcv.u32(display.maximumLuminance)
                mdcv.u32(display.minimumLuminance)
            }
        }
        if let light = video.contentLight {
            entry.atom("clli") { clli in
                clli.u16(light.maximum)
                clli.u16(light.maximumAverage)
            }
        }
    }

    /// Writes `pasp` and `clap` (QTFF, "Pixel Aspect Ratio" and "Clean Aperture"; ISO/IEC 14496-12, 12.1.4).
    private func writeShape(into entry: inout AtomWriter) {
        let aspect = video.pixelAspectRatio
        if aspect.numerator > 0, aspect.denominator > 0 {
            entry.atom("pasp") { pasp in
                pasp.s32(aspect.numerator)
                pasp.s32(aspect.denominator)
            }
        }
        guard let aperture = video.cleanAperture else { return }
        entry.atom("clap") { clap in
            for value in [aperture.width, aperture.height] {
                clap.s32(value)
                clap.s32(1)
            }
            let left = (video.width - Int(aperture.width), aperture.horizontalOffset)
            let above = (video.height - Int(aperture.height), aperture.verticalOffset)
            for (leftOver, offset) in [left, above] {
                // If an odd number of columns is left over, the centers are half a pixel apart, because the aperture
                // begins at a complete column.
                let isHalf = leftOver % 2 != 0 && offset.magnitude < 1 << 29
                clap.s32(isHalf ? 2 * offset - 1 : offset)
                clap.s32(isHalf ? 2 : 1)
            }
        }
    }
}
