import MediaTypes

/// Writes the description of a track's samples, `mdia` (QTFF, "Media Atoms"; ISO/IEC 14496-12, 8.4).
struct MediaHeader {
    let track: MovieTrack
    /// Seconds since 1970.
    let creationTime: Int64
    let dialect: MovieDialect

    func write(into trak: inout AtomWriter) {
        trak.atom("mdia") { mdia in
            // QTFF, "Media Header Atoms"; ISO/IEC 14496-12, 8.4.2
            mdia.fullAtom("mdhd", version: 1) { mdhd in
                mdhd.dates(creationTime)
                mdhd.u32(UInt32(clamping: track.timeScale))
                mdhd.u64(0)  // duration: in the fragments
                mdhd.u16(PackedLanguage.pack(track.language))
                mdhd.u16(0)
            }
            writeHandler("mhlr", handlerType, name: handlerName, into: &mdia)
            if let tag = track.extendedLanguage, !tag.isEmpty {
                // QTFF, "Extended Language Tag Atom"; ISO/IEC 14496-12, 8.4.6
                mdia.fullAtom("elng") { elng in
                    elng.raw(tag.utf8)
                    elng.u8(0)
                }
            }
            writeInformation(into: &mdia)
        }
    }

    private var handlerType: FourCharCode {
        switch track.mediaType {
        case .video: "vide"
        case .audio: "soun"
        case .timecode: "tmcd"
        case .text: storedText?.handler ?? "text"
        case .metadata: MetadataDescription.handler
        }
    }

    private var storedText: StoredText? {
        if case .text(let text) = track.format { text.stored } else { nil }
    }

    private var handlerName: String {
        storedText == nil ? Self.handlerName(track.mediaType) : Self.subtitleHandlerName
    }

    /// The handler name of text tracks in which each sample states its own duration.
    static let subtitleHandlerName = "Subtitle Media Handler"

    private static func handlerName(_ type: MediaType) -> String {
        switch type {
        case .video: "Video Media Handler"
        case .audio: "Sound Media Handler"
        case .timecode: "Time Code Media Handler"
        case .text: "Text Media Handler"
        case .metadata: "Metadata Media Handler"
        }
    }

    /// The handler names that our headers may have.
    static let handlerNames = Set(
        ([.video, .audio, .timecode, .text, .metadata] as [MediaType]).map { handlerName($0) } + [subtitleHandlerName])

    /// Writes `minf` (QTFF, "Media Information Atoms"; ISO/IEC 14496-12, 8.4.4).
    private func writeInformation(into mdia: inout AtomWriter) {
        mdia.atom("minf") { minf in
            switch track.mediaType {
            case .audio: minf.fullAtom("smhd") { $0.u32(0) }
            case .video: minf.fullAtom("vmhd", flags: 1) { $0.zeros(8) }
            case .text where storedText?.code == "stpp": minf.fullAtom("sthd") { _ in }
            case .text where ["tx3g", "wvtt"].contains(storedText?.code): minf.fullAtom("nmhd") { _ in }
            case .timecode, .text, .metadata: writeBaseHeader(into: &minf)
            }
            // Only QuickTime names a data handler.
            if dialect == .quickTime { writeHandler("dhlr", "url ", name: "Data Handler", into: &minf) }
            minf.atom("dinf") { dinf in
                dinf.fullAtom("dref") { dref in
                    dref.u32(1)
                    dref.fullAtom("url ", flags: 1) { _ in }  // the media is in this file
                }
            }
            minf.atom("stbl") { stbl in
                if let format = track.format {
                    SampleDescription.write(format, others: track.otherFormats, dialect: dialect, into: &stbl)
                }
                SampleTable.writeEmpty(into: &stbl)
            }
        }
    }

    /// Writes `gmhd`, for media other than video and audio (QTFF, "Base Media Information Header Atoms"). MPEG-4 has no
    /// such atom, but FFmpeg writes it in MPEG-4 files too, and all readers accept it. Subtitles have headers of their
    /// own (ISO/IEC 14496-30).
    private func writeBaseHeader(into minf: inout AtomWriter) {
        minf.atom("gmhd") { gmhd in
            gmhd.fullAtom("gmin") { gmin in
                gmin.u16(0x40)  // dither copy
                for _ in 0..<3 { gmin.u16(0x8000) }
                gmin.zeros(4)  // balance
            }
            switch track.format {
            case .timecode: TimecodeDescription.writeMediaInformation(into: &gmhd)
            case .text where storedText?.handler != "clcp":
                gmhd.atom("text") { $0.matrix(MovieTrack.identityMatrix) }
            default: break
            }
        }
    }

    /// Writes `hdlr` (QTFF, "Handler Reference Atoms"; ISO/IEC 14496-12, 8.4.3). The name has a length before it in
    /// QuickTime, and a zero after it in MPEG-4.
    private func writeHandler(
        _ component: FourCharCode, _ type: FourCharCode, name: String, into atom: inout AtomWriter
    ) {
        atom.fullAtom("hdlr") { hdlr in
            switch dialect {
            case .quickTime:
                hdlr.code(component)
                hdlr.code(type)
                hdlr.zeros(12)
                hdlr.pascalString(name)
            case .mpeg4:
                hdlr.u32(0)
                hdlr.code(type)
                hdlr.zeros(12)
                hdlr.raw(name.utf8)
                hdlr.u8(0)
            }
        }
    }
}
