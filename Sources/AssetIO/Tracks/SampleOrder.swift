import MediaTypes

/// The order in which a track's samples must come. A pure value.
///
/// Pictures that are encoded come as they are shown, packets as they are decoded. Two of them cannot have one time.
/// The sound of a live source is put in order by its timeline, because its times are measurements; that of a source that
/// can wait comes in order.
struct SampleOrder: Sendable {
    private let traits: TrackTraits
    private var last = MediaTime.negativeInfinity

    init(_ traits: TrackTraits) { self.traits = traits }

    func fault(_ sample: SampleBuffer) -> String? {
        if traits.mediaType == .audio, traits.isRealTime { return nil }
        guard time(sample) <= last else { return nil }
        let what = traits.isPassthrough ? "decode time" : "time"
        return "its \(what), \(time(sample)), does not come after that of the sample before, \(last)"
    }

    mutating func note(_ sample: SampleBuffer) { last = max(last, time(sample)) }

    private func time(_ sample: SampleBuffer) -> MediaTime {
        traits.isPassthrough ? sample.decodeTime ?? sample.presentationTime : sample.presentationTime
    }
}
