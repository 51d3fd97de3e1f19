public import Foundation
import MediaTypes
import RealTime

/// A form of audio: linear PCM, or a codec. Immutable except for `magicCookie`.
open class AVAudioFormat: NSObject, @unchecked Sendable {
    // Unchecked: only the cookie changes, and the lock protects it.
    private let stream: UnsafeMutablePointer<AudioStreamBasicDescription>
    public let channelLayout: AVAudioChannelLayout?
    private let cookie: Locked<Data?>

    init(_ description: AudioStreamBasicDescription, _ layout: AVAudioChannelLayout? = nil, cookie: Data? = nil) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: description)
        channelLayout = layout
        self.cookie = Locked(cookie)
        super.init()
    }

    deinit { stream.deallocate() }

    /// Returns nil for more than two channels, which need a layout.
    public convenience init?(streamDescription: UnsafePointer<AudioStreamBasicDescription>) {
        self.init(streamDescription: streamDescription, channelLayout: nil)
    }

    /// Returns nil for more than two channels without a layout, and for a layout with a different number of channels.
    public convenience init?(
        streamDescription: UnsafePointer<AudioStreamBasicDescription>, channelLayout layout: AVAudioChannelLayout?
    ) {
        let description = streamDescription.pointee
        guard Self.fits(description.mChannelsPerFrame, layout) else { return nil }
        self.init(description, layout)
    }

    /// The standard format: 32-bit floating point samples, with a buffer for each channel.
    ///
    /// - Returns: nil for 0 channels. Also nil for more than two, because these need a layout.
    public convenience init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) {
        self.init(commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, channels: channels, interleaved: false)
    }

    public convenience init(
        standardFormatWithSampleRate sampleRate: Double, channelLayout layout: AVAudioChannelLayout
    ) {
        self.init(
            commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, interleaved: false, channelLayout: layout)
    }

    /// Returns nil for `otherFormat` and for 0 channels. Also returns nil for more than two channels, because these
    /// need a layout.
    public convenience init?(
        commonFormat format: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount, interleaved: Bool
    ) {
        guard let pcm = format.pcm, sampleRate > 0, Self.fits(channels, nil) else { return nil }
        self.init(
            AudioStreamBasicDescription(
                pcm: pcm, sampleRate: sampleRate, channels: channels, isInterleaved: interleaved))
    }

    /// - Parameter format: the sample format. With `otherFormat`, the result is a format that cannot be converted.
    public convenience init(
        commonFormat format: AVAudioCommonFormat, sampleRate: Double, interleaved: Bool,
        channelLayout layout: AVAudioChannelLayout
    ) {
        var description = AudioStreamBasicDescription()
        if let pcm = format.pcm {
            description = AudioStreamBasicDescription(
                pcm: pcm, sampleRate: sampleRate, channels: layout.channelCount, isInterleaved: interleaved)
        }
        self.init(description, layout)
    }

    public convenience init(cmAudioFormatDescription formatDescription: CMAudioFormatDescription) {
        let layout = formatDescription.engine.audio?.layout.map { AVAudioChannelLayout($0) }
        self.init(
            formatDescription.audioStreamBasicDescription ?? AudioStreamBasicDescription(), layout,
            cookie: formatDescription.magicCookie)
    }

    private static func fits(_ channels: AVAudioChannelCount, _ layout: AVAudioChannelLayout?) -> Bool {
        if let layout { return layout.channelCount == channels }
        return (1...2).contains(channels)
    }

    open var streamDescription: UnsafePointer<AudioStreamBasicDescription> { UnsafePointer(stream) }
    open var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }
    open var commonFormat: AVAudioCommonFormat { stream.pointee.commonFormat }
    open var channelCount: AVAudioChannelCount { stream.pointee.mChannelsPerFrame }
    open var sampleRate: Double { stream.pointee.mSampleRate }
    open var isInterleaved: Bool { !stream.pointee.isApart }

    /// The codec's configuration bytes.
    open var magicCookie: Data? {
        get { cookie.withLock { $0 } }
        set { cookie.withLock { $0 = newValue } }
    }

    open var formatDescription: CMAudioFormatDescription {
        let description = stream.pointee
        let unknown = AudioFormat(
            codec: AudioCodec(rawValue: FourCharacters(description.mFormatID).description),
            sampleRate: Int(clamping: sampleRate.rounded()), channelCount: Int(channelCount))
        return CMFormatDescription(.audio(engine ?? unknown), code: description.mFormatID, stream: description)
    }

    /// Returns true if both formats describe the samples in the same way. Their layouts and cookies may differ.
    func hasSameSamples(as other: AVAudioFormat) -> Bool { stream.pointee.essence == other.stream.pointee.essence }

    /// Returns how this format differs from the one that a buffer must have, as text for an error; nil if the two do
    /// not differ.
    ///
    /// Formats differ if their samples differ. If both have a layout, they also differ if the loudspeakers of their
    /// channels differ.
    func difference(to wanted: AVAudioFormat, named name: String) -> String? {
        guard hasSameSamples(as: wanted) else {
            return "its format (\(description)) is not \(name) (\(wanted.description))"
        }
        guard channelLayout !== wanted.channelLayout, let own = engine?.layout, let others = wanted.engine?.layout,
            own != others, !own.isDiscrete, !others.isDiscrete, own.order(for: others) != Array(own.positions.indices)
        else { return nil }
        return "its channels are \(own.rawValue), those of \(name) are \(others.rawValue)"
    }

    /// Returns true if both formats describe the same bytes. Three details are ignored: the interleaving of a single
    /// channel, the packing flags of samples without padding, and a plain mono or stereo layout.
    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioFormat else { return false }
        return hasSameSamples(as: other) && unusualLayout == other.unusualLayout && magicCookie == other.magicCookie
    }
    override open var hash: Int { stream.pointee.essence.hashValue }

    /// The layout. nil for plain mono or stereo, which a format may omit.
    private var unusualLayout: AVAudioChannelLayout? {
        let tag = channelLayout?.layoutTag
        return tag == kAudioChannelLayoutTag_Mono || tag == kAudioChannelLayoutTag_Stereo ? nil : channelLayout
    }

    override open var description: String {
        let kind = FourCharacters(stream.pointee.mFormatID).description
        let form = isInterleaved ? "interleaved" : "deinterleaved"
        return "\(channelCount) ch, \(sampleRate) Hz, \(kind), \(stream.pointee.mBitsPerChannel) bits, \(form)"
    }
}

extension AVAudioFormat {
    /// The equivalent format of the library, which is interleaved. nil if the library has no such format. Also nil if
    /// the frame size or the layout contradicts the number of channels.
    var engine: AudioFormat? {
        let description = streamDescription.pointee
        let isPCM = description.mFormatID == kAudioFormatLinearPCM
        if isPCM, description.mFormatFlags & (kAudioFormatFlagIsFloat | kAudioFormatFlagIsSignedInteger) == 0 {
            return nil
        }
        guard var format = description.format else { return nil }
        if let pcm = format.pcm {
            // Frames of the library have no padding.
            let samples = isInterleaved ? format.channelCount : 1
            guard Int(description.mBytesPerFrame) == pcm.byteCount * samples else { return nil }
        }
        if let channelLayout {
            guard Int(channelLayout.channelCount) == format.channelCount else { return nil }
            format.layout = channelLayout.engine(isPCM: isPCM)
        }
        if let magicCookie { format.decoderConfiguration = MagicCookie.configuration(magicCookie, of: format.codec) }
        return format
    }

    /// The bit depth that the flags of Apple Lossless state, if encoders support that depth. If nil, encoders use the
    /// bit depth of the input.
    var losslessBitDepth: Int? {
        let description = streamDescription.pointee
        guard description.mFormatID == kAudioFormatAppleLossless else { return nil }
        switch description.mFormatFlags {
        case kAppleLosslessFormatFlag_16BitSourceData: return 16
        case kAppleLosslessFormatFlag_24BitSourceData: return 24
        default: return nil
        }
    }

    /// Creates the equivalent of a format of the library. Linear PCM is interleaved.
    convenience init(_ format: AudioFormat) {
        var description = AudioStreamBasicDescription(format)
        if format.codec.rawValue == "pcm_u8" {
            description = AudioStreamBasicDescription(
                pcm: .s8, sampleRate: Double(format.sampleRate), channels: UInt32(clamping: format.channelCount),
                isInterleaved: true)
            description.mFormatFlags &= ~kAudioFormatFlagIsSignedInteger
        }
        let layout = format.layout ?? (format.channelCount > 2 ? .discrete(format.channelCount) : nil)
        let cookie = format.decoderConfiguration
        self.init(description, layout.map { AVAudioChannelLayout($0) }, cookie: cookie.isEmpty ? nil : Data(cookie))
    }
}
