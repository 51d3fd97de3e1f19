import CFreeType
import FileSystem
import Glibc
import MediaTypes

/// The file of a font, and the position of the font in it.
struct FontFile: Hashable {
    let path: String
    let index: Int

    /// The family of the default font.
    static let standard = "DejaVu Sans Mono"
    /// The paths of the default font on Debian, Fedora and Arch. If the font is at one of these paths, fontconfig is
    /// not needed.
    private static let places = [
        "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf",
        "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono.ttf", "/usr/share/fonts/TTF/DejaVuSansMono.ttf",
    ]

    /// Finds a font. May read fontconfig's configuration and caches.
    ///
    /// - Parameter name: an absolute path, or a pattern for fontconfig, such as "Noto Sans Mono:bold"; nil means the
    ///   default font.
    /// - Throws: `notFound` if no such font is installed.
    init(_ name: String?) throws(MediaError) {
        if let name, name.hasPrefix("/") {
            (path, index) = (name, 0)
        } else if name == nil, let place = Self.places.first(where: { access($0, R_OK) == 0 }) {
            (path, index) = (place, 0)
        } else {
            (path, index) = try Self.find(name)
        }
    }

    private static func find(_ name: String?) throws(MediaError) -> (String, Int) {
        let family = name ?? standard
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        var index: Int32 = 0
        let result = cfontconfig_find(family, &path, path.count, &index)
        guard result == CFONTCONFIG_FOUND else { throw missing(name, hasLibrary: result != CFONTCONFIG_NO_LIBRARY) }
        return (PathText.text(path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }), Int(index))
    }

    private static func missing(_ name: String?, hasLibrary: Bool) -> MediaError {
        guard let name else {
            return MediaError(
                .notFound, "cannot draw the stamp", reason: "the font \(standard) is not installed",
                wayOut: "run `apt install fonts-dejavu-core`, or choose another font with --stamp-font")
        }
        let action = "cannot use the font “\(name)” for the stamp"
        guard hasLibrary else {
            return MediaError(
                .notFound, action, reason: "fontconfig, which finds fonts by name, is not installed",
                wayOut: "write the path of a file, or run `apt install libfontconfig1`")
        }
        return MediaError(
            .notFound, action, reason: "no such font is installed",
            wayOut: "`fc-list : family` lists the installed families; a file needs an absolute path")
    }

    /// Reads the file.
    ///
    /// - Throws: the reason why the file cannot be read.
    func contents() throws(MediaError) -> [UInt8] {
        guard let bytes = FileContents.bytes(of: path) else {
            throw MediaError(
                errno: errno, "cannot read the font \(path)", wayOut: "choose another one with --stamp-font")
        }
        return bytes
    }
}
