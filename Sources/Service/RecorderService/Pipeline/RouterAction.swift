import MediaTypes

/// A file to begin.
struct RecordingFileOpening: Sendable, Equatable {
    /// The number of the file, counted from 1 in each recording.
    var number: Int
    /// Time 0 of the file, in the devices' clock.
    var start: MediaTime
    /// The format of the video; nil if the file has no video track.
    var video: FormatDescription?
    var audio: FormatDescription?

    func has(_ mediaType: MediaType) -> Bool { (mediaType == .video ? video : audio) != nil }
}

/// An action that `PacketRouter` requests. Actions are carried out in order.
enum RouterAction {
    case open(RecordingFileOpening)
    case append(segment: Int, SampleBuffer)
    /// The video of the file continues at this time without a packet, because the frame repeats the one before.
    case continueVideo(segment: Int, at: MediaTime)
    /// Frames were dropped. `segment` is the number of the file that counts them; nil if no open file has this track.
    case loss(segment: Int?, MediaType, count: Int64, cause: DropCause)
    /// The drops that no file has counted yet are counted in this file.
    case assignLosses(segment: Int, MediaType)
    case chapter(segment: Int, title: String, time: MediaTime)
    /// The file ends at this time.
    case close(segment: Int, end: MediaTime)
    /// The encoder should make the first frame at or after this time a keyframe.
    case requestKeyframe(at: MediaTime)
    /// The recording is complete, because every track has reached its end.
    case ended
}
