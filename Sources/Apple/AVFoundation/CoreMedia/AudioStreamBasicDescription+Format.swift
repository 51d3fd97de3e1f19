import MediaTypes

extension AudioStreamBasicDescription {
    init(_ format: AudioFormat) {
        self.init()
        mSampleRate = Double(format.sampleRate)
        mFormatID = CodecCode.code(of: format.codec)
        mChannelsPerFrame = UInt32(clamping: format.channelCount)
        guard let pcm = format.pcm else {
            mFramesPerPacket = UInt32(clamping: format.framesPerPacket)
            return
        }
        mFormatFlags = kAudioFormatFlagIsPacked
        if pcm.isFloatingPoint {
            mFormatFlags |= kAudioFormatFlagIsFloat
        } else {
            mFormatFlags |= kAudioFormatFlagIsSignedInteger
        }
        if format.isBigEndian { mFormatFlags |= kAudioFormatFlagIsBigEndian }
        mFramesPerPacket = 1
        mBitsPerChannel = UInt32(pcm.byteCount * 8)
        mBytesPerFrame = UInt32(clamping: format.bytesPerFrame ?? 0)
        mBytesPerPacket = mBytesPerFrame
    }

    var isNonInterleaved: Bool { mFormatFlags & kAudioFormatFlagIsNonInterleaved != 0 && mChannelsPerFrame > 1 }

    /// The library's format, which is interleaved. nil if the format is unsupported: another codec, unsigned samples or
    /// unusual sizes.
    var format: AudioFormat? {
        guard mSampleRate >= 1, mSampleRate <= 768_000, (1...64).contains(mChannelsPerFrame),
            let codec = CodecCode.audioCodec(mFormatID)
        else { return nil }
        let (rate, channels) = (Int(clamping: mSampleRate.rounded()), Int(mChannelsPerFrame))
        guard codec == .linearPCM else {
            return AudioFormat(
                codec: codec, sampleRate: rate, channelCount: channels, framesPerPacket: Int(mFramesPerPacket))
        }
        let samplesPerFrame = isNonInterleaved ? 1 : mChannelsPerFrame
        let isFloat = mFormatFlags & kAudioFormatFlagIsFloat != 0
        let pcm: PCMSampleFormat
        switch (isFloat, mBitsPerChannel) {
        case (true, 32): pcm = .float32
        case (true, 64): pcm = .float64
        case (false, 8): pcm = .s8
        case (false, 16): pcm = .s16
        case (false, 24) where mBytesPerFrame == 3 * samplesPerFrame: pcm = .s24
        case (false, 32): pcm = .s32
        default: return nil
        }
        return AudioFormat(
            pcm: pcm, sampleRate: rate, channelCount: channels,
            isBigEndian: mFormatFlags & kAudioFormatFlagIsBigEndian != 0)
    }
}
