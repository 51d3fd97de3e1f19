import MediaTypes

/// The keyframes at the end of a cut. A plain value.
///
/// libavformat reads a track up to the first keyframe at the end of its edit, and leaves out the frames behind it in the
/// file, which are shown before it. Nobody seeks to a keyframe there: it is stored as a frame like others.
struct LastKeyframes {
    private let end: MediaTime
    private var following: SampleBuffer?

    /// - Parameter end: where what is shown ends; infinite: every keyframe stays one.
    init(end: MediaTime) { self.end = end }

    mutating func restart() { following = nil }

    /// The next of the samples that `read` gives.
    mutating func next(_ read: () -> SampleBuffer?) -> SampleBuffer? {
        guard let sample = following.take() ?? read() else { return nil }
        guard end.isNumeric, sample.format.mediaType == .video, sample.isKeyFrame, sample.decodeTime != nil,
            sample.presentationTime + (sample.duration ?? .zero) >= end
        else { return sample }
        following = read()
        guard let following, following.presentationTime < sample.presentationTime else { return sample }
        return sample.dependent()
    }
}
