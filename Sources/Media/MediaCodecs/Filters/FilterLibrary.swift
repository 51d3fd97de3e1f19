import CFFmpeg
import MediaTypes

/// libavfilter, loaded when the first filter is created and kept afterwards. Thread-safe.
struct FilterLibrary: @unchecked Sendable {
    // Unchecked: the struct contains only function addresses, which never change.
    let functions: cffmpeg_filters

    /// - Throws: `unsupported` if libavfilter is not installed.
    static func loaded() throws(MediaError) -> FilterLibrary {
        _ = LibavLog.silenced
        return try result.get()
    }

    private static let name = withUnsafeBytes(of: CFFMPEG_FILTER_LIBRARY) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    private static let result = load()

    private static func load() -> Result<FilterLibrary, MediaError> {
        var functions = cffmpeg_filters()
        guard let fault = cffmpeg_load_filters(&functions) else {
            return .success(FilterLibrary(functions: functions))
        }
        return .failure(
            MediaError(
                .unsupported, "cannot load \(name)", reason: String(cString: fault),
                wayOut: "install its package (Debian: the libavfilter that matches libavcodec)"))
    }
}
