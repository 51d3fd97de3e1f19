import Capture
import MediaTypes

/// Passes a camera's samples to the receivers of its streams. Samples of a stream that was not started yet are held,
/// within limits. For one thread.
struct SampleDelivery {
    private let link: NetworkLink
    private var held: [MediaType: HeldSamples] = [:]

    init(_ link: NetworkLink) { self.link = link }

    /// True if a keyframe is held until the start of the video.
    var hasVideo: Bool { held[.video]?.samples.isEmpty == false }

    /// Discards all held samples, because a new session begins.
    mutating func begin() { held = [:] }

    mutating func deliver(_ sample: SampleBuffer) {
        let type = sample.format.mediaType
        guard link.tap(type).wasStarted else {
            held[type, default: HeldSamples()].add(sample)
            return
        }
        release(type)
        if held[type]?.isBeforeFirst(sample) == true { return }
        guard held[type]?.mayFollow(sample) != false else {
            // Earlier frames were discarded, so this frame cannot be decoded.
            return link.tap(type).deliver(.lost(count: 1, cause: .queue, near: sample.presentationTime))
        }
        link.tap(type).deliver(.sample(sample))
    }

    /// Reports samples that the camera sent but that cannot be delivered. Before the start, nothing counts as captured.
    mutating func lose(_ type: MediaType, count: Int64, cause: DropCause, near: MediaTime) {
        guard link.tap(type).wasStarted else { return }
        release(type)
        link.tap(type).deliver(.lost(count: count, cause: cause, near: near))
    }

    /// Delivers the samples that waited for the start of their stream.
    mutating func release() {
        for type in [MediaType.video, .audio] where link.tap(type).wasStarted { release(type) }
    }

    private mutating func release(_ type: MediaType) {
        guard held[type]?.samples.isEmpty == false, let samples = held[type]?.take() else { return }
        for sample in samples { link.tap(type).deliver(.sample(sample)) }
    }
}
