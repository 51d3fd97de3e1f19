/// The requests for keyframes to a stateful encoder, and whether they have an effect. A pure value.
struct EncoderKeyframeRequests: Sendable {
    /// The number of consecutive misses after which the encoder's control is no longer used.
    private static let mostMisses = 2

    /// True if a frame was requested as a keyframe, but its packet is not a keyframe.
    private(set) var owesKeyframe = false
    /// The time of the frame that was requested as a keyframe and is still in the encoder.
    private var requested: Int64?
    /// The number of consecutive requests that did not turn the requested frame into a keyframe.
    private var misses = 0

    /// False for an encoder that refuses or ignores requests, or applies them to other frames.
    var areEffective: Bool { misses < Self.mostMisses }

    /// Records that a frame that has to be a keyframe was queued.
    mutating func recordQueued(at ticks: Int64) {
        owesKeyframe = false
        requested = ticks
    }

    /// Records the packet of a frame. If the encoder did not make a requested keyframe, the next frame has to be one.
    mutating func recordPacket(at ticks: Int64, isKeyframe: Bool) {
        guard let wanted = requested, ticks >= wanted else { return }
        requested = nil
        if !isKeyframe {
            owesKeyframe = true
            misses += 1
        } else if areEffective {
            misses = 0
        }
    }

    /// Records that the driver refused a request, as some drivers do while the encoder runs.
    mutating func recordRefusal() { misses = Self.mostMisses }

    /// Records that the encoder was stopped. When it starts again, it begins with a keyframe anyway.
    mutating func forget() { requested = nil }
}
