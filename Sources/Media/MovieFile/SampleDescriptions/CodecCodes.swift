package import MediaTypes

/// The codes of sample descriptions, by FFmpeg's name of the codec, and the codecs that are completely described by
/// their format.
enum CodecCodes {
    /// Returns QuickTime's code for video of a codec.
    ///
    /// - Returns: nil for a codec without a code, and if the format does not determine which of several codes applies.
    static func quickTime(_ video: VideoFormat) -> FourCharCode? {
        switch video.codec.rawValue {
        case "dvvideo": return dv(video)
        case "dnxhd": return dnxhdSizes.contains(FrameSize(video.width, video.height)) ? "AVdn" : "AVdh"
        case "qtrle": return runLengthDepth(video) == nil ? nil : "rle "
        default: return codes[video.codec.rawValue]
        }
    }

    private static let codes: [String: FourCharCode] = [
        "h264": "avc1", "hevc": "hvc1", "mjpeg": "jpeg", "prores": "apcn", "mpeg4": "mp4v", "av1": "av01",
        "vp9": "vp09",
        "png": "png ", "vp8": "vp08", "mpeg1video": "m1v1", "mpeg2video": "m2v1", "ffv1": "FFV1", "h263": "h263",
        "jpeg2000": "mjp2", "cinepak": "cvid", "svq1": "SVQ1", "v210": "v210", "v308": "v308", "v408": "v408",
        "v410": "v410", "r210": "r210", "cfhd": "CFHD", "rpza": "rpza", "tiff": "tiff", "sgi": "sgi ",
    ]

    /// The frame sizes that distinguish DNxHD from DNxHR: only DNxHD has them (SMPTE ST 2019-1).
    private static let dnxhdSizes: Set<FrameSize> = [
        FrameSize(1920, 1080), FrameSize(1440, 1080), FrameSize(1280, 720), FrameSize(960, 720),
    ]

    /// Returns the code of standard-definition DV: NTSC or PAL, 25 or 50 Mbit/s. The codes of DVCPRO HD depend on the
    /// frame rate, which the format does not contain.
    private static func dv(_ video: VideoFormat) -> FourCharCode? {
        switch (video.height, video.storedPixels?.chroma) {
        case (480, .yuv422): "dv5n"
        case (480, _): "dvc "
        case (576, .yuv422): "dv5p"
        case (576, .yuv411): "dvpp"
        case (576, _): "dvcp"
        default: nil
        }
    }

    /// Returns the bits per pixel in the description of Apple Animation. Decoders determine the pixel format from this
    /// number.
    static func runLengthDepth(_ video: VideoFormat) -> UInt16? {
        switch video.storedPixels?.name {
        case "rgb555be", "rgb555le": 16
        case "rgb24": 24
        case "argb": 32
        case "gray": 40
        default: nil
        }
    }

    /// Returns the object type in the `esds` of MPEG-4 for video, if the codec has no code of its own (ISO/IEC 14496-1,
    /// table 5; MP4RA).
    static func objectType(_ codec: VideoCodec) -> ElementaryStream.Object? {
        switch codec.rawValue {
        case "mpeg4": .mpeg4Video
        case "mpeg2video": .mpeg2Main
        case "mpeg1video": .mpeg1Video
        default: nil
        }
    }

    /// Returns the object type for audio.
    static func objectType(_ audio: AudioFormat) -> ElementaryStream.Object? {
        switch audio.codec.rawValue {
        case "aac": .mpeg4Audio
        // The half sample rates of MPEG-2 have their own object type.
        case "mp3", "mp2": audio.sampleRate < 32_000 ? .mpeg2Part3 : .mpeg1Part3
        case "dts": .dts
        default: nil
        }
    }

    /// Codecs whose `VideoFormat` or `AudioFormat` contains everything that their description needs.
    private static let described: Set<String> = [
        "h264", "hevc", "av1", "vp8", "vp9", "prores", "mpeg4", "mjpeg", "png", "ffv1", "mpeg1video", "mpeg2video",
        "aac", "alac", "mp3", "ac3", "eac3", "opus", "flac",
    ]

    /// Codes of the MPEG-4 family whose stored descriptions are copied (MP4RA, "Codecs").
    private static let registered: Set<FourCharCode> = [
        "avc1", "avc2", "avc3", "avc4", "hvc1", "hev1", "av01", "mp4v", "mp4a", "mlpa", "dtsc", "dtsh", "dtsl", "dtse",
        "dtsx", "samr", "sawb", "sawp", "s263", "ac-4", "mha1", "mhm1", "mjp2",
    ]

    /// Returns true if a copy of a track needs the sample description from its file.
    static func needsEntry(codec: String, code: FourCharCode) -> Bool {
        // If `mp4v` has an object type other than that of MPEG-4 video, this type is more specific than the codec's
        // name.
        !described.contains(codec) || code == "mp4v" && codec != "mpeg4"
    }

    /// Returns true if a sample description can be stored unchanged in a file of this family.
    static func fits(_ entry: StoredEntry, _ dialect: MovieDialect) -> Bool {
        switch dialect {
        // AMR's sample descriptions have the same form in both families.
        case .quickTime: entry.isQuickTime || entry.code == "samr" || entry.code == "sawb"
        case .mpeg4: !entry.isQuickTime && registered.contains(entry.code)
        }
    }
}

extension FormatDescription {
    /// Returns true if a copy of a track needs its stored sample description, because this library cannot describe the
    /// codec completely.
    ///
    /// - Parameters:
    ///   - codec: FFmpeg's name.
    ///   - code: the code of the sample description.
    package static func needsStoredEntry(codec: String, code: FourCharCode) -> Bool {
        CodecCodes.needsEntry(codec: codec, code: code)
    }

    /// Returns the stored sample description if it can be used unchanged in a file of this family; nil otherwise.
    func entry(for dialect: MovieDialect) -> StoredEntry? {
        (video?.storedEntry ?? audio?.storedEntry).flatMap { CodecCodes.fits($0, dialect) ? $0 : nil }
    }
}

extension AtomWriter {
    /// Writes a sample description from another file. Its data reference is changed to this file, which contains the
    /// media.
    mutating func storedEntry(_ stored: StoredEntry) {
        atom(stored.code) { entry in
            entry.sampleEntryHead()
            entry.raw(stored.body.dropFirst(8))
        }
    }
}
