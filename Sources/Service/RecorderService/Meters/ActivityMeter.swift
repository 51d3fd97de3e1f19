import MediaTypes

/// Measures how much happens in the video, as a value from 0 to 100 for each second. The value is computed from the
/// sizes of packets, without decoding them. A pure value.
///
/// An encoder needs more bytes for a frame that differs from the one before. So the mean size of a second's packets is
/// compared with a running mean. The value is 0 for the usual size or less, 50 for twice the usual size, and 75 for
/// four times the usual size. Keyframes do not count, because they are always large. If all frames are keyframes, as in
/// Motion JPEG, the value is computed from the change of their size. This change is much smaller, so the value is about
/// 50 if the size changes by a tenth.
struct ActivityMeter {
    /// The value of one second.
    struct Second: Equatable {
        /// The second on the timeline of the recording.
        let index: Int64
        let value: Int
    }

    /// The sum of a second's packets of one kind.
    private struct Sum {
        var bytes: Int64 = 0
        var count: Int64 = 0

        var mean: Double? { count > 0 ? Double(bytes) / Double(count) : nil }
    }

    private var open: Int64?
    private var keyframes = Sum()
    private var others = Sum()
    /// The running mean of the packets that depend on others; nil before the first.
    private var usual: Double?
    /// The running mean of keyframes; nil before the first.
    private var usualKeyframe: Double?

    /// The number of bytes that is added to the mean size and to the running mean before they are compared. The packets
    /// of a black video have only about ten bytes, so otherwise tiny changes would count as activity.
    private static let least = 256.0
    /// The speed of the running mean. It rises within five minutes, so that lasting activity is measured for minutes.
    /// It falls within ten seconds, so that lasting activity does not hide later activity.
    private static let (falling, rising) = (1.0 / 10, 1.0 / 300)
    /// The speed of the running mean of keyframes, which follows their size within half a minute.
    private static let following = 1.0 / 30
    /// The part of a keyframe's size that may change without activity, for example by noise.
    private static let noise = 0.01

    /// Adds a packet, in the order of decoding.
    ///
    /// - Returns: The second that has ended, if the packet begins another one; nil otherwise.
    mutating func add(at time: MediaTime, bytes: Int, isKeyframe: Bool) -> Second? {
        let index = time.ticks(in: 1, rounding: .down)
        var closed: Second?
        if let open, index > open {
            closed = Second(index: open, value: value)
            close()
        }
        // A frame that is shown before earlier packets may belong to the previous second. It is counted in the current
        // one.
        open = max(open ?? index, index)
        if isKeyframe {
            keyframes.bytes += Int64(bytes)
            keyframes.count += 1
        } else {
            others.bytes += Int64(bytes)
            others.count += 1
        }
        return closed
    }

    /// The second that has not ended; nil before the first packet.
    var current: Second? { open.map { Second(index: $0, value: value) } }

    /// The value, so far, of the second that has not ended.
    private var value: Int {
        if let mean = others.mean {
            let ratio = (mean + Self.least) / ((usual ?? mean) + Self.least)
            return Self.scaled(ratio - 1)
        }
        // If the video usually has packets that are not keyframes, a second without them counts as 0.
        guard usual == nil, let mean = keyframes.mean, let usualKeyframe else { return 0 }
        let change = abs(mean - usualKeyframe) / (usualKeyframe + Self.least)
        return Self.scaled((change - Self.noise) * 10)
    }

    /// Returns 0 for an excess of 0 or less, 50 for an excess of 1, and never more than 100.
    private static func scaled(_ excess: Double) -> Int {
        excess > 0 ? Int(clamping: (100 * excess / (1 + excess)).rounded()) : 0
    }

    private mutating func close() {
        if let mean = others.mean {
            let before = usual ?? mean
            usual = before + (mean - before) * (mean < before ? Self.falling : Self.rising)
        }
        if let mean = keyframes.mean {
            let before = usualKeyframe ?? mean
            usualKeyframe = before + (mean - before) * Self.following
        }
        (keyframes, others) = (Sum(), Sum())
    }
}
