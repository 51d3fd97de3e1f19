import MediaTypes

extension AudioStreamBasicDescription {
    /// Creates the description of linear PCM whose samples have no padding bits.
    ///
    /// - Parameter isInterleaved: false if each channel has its own buffer.
    init(
        pcm: PCMSampleFormat, sampleRate: Double, channels: AVAudioChannelCount, isInterleaved: Bool,
        isBigEndian: Bool = false
    ) {
        self.init()
        mSampleRate = sampleRate
        mFormatID = kAudioFormatLinearPCM
        mFormatFlags = kAudioFormatFlagIsPacked
        mFormatFlags |= pcm.isFloatingPoint ? kAudioFormatFlagIsFloat : kAudioFormatFlagIsSignedInteger
        if isBigEndian { mFormatFlags |= kAudioFormatFlagIsBigEndian }
        if !isInterleaved { mFormatFlags |= kAudioFormatFlagIsNonInterleaved }
        mFramesPerPacket = 1
        mChannelsPerFrame = channels
        mBitsPerChannel = UInt32(pcm.byteCount * 8)
        mBytesPerFrame = UInt32(pcm.byteCount) * (isInterleaved ? min(channels, 1024) : 1)
        mBytesPerPacket = mBytesPerFrame
    }

    /// True if each channel has its own buffer.
    var isApart: Bool { mFormatFlags & kAudioFormatFlagIsNonInterleaved != 0 && mFormatID == kAudioFormatLinearPCM }

    /// The number of buffers that a list with this format has.
    var bufferCount: Int { isApart ? max(1, Int(mChannelsPerFrame)) : 1 }

    /// True if the samples of linear PCM fill their frame. The caller may set any values in the fields, so the products
    /// are computed with 64 bits.
    private var fillsFrame: Bool {
        UInt64(mBytesPerFrame) * 8 == UInt64(mBitsPerChannel) * UInt64(isApart ? 1 : mChannelsPerFrame)
    }

    /// The description without flags that have no effect on the bytes. These are the interleaving of a single channel,
    /// and the packing and alignment of samples that fill their frame.
    var essence: AudioStreamBasicDescription {
        guard mFormatID == kAudioFormatLinearPCM else { return self }
        var description = self
        if mChannelsPerFrame == 1 { description.mFormatFlags &= ~kAudioFormatFlagIsNonInterleaved }
        if fillsFrame { description.mFormatFlags &= ~(kAudioFormatFlagIsPacked | kAudioFormatFlagIsAlignedHigh) }
        return description
    }

    /// The common format of Apple that matches; `otherFormat` if none does.
    var commonFormat: AVAudioCommonFormat {
        guard mFormatID == kAudioFormatLinearPCM, mFormatFlags & kAudioFormatFlagIsBigEndian == 0,
            mFormatFlags & kLinearPCMFormatFlagsSampleFractionMask == 0, fillsFrame
        else { return .otherFormat }
        let isSigned = mFormatFlags & kAudioFormatFlagIsSignedInteger != 0
        switch (mFormatFlags & kAudioFormatFlagIsFloat != 0, mBitsPerChannel) {
        case (true, 32): return .pcmFormatFloat32
        case (true, 64): return .pcmFormatFloat64
        case (false, 16) where isSigned: return .pcmFormatInt16
        case (false, 32) where isSigned: return .pcmFormatInt32
        default: return .otherFormat
        }
    }
}

extension AVAudioCommonFormat {
    /// The library's sample format; nil for `otherFormat`.
    var pcm: PCMSampleFormat? {
        switch self {
        case .otherFormat: nil
        case .pcmFormatFloat32: .float32
        case .pcmFormatFloat64: .float64
        case .pcmFormatInt16: .s16
        case .pcmFormatInt32: .s32
        }
    }
}
