import Capture
import MediaTypes

/// The way of a camera's samples to the receivers of its streams. Samples of a stream that was not started yet wait, within
/// limits. For one thread.
struct SampleDelivery {
    private let link: NetworkLink
    private var held: [MediaType: HeldSamples] = [:]

    init(_ link: NetworkLink) { self.link = link }

    /// True if a keyframe waits for the start of the video.
    var hasVideo: Bool { held[.video]?.samples.isEmpty == false }

    /// Forgets all samples that wait, as others begin.
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
            // The frames before it were forgotten, so it cannot be decoded.
            return link.tap(type).deliver(.lost(count: 1, cause: .queue, near: sample.presentationTime))
        }
        link.tap(type).deliver(.sample(sample))
    }

    /// Reports samples that the camera sent and that cannot be delivered. Before the start, nothing counts as captured.
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
