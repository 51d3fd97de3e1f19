import MediaTypes

/// The keyframes at the end of a cut. A plain value.
///
/// libavformat reads a track up to the first keyframe at the end of its edit. It therefore skips the leading frames
/// that are stored after this keyframe but shown in the edit. Seeking to this keyframe is useless, so it is stored as
/// an ordinary frame. Cuts of signed recordings keep it as a keyframe, because the signature covers that. If frames are
/// reordered, the leading frames are still read, because libavformat then reads up to the next keyframe.
struct LastKeyframes {
    private let end: MediaTime
    private var following: SampleBuffer?
    /// True once the keyframe that decoding begins with has been read.
    private var hasBegun = false

    /// - Parameter end: the end of the shown media. If it is infinite, every keyframe remains a keyframe.
    init(end: MediaTime) { self.end = end }

    mutating func restart() { (following, hasBegun) = (nil, false) }

    /// Returns the next sample. A keyframe at the end of the cut is returned as an ordinary frame if leading frames
    /// follow it.
    ///
    /// - Parameter read: returns the samples in order.
    mutating func next(_ read: () -> SampleBuffer?) -> SampleBuffer? {
        guard let sample = following.take() ?? read() else { return nil }
        defer { hasBegun = hasBegun || sample.isKeyframe }
        guard hasBegun, end.isNumeric, sample.format.mediaType == .video, sample.isKeyframe, sample.decodeTime != nil,
            sample.presentationTime + (sample.duration ?? .zero) >= end
        else { return sample }
        following = read()
        guard let following, following.presentationTime < sample.presentationTime else { return sample }
        return sample.dependent()
    }
}
