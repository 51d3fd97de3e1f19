public import MediaTypes

/// A request for a microphone's format. A property that is nil is chosen by
/// `MicrophoneCapabilities.choices(for:device:)`.
public struct MicrophoneRequest: Sendable, Hashable {
    /// Audio frames per second.
    public var sampleRate: Int?
    public var channels: Int?
    public var format: PCMSampleFormat?

    public init(sampleRate: Int? = nil, channels: Int? = nil, format: PCMSampleFormat? = nil) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.format = format
    }
}

/// The formats, rates and channel counts that a microphone reports, each independently of the others; some combinations
/// may be impossible.
///
/// Source: alsa-lib's PCM interface, snd_pcm_hw_params_test_format, _test_rate, _test_channels.
public struct MicrophoneCapabilities: Sendable, Hashable {
    public var formats: [PCMSampleFormat]
    /// Audio frames per second: the usual rates that the microphone supports, its lowest and its highest rate, and any
    /// other queried rate.
    public var sampleRates: [Int]
    public var channels: [Int]

    public init(formats: [PCMSampleFormat], sampleRates: [Int], channels: [Int]) {
        self.formats = formats
        self.sampleRates = sampleRates
        self.channels = channels
    }

    /// Returns the formats to try for a request, the best first. A pure function: the device is not queried.
    ///
    /// Requested values are met exactly or refused. Open choices are made in this order: 48 kHz, 44.1 kHz, the next
    /// higher rate, the next lower; stereo, mono, the fewest channels; 16 bits, whose resolution exceeds any
    /// microphone's noise floor, then 32, 24 and floating point.
    ///
    /// - Parameter device: The device's name, for the message.
    /// - Throws: `deviceUnsuitable`, with the nearest format that the microphone supports.
    public func choices(for request: MicrophoneRequest, device: String) throws(MediaError) -> [AudioFormat] {
        guard !formats.isEmpty, !sampleRates.isEmpty, !channels.isEmpty else {
            throw MediaError(
                .deviceUnsuitable, "cannot record from \(device)",
                reason: "it offers no interleaved samples of 16, 24 or 32 bits or floating point",
                wayOut: device.hasPrefix("hw:") ? "try plug\(device)" : "")
        }
        let rates = try Self.options(
            request.sampleRate, among: sampleRates, preference: Self.ratePreference, unit: "Hz", device: device)
        let counts = try Self.options(
            request.channels, among: channels, preference: Self.channelPreference, unit: "channels", device: device)
        var kinds = Self.formatPreference.filter(formats.contains)
        if let wanted = request.format {
            guard kinds.contains(wanted) else {
                throw MediaError(
                    .deviceUnsuitable, "cannot record \(wanted.rawValue) from \(device)",
                    reason: "it offers \(kinds.map(\.rawValue).joined(separator: ", "))",
                    wayOut: "nearest is \(Self.nearest(to: wanted, among: kinds).rawValue)")
            }
            kinds = [wanted]
        }
        return rates.flatMap { rate in
            counts.flatMap { count in
                kinds.map {
                    AudioFormat(
                        pcm: $0, sampleRate: rate, channelCount: count, layout: count > 2 ? .discrete(count) : nil)
                }
            }
        }
    }

    private static let formatPreference: [PCMSampleFormat] = [.s16, .s32, .s24, .float32]

    /// Returns the format that keeps most of the precision of `wanted`, preferring wider ones.
    private static func nearest(to wanted: PCMSampleFormat, among kinds: [PCMSampleFormat]) -> PCMSampleFormat {
        let order: [PCMSampleFormat] =
            switch wanted {
            case .s16: [.s24, .s32, .float32]
            case .s24: [.s32, .float32, .s16]
            case .s32: [.s24, .float32, .s16]
            case .float32, .float64: [.float32, .s32, .s24, .s16]
            case .s8: [.s16, .s24, .s32, .float32]
            }
        return order.first(where: kinds.contains) ?? kinds[0]
    }

    private static func ratePreference(_ rate: Int) -> Int {
        switch rate {
        case 48_000: 0
        case 44_100: 1
        case 48_001...: rate
        default: 10_000_000 - rate
        }
    }

    private static func channelPreference(_ count: Int) -> Int { count == 2 ? 0 : count }

    private static func options(
        _ wanted: Int?, among values: [Int], preference: (Int) -> Int, unit: String, device: String
    ) throws(MediaError) -> [Int] {
        guard let wanted else { return values.sorted { preference($0) < preference($1) } }
        guard !values.contains(wanted) else { return [wanted] }
        let nearest = values.min { (abs($0 - wanted), -$0) < (abs($1 - wanted), -$1) } ?? 0
        throw MediaError(
            .deviceUnsuitable, "cannot record \(wanted) \(unit) from \(device)", reason: "it does not support that",
            wayOut: "nearest is \(nearest)" + (device.hasPrefix("hw:") ? ", or use plug\(device), which converts" : ""))
    }
}
