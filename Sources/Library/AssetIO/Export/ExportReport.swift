/// The losses of an export.
public struct ExportReport: Sendable, Hashable {
    /// One line for each thing that the output lacks, such as "track 3, text (subrip): no decoder".
    public var leftOut: [String] = []
    /// The lines of `leftOut` that are known only after decoding: metadata that frames had, and invalid audio.
    package var lostInSamples: [String] = []
    /// Time ranges of the source that were damaged and left out.
    public var damage: [DamagedTimeRange] = []
    public init() {}
}
