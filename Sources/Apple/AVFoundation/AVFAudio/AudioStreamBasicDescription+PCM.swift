import MediaTypes

extension AudioStreamBasicDescription {
    /// Linear PCM with samples of full size.
    ///
    /// - Parameter isInterleaved: false for a buffer for each channel.
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

    /// True if each channel has a buffer of its own.
    var isApart: Bool { mFormatFlags & kAudioFormatFlagIsNonInterleaved != 0 && mFormatID == kAudioFormatLinearPCM }

    /// The number of buffers of a list.
    var bufferCount: Int { isApart ? max(1, Int(mChannelsPerFrame)) : 1 }

    /// The form as one of Apple's common ones.
    var commonFormat: AVAudioCommonFormat {
        guard mFormatID == kAudioFormatLinearPCM, mFormatFlags & kAudioFormatFlagIsBigEndian == 0,
            mFormatFlags & kLinearPCMFormatFlagsSampleFractionMask == 0,
            mBytesPerFrame == mBitsPerChannel / 8 * (isApart ? 1 : mChannelsPerFrame)
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
    /// The engine's sample format; nil for `otherFormat`.
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
