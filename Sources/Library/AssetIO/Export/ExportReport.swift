/// The losses of an export.
public struct ExportReport: Sendable, Hashable {
    /// One line for each thing that the output lacks, such as "track 3, text (subrip): no decoder".
    public var leftOut: [String] = []
    /// The lines of `leftOut` about metadata that decoded frames had and that the output lacks. These lines are known
    /// only after decoding.
    package var lostWithFrames: [String] = []
    /// Time ranges of the source that were damaged and left out.
    public var damage: [DamagedTimeRange] = []
    public init() {}
}
