public import MediaTypes

/// Where one recording is divided into several files. Without any rule it is one file, until its owner says `split`.
///
/// A file ends before the first key frame at or after its limit, so it is at most one key-frame interval longer.
public struct SegmentRules: Sendable, Hashable {
    /// How long a file is.
    public var duration: MediaTime?
    /// Files begin at multiples of `duration` after midnight, local time: the first one is shorter.
    public var isAligned = false
    /// Bytes of media in one file.
    public var size: Int64?

    public init(duration: MediaTime? = nil, isAligned: Bool = false, size: Int64? = nil) {
        self.duration = duration
        self.isAligned = isAligned
        self.size = size
    }
}
