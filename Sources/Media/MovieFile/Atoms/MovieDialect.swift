import MediaTypes

/// The two families of movie files. They share most atoms, but store some facts in different atoms.
enum MovieDialect: Sendable {
    /// Apple's QuickTime File Format (QTFF): `.mov`.
    case quickTime
    /// MPEG-4, ISO/IEC 14496-12 and -14: `.mp4`, `.m4v`, `.m4a`.
    case mpeg4

    init(_ fileType: FileType) { self = fileType.isQuickTime ? .quickTime : .mpeg4 }

    /// The family of a movie header written by this library. In QuickTime, handlers state their component type; in
    /// MPEG-4, that field is zero.
    init(of moov: Atom) {
        let handler = moov.all("trak").lazy.compactMap { $0.find("mdia", "hdlr") }.first
        var reader = ByteReader(handler?.payload ?? [])
        self = reader.skip(4) && reader.u32() == 0 ? .mpeg4 : .quickTime
    }
}
