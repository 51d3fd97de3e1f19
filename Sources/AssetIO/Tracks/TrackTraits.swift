import MediaTypes

/// What an input's set-up means for the samples that come to it.
struct TrackTraits: Sendable {
    /// The track's place among those of its writer.
    var index = 0
    var mediaType: MediaType
    /// A live source, which cannot wait: what does not fit is refused and counted. Otherwise its caller tries again.
    var isRealTime: Bool
    /// Packets are stored as they come.
    var isPassthrough = false
    /// What will be appended, where that was said.
    var hint: FormatDescription?
    var budget = RealTimeBudget()
    /// How many times the encoder wants to see the source.
    var passCount = 1
}
