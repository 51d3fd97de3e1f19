package import MediaTypes

/// The atoms of a timecode track (QTFF, "Timecode Media").
enum TimecodeDescription {
    /// Writes the sample description, `tmcd` (QTFF, "Timecode Sample Description").
    static func write(_ format: TimecodeFormat, into stsd: inout AtomWriter) {
        stsd.atom("tmcd") { entry in
            entry.sampleEntryHead()
            entry.u32(0)
            // Flags: drop-frame 1, wraps at 24 hours 2.
            entry.u32((format.dropsFrames ? 1 : 0) | (format.wrapsAt24Hours ? 2 : 0))
            entry.u32(UInt32(clamping: format.frameDuration.timescale))
            entry.u32(UInt32(clamping: format.frameDuration.value))
            entry.u8(UInt8(clamping: format.framesPerSecond))
            entry.u8(0)
            guard !format.sourceName.isEmpty else { return }
            // A user data item: length, language, text.
            entry.atom("name") { $0.internationalText(format.sourceName, language: nil) }
        }
    }

    /// Writes `tmcd` with `tcmi`, the style in which a player may show the numbers (QTFF, "Timecode Media Information
    /// Atom").
    static func writeMediaInformation(into gmhd: inout AtomWriter) {
        gmhd.atom("tmcd") { tmcd in
            tmcd.fullAtom("tcmi") { tcmi in
                tcmi.u16(0)  // system font
                tcmi.u16(0)  // plain
                tcmi.u16(12)  // points
                tcmi.u16(0)
                for _ in 0..<3 { tcmi.u16(0xFFFF) }  // white
                for _ in 0..<3 { tcmi.u16(0) }  // on black
                tcmi.pascalString("")
            }
        }
    }
}

extension TimecodeFormat {
    /// Parses the sample description of a `tmcd` track, without its eight initial bytes, as libavformat returns it. The
    /// fields are reserved, flags, time scale, frame duration, number of frames (QTFF, "Timecode Sample Description").
    package init?(description: [UInt8]) {
        var reader = ByteReader(description)
        guard reader.skip(4), let flags = reader.u32(), let scale = reader.s32(), let duration = reader.s32(),
            let frames = reader.u8(), scale > 0, duration > 0, frames > 0
        else { return nil }
        // Only frame counts of 30 and its multiples skip numbers (SMPTE ST 12-1, 5.2.2). Some programs wrongly set the
        // flag at 24.
        self.init(
            frameDuration: MediaTime(value: Int64(duration), timescale: scale), framesPerSecond: Int(frames),
            dropsFrames: flags & 1 != 0 && frames % 30 == 0, wrapsAt24Hours: flags & 2 != 0)
    }
}
