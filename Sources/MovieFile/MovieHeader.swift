import MediaTypes

/// Writes the movie header, `moov` (QTFF, "Movie Atoms"), in the form that stands before the fragments.
///
/// The final header is made from this one by `FinalHeader`, which keeps everything and adds times and sample tables.
struct MovieHeader {
    /// Ticks per second of movie-level durations.
    var timeScale: Int32
    /// Seconds since 1970.
    var creationTime: Int64
    var metadata: [MetadataItem]
    var tracks: [(track: MovieTrack, editStart: Int64)]

    /// QuickTime counts seconds from 1904-01-01 00:00 UTC.
    private static let macintoshEpoch: Int64 = 2_082_844_800

    func write(into writer: inout AtomWriter) {
        writer.atom("moov") { moov in
            writeMovie(into: &moov)
            for (track, editStart) in tracks { writeTrack(track, editStart: editStart, into: &moov) }
            writeExtends(into: &moov)
            if !metadata.isEmpty { MovieMetadata.write(metadata, into: &moov) }
        }
    }

    private func writeDates(into atom: inout AtomWriter) {
        let date = UInt64(clamping: creationTime + Self.macintoshEpoch)
        atom.u64(date)
        atom.u64(date)
    }

    /// `mvhd`, version 1: 64-bit dates and duration.
    private func writeMovie(into moov: inout AtomWriter) {
        moov.fullAtom("mvhd", version: 1) { mvhd in
            writeDates(into: &mvhd)
            mvhd.u32(UInt32(timeScale))
            mvhd.u64(0)  // duration: in the fragments
            mvhd.fixed(1)  // preferred rate
            mvhd.u16(0x0100)  // preferred volume
            mvhd.zeros(10)
            Self.writeMatrix(MovieTrack.identityMatrix, into: &mvhd)
            mvhd.zeros(24)
            mvhd.u32((tracks.map(\.track.id).max() ?? 0) + 1)  // next track id
        }
    }

    private func writeTrack(_ track: MovieTrack, editStart: Int64, into moov: inout AtomWriter) {
        moov.atom("trak") { trak in
            writeTrackHeader(track, into: &trak)
            trak.atom("edts") { edts in
                // Duration 0: the edit lasts as long as the fragments (ISO/IEC 14496-12, 8.6.6.1).
                edts.raw(EditList([.init(duration: 0, mediaTime: editStart)]).atom())
            }
            trak.atom("mdia") { mdia in
                mdia.fullAtom("mdhd", version: 1) { mdhd in
                    writeDates(into: &mdhd)
                    mdhd.u32(UInt32(track.timeScale))
                    mdhd.u64(0)
                    mdhd.u16(Self.languageCode(track.language))
                    mdhd.u16(0)
                }
                Self.writeHandler("mhlr", track.mediaType == .audio ? "soun" : "vide", into: &mdia)
                writeMediaInformation(track, into: &mdia)
            }
        }
    }

    private func writeTrackHeader(_ track: MovieTrack, into trak: inout AtomWriter) {
        // Flags: enabled 1, in movie 2, in preview 4.
        trak.fullAtom("tkhd", version: 1, flags: track.isEnabled ? 7 : 6) { tkhd in
            writeDates(into: &tkhd)
            tkhd.u32(track.id)
            tkhd.u32(0)
            tkhd.u64(0)
            tkhd.zeros(8)
            tkhd.u16(0)  // layer
            tkhd.u16(track.mediaType == .audio ? 1 : 0)  // alternate group
            tkhd.u16(track.mediaType == .audio ? UInt16(clamping: Int(track.volume * 256)) : 0)
            tkhd.u16(0)
            Self.writeMatrix(track.matrix, into: &tkhd)
            let video = track.format?.video
            let aspect = video?.pixelAspectRatio ?? .one
            let shape = Double(max(1, aspect.numerator)) / Double(max(1, aspect.denominator))
            tkhd.fixed(Double(min(video?.width ?? 0, 32767)) * shape)
            tkhd.fixed(Double(min(video?.height ?? 0, 32767)))
        }
    }

    private func writeMediaInformation(_ track: MovieTrack, into mdia: inout AtomWriter) {
        mdia.atom("minf") { minf in
            if track.mediaType == .audio {
                minf.fullAtom("smhd") { $0.u32(0) }
            } else {
                minf.fullAtom("vmhd", flags: 1) { $0.zeros(8) }
            }
            Self.writeHandler("dhlr", "url ", into: &minf)
            minf.atom("dinf") { dinf in
                dinf.fullAtom("dref") { dref in
                    dref.u32(1)
                    dref.fullAtom("url ", flags: 1) { _ in }  // the media is in this file
                }
            }
            minf.atom("stbl") { stbl in
                if let format = track.format { SampleDescription.write(format, into: &stbl) }
                SampleTable.writeEmpty(into: &stbl)
            }
        }
    }

    /// `mvex`: this movie goes on in fragments (ISO/IEC 14496-12, 8.8.1).
    private func writeExtends(into moov: inout AtomWriter) {
        moov.atom("mvex") { mvex in
            for (track, _) in tracks {
                mvex.fullAtom("trex") { trex in
                    trex.u32(track.id)
                    trex.u32(1)  // sample description
                    trex.zeros(12)
                }
            }
        }
    }

    private static func writeHandler(_ component: FourCharCode, _ type: FourCharCode, into atom: inout AtomWriter) {
        atom.fullAtom("hdlr") { hdlr in
            hdlr.code(component)
            hdlr.code(type)
            hdlr.zeros(12)
            let name = type == "soun" ? "Sound Media Handler" : type == "vide" ? "Video Media Handler" : "Data Handler"
            hdlr.u8(UInt8(name.utf8.count))
            hdlr.raw(name.utf8)
        }
    }

    /// Nine numbers; the third of each row has 30 bits of fraction, the others 16 (QTFF, "Matrices").
    static func writeMatrix(_ matrix: [Double], into atom: inout AtomWriter) {
        for (index, value) in matrix.enumerated() {
            atom.s32(Int32((value * (index % 3 == 2 ? 1_073_741_824 : 65536)).rounded()))
        }
    }

    /// Three letters in five bits each (QTFF, "ISO Language Codes").
    static func languageCode(_ code: String) -> UInt16 {
        let letters = Array(code.utf8)
        guard letters.count == 3, letters.allSatisfy({ (0x61...0x7A).contains($0) }) else { return 0x55C4 }  // und
        return letters.reduce(0) { $0 << 5 | UInt16($1 - 0x60) }
    }
}
