import MediaTypes

/// The properties of an input that decide how its samples are treated.
struct TrackTraits: Sendable {
    /// The track's index among those of its writer.
    var index = 0
    var mediaType: MediaType
    /// True for a live source. It cannot wait, so samples that do not fit are refused and counted. If false, the caller
    /// retries.
    var isRealTime: Bool
    /// True if packets are stored as they come.
    var isPassthrough = false
    /// True if the track's encoder works on a thread of its own; false if it works on the appending thread.
    var hasThread: Bool { !isPassthrough }
    /// The largest accepted distance between a frame's decode time and its timestamp. Stored packets of a file may have
    /// any distance that the movie's tables can hold: in a slide show, frames last for minutes.
    var longestReordering = SampleRules.longestReordering
    /// True if packets from before the session are stored like all others, because a given edit list decides what is
    /// shown.
    var storesEverything = false
    /// True if the frame that is on screen at the session's start is moved there. False for a live source, because its
    /// frames are lent buffers and cannot be kept for a later session.
    var movesHeldFrame = false
    /// True if the leading frames of a keyframe at the session's start are stored, although they cannot be decoded.
    var keepsLeadingFrames = false
    /// The format of the samples that will be appended, if it was announced.
    var hint: FormatDescription?
    var budget = RealTimeBudget()
    /// True if the encoder must return packets without delay.
    var isLowLatency = false
    /// The number of passes that the encoder needs.
    var passCount = 1

    /// Returns the largest distance that fits in 32 bits of a composition offset (ISO/IEC 14496-12, 8.6.1.3).
    static func longestReordering(timeScale: Int32) -> MediaTime {
        MediaTime(value: Int64(Int32.max), timescale: max(1, timeScale))
    }
}
