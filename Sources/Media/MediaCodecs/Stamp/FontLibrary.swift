import CFreeType
import MediaTypes

/// FreeType, loaded when the first stamp is drawn and kept afterwards. Thread-safe.
struct FontLibrary: @unchecked Sendable {
    // Unchecked: the struct contains only function addresses, which never change.
    let functions: cfreetype

    /// - Throws: `unsupported` if FreeType is not installed.
    static func loaded() throws(MediaError) -> FontLibrary { try result.get() }

    private static let result = load()

    private static func load() -> Result<FontLibrary, MediaError> {
        var functions = cfreetype()
        guard let fault = cfreetype_load(&functions) else {
            return .success(FontLibrary(functions: functions))
        }
        return .failure(
            MediaError(
                .unsupported, "cannot load FreeType, which draws the stamp", reason: String(cString: fault),
                wayOut: "run `apt install libfreetype6`, and start the recorder again"))
    }
}
