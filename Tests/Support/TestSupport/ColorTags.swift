/// Color tags for movies that ffmpeg makes.
///
/// FFmpeg up to 6 takes the tags from the encoder's options, such as `-color_primaries`. FFmpeg 7 takes them from the
/// frames, and converts frames that have another matrix than `-colorspace`. The filter `setparams` works in all
/// versions, and leaves the pixels as they are.
public enum ColorTags {
    /// Returns the filter for `-vf`, after which no filter may change the colors.
    ///
    /// - Parameter range: nil to keep the range of the frames.
    public static func filter(
        primaries: String = "unknown", transfer: String = "unknown", matrix: String = "unknown", range: String? = nil
    ) -> String {
        "setparams=color_primaries=\(primaries):color_trc=\(transfer):colorspace=\(matrix)"
            + (range.map { ":range=\($0)" } ?? "")
    }

    /// The filter for frames in BT.709.
    public static let bt709 = filter(primaries: "bt709", transfer: "bt709", matrix: "bt709")
    /// The filter for frames without tags. Some sources of FFmpeg 7 have tags, such as `smptebars`.
    public static let none = filter(range: "unknown")
}
