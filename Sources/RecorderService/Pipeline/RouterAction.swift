import MediaTypes

/// A file that is to be begun.
struct RecordingFileOpening: Sendable, Equatable {
    /// From 1 on, within one recording.
    var number: Int
    /// Time 0 of the file, in the devices' clock.
    var start: MediaTime
    /// nil: the file has no such track.
    var video: FormatDescription?
    var audio: FormatDescription?

    func has(_ mediaType: MediaType) -> Bool { (mediaType == .video ? video : audio) != nil }
}

/// What `PacketRouter` wants done, in this order.
enum RouterAction {
    case open(RecordingFileOpening)
    case append(segment: Int, SampleBuffer)
    /// Samples that never came, for the file's own account.
    case loss(segment: Int, MediaType, count: Int64, cause: DropCause)
    case chapter(segment: Int, title: String, time: MediaTime)
    /// The file ends at this moment.
    case close(segment: Int, end: MediaTime)
    /// The first picture from this moment on should be a key frame.
    case askForKeyFrame(at: MediaTime)
    /// Samples that were lost when no file was open, and no other came.
    case dropped(MediaType, count: Int64, cause: DropCause)
    /// Every track has come to the end of the recording.
    case ended
}
