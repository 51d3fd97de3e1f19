import AudioToolbox
import Foundation
import TestSupport
import Testing

@Suite struct ExtAudioFileTests {
    private static func float(_ rate: Double, _ channels: UInt32) -> AudioStreamBasicDescription {
        AudioStreamBasicDescription(
            mSampleRate: rate, mFormatID: kAudioFormatLinearPCM, mFormatFlags: kAudioFormatFlagsNativeFloatPacked,
            mBytesPerPacket: 4 * channels, mFramesPerPacket: 1, mBytesPerFrame: 4 * channels,
            mChannelsPerFrame: channels, mBitsPerChannel: 32, mReserved: 0)
    }

    /// Reads all frames as interleaved floats.
    private func read(_ file: ExtAudioFileRef, channels: Int, by step: UInt32 = 1000) throws -> [Float] {
        var all: [Float] = []
        var block = [Float](repeating: 0, count: Int(step) * channels)
        while true {
            var frames = step
            let status = block.withUnsafeMutableBufferPointer { block -> OSStatus in
                var list = AudioBufferList(
                    mNumberBuffers: 1, mBuffers: AudioBuffer(block, numberOfChannels: channels))
                return ExtAudioFileRead(file, &frames, &list)
            }
            try #require(status == noErr)
            guard frames > 0 else { return all }
            all += block[..<(Int(frames) * channels)]
        }
    }

    private func setClient(_ file: ExtAudioFileRef, _ format: AudioStreamBasicDescription) -> OSStatus {
        var format = format
        let size = UInt32(MemoryLayout<AudioStreamBasicDescription>.size)
        return ExtAudioFileSetProperty(file, kExtAudioFileProperty_ClientDataFormat, size, &format)
    }

    private func get<Value>(_ file: ExtAudioFileRef, _ id: ExtAudioFilePropertyID, _ start: Value) throws -> Value {
        var (value, size) = (start, UInt32(MemoryLayout<Value>.size))
        let status = withUnsafeMutableBytes(of: &value) { ExtAudioFileGetProperty(file, id, &size, $0.baseAddress!) }
        try #require(status == noErr)
        #expect(Int(size) == MemoryLayout<Value>.size)
        return value
    }

    @Test func open_compressedFile_isReadInTheClientsFormat() throws {
        let url = try InputMatrix["aac.m4a"].url()
        var opened: ExtAudioFileRef?
        try #require(ExtAudioFileOpenURL(url as CFURL, &opened) == noErr)
        let file = try #require(opened)
        let format = try get(file, kExtAudioFileProperty_FileDataFormat, AudioStreamBasicDescription())
        #expect(format.mFormatID == kAudioFormatMPEG4AAC && format.mSampleRate == 48_000)
        #expect(try get(file, kExtAudioFileProperty_FileLengthFrames, Int64(0)) == 48_000)
        try #require(setClient(file, Self.float(48_000, 1)) == noErr)
        #expect(try get(file, kExtAudioFileProperty_ClientDataFormat, format) == Self.float(48_000, 1))
        let all = try read(file, channels: 1)
        #expect(all.count == 48_000)
        let decoded = try Probe.decodedAudio(url.path, as: "f32le").withUnsafeBytes {
            Array($0.bindMemory(to: Float.self))
        }
        #expect(all == Array(decoded.prefix(48_000)))
        var place: Int64 = 0
        #expect(ExtAudioFileTell(file, &place) == noErr && place == 48_000)
        #expect(ExtAudioFileSeek(file, 47_000) == noErr)
        #expect(try read(file, channels: 1).count == 1000)
        // Another rate and another number of channels.
        #expect(ExtAudioFileSeek(file, 0) == noErr && setClient(file, Self.float(24_000, 2)) == noErr)
        let slower = try read(file, channels: 2)
        #expect(slower.count == 48_000 && slower[2000] == slower[2001])
        var aac = format
        aac.mFormatID = kAudioFormatMPEG4AAC
        #expect(setClient(file, aac) == kExtAudioFileError_NonPCMClientFormat)
        #expect(ExtAudioFileDispose(file) == noErr)
    }

    @Test func setClient_whileReading_continuesWithTheNextFrame() throws {
        let url = try InputMatrix["pcm-s16.wav"].url()
        var opened: ExtAudioFileRef?
        try #require(ExtAudioFileOpenURL(url as CFURL, &opened) == noErr)
        let file = try #require(opened)
        try #require(setClient(file, Self.float(24_000, 1)) == noErr)
        var half = [Float](repeating: 0, count: 12_000)
        var frames: UInt32 = 12_000
        half.withUnsafeMutableBufferPointer { half in
            var list = AudioBufferList(mNumberBuffers: 1, mBuffers: AudioBuffer(half, numberOfChannels: 1))
            #expect(ExtAudioFileRead(file, &frames, &list) == noErr)
        }
        #expect(frames == 12_000)
        try #require(setClient(file, Self.float(48_000, 1)) == noErr)
        var place: Int64 = 0
        #expect(ExtAudioFileTell(file, &place) == noErr && place == 24_000)
        let decoded = try Probe.decodedAudio(url.path, as: "f32le").withUnsafeBytes {
            Array($0.bindMemory(to: Float.self))
        }
        #expect(try read(file, channels: 1) == Array(decoded[24_000...]))
        #expect(ExtAudioFileDispose(file) == noErr)
    }

    @Test func seek_clientOfOtherRate_tellsTheExactFrame() throws {
        let url = try InputMatrix["pcm-s16.wav"].url()
        var opened: ExtAudioFileRef?
        try #require(ExtAudioFileOpenURL(url as CFURL, &opened) == noErr)
        let file = try #require(opened)
        try #require(setClient(file, Self.float(24_000, 1)) == noErr)
        // Between two frames of the client.
        #expect(ExtAudioFileSeek(file, 47_001) == noErr)
        var place: Int64 = 0
        #expect(ExtAudioFileTell(file, &place) == noErr && place == 47_001)
        try #require(setClient(file, Self.float(48_000, 1)) == noErr)
        #expect(ExtAudioFileTell(file, &place) == noErr && place == 47_001)
        #expect(try read(file, channels: 1).count == 999)
        #expect(ExtAudioFileTell(file, &place) == noErr && place == 48_000)
        #expect(ExtAudioFileDispose(file) == noErr)
    }

    @Test func setClient_whileWriting_keepsAllFrames() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("a.wav")
        var stream = Self.float(48_000, 1)
        var made: ExtAudioFileRef?
        try #require(ExtAudioFileCreateWithURL(url as CFURL, kAudioFileWAVEType, &stream, nil, 0, &made) == noErr)
        let file = try #require(made)
        var samples = [Float](repeating: 0.25, count: 24_000)
        for (rate, frames) in [(24_000.0, UInt32(12_000)), (48_000, 24_000)] {
            try #require(setClient(file, Self.float(rate, 1)) == noErr)
            samples.withUnsafeMutableBufferPointer { samples in
                var list = AudioBufferList(mNumberBuffers: 1, mBuffers: AudioBuffer(samples, numberOfChannels: 1))
                #expect(ExtAudioFileWrite(file, frames, &list) == noErr)
            }
        }
        var place: Int64 = 0
        #expect(ExtAudioFileTell(file, &place) == noErr && place == 48_000)
        #expect(ExtAudioFileDispose(file) == noErr)
        #expect(try AVAudioFile(forReading: url).length == 48_000)
    }

    @Test func clientLayout_otherOrder_reordersTheChannels() throws {
        var opened: ExtAudioFileRef?
        try #require(ExtAudioFileOpenURL(try InputMatrix["flac.flac"].url() as CFURL, &opened) == noErr)
        let file = try #require(opened)
        let usual = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A))
        let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: usual)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 1000))
        func channels() -> [[Float]] {
            buffer.frameLength = 1000
            var frames: UInt32 = 1000
            #expect(ExtAudioFileSeek(file, 24_000) == noErr)
            #expect(ExtAudioFileRead(file, &frames, buffer.mutableAudioBufferList) == noErr && frames == 1000)
            return (0..<6).map { AudioTone.samples(buffer, channel: $0) }
        }
        func setLayout(_ tag: AudioChannelLayoutTag) -> OSStatus {
            var layout = AudioChannelLayout()
            layout.mChannelLayoutTag = tag
            return ExtAudioFileSetProperty(file, kExtAudioFileProperty_ClientChannelLayout, 32, &layout)
        }
        let stored = channels()
        // L R C LFE Ls Rs, and C L R Ls Rs LFE.
        #expect(setLayout(kAudioChannelLayoutTag_MPEG_5_1_D) == noErr)
        #expect(channels() == [2, 0, 1, 4, 5, 3].map { stored[$0] })
        #expect(setLayout(kAudioChannelLayoutTag_Stereo) == kExtAudioFileError_InvalidDataFormat)
        #expect(ExtAudioFileDispose(file) == noErr)
    }

    @Test func create_wave_writesTheClientsFrames() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("a.wav")
        var stream = AudioStreamBasicDescription(
            mSampleRate: 44_100, mFormatID: kAudioFormatLinearPCM,
            mFormatFlags: kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked, mBytesPerPacket: 4,
            mFramesPerPacket: 1, mBytesPerFrame: 4, mChannelsPerFrame: 2, mBitsPerChannel: 16, mReserved: 0)
        var samples = (0..<2000).map { Int16(truncatingIfNeeded: $0 &* 7919) }
        for flags in [UInt32(0), 1] {
            var made: ExtAudioFileRef?
            try #require(
                ExtAudioFileCreateWithURL(url as CFURL, kAudioFileWAVEType, &stream, nil, flags, &made) == noErr)
            let file = try #require(made)
            samples.withUnsafeMutableBufferPointer { samples in
                var list = AudioBufferList(mNumberBuffers: 1, mBuffers: AudioBuffer(samples, numberOfChannels: 2))
                #expect(ExtAudioFileWrite(file, 1000, &list) == noErr)
                #expect(ExtAudioFileWriteAsync(file, 1000, &list) == noErr)
                #expect(ExtAudioFileWriteAsync(file, 0, nil) == noErr)
                #expect(ExtAudioFileWrite(file, 1001, &list) == kAudio_ParamError)
            }
            #expect(ExtAudioFileSeek(file, 0) == kExtAudioFileError_InvalidSeek)
            #expect(ExtAudioFileDispose(file) == noErr)
            let wanted = samples.withUnsafeBytes { Data($0) }
            #expect(try Probe.decodedAudio(url.path, as: "s16le") == wanted + wanted)
        }
        var made: ExtAudioFileRef?
        // The file exists, and is not to be erased.
        #expect(
            ExtAudioFileCreateWithURL(url as CFURL, kAudioFileWAVEType, &stream, nil, 0, &made)
                == kAudioFilePermissionsError)
        #expect(
            ExtAudioFileCreateWithURL(directory.file("a.mp3") as CFURL, kAudioFileMP3Type, &stream, nil, 1, &made)
                == kAudioFileUnsupportedFileTypeError)
        #expect(made == nil)
    }

    @Test func create_compressed_encodesTheClientsFrames() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("a.m4a")
        var stream = AudioStreamBasicDescription()
        (stream.mSampleRate, stream.mFormatID, stream.mChannelsPerFrame) = (48_000, kAudioFormatMPEG4AAC, 1)
        var made: ExtAudioFileRef?
        try #require(ExtAudioFileCreateWithURL(url as CFURL, kAudioFileM4AType, &stream, nil, 1, &made) == noErr)
        let file = try #require(made)
        var codec = kAppleSoftwareAudioCodecManufacturer
        #expect(ExtAudioFileSetProperty(file, kExtAudioFileProperty_CodecManufacturer, 4, &codec) == noErr)
        // The client has half of the rate: the file lasts as long.
        try #require(setClient(file, Self.float(24_000, 1)) == noErr)
        var tone = (0..<24_000).map { Float(0.5 * sin(2 * .pi * 440 * Double($0) / 24_000)) }
        tone.withUnsafeMutableBufferPointer { tone in
            var list = AudioBufferList(mNumberBuffers: 1, mBuffers: AudioBuffer(tone, numberOfChannels: 1))
            #expect(ExtAudioFileWrite(file, 24_000, &list) == noErr)
        }
        #expect(ExtAudioFileDispose(file) == noErr)
        #expect(try AVAudioFile(forReading: url).length == 48_000)
    }

    @Test(arguments: [(kAppleLosslessFormatFlag_16BitSourceData, 16), (kAppleLosslessFormatFlag_24BitSourceData, 24)])
    func create_losslessOfBitDepth_storesThatDepth(_ flag: AudioFormatFlags, _ depth: Int) throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("a.caf")
        var stream = AudioStreamBasicDescription()
        (stream.mSampleRate, stream.mFormatID, stream.mChannelsPerFrame) = (48_000, kAudioFormatAppleLossless, 1)
        stream.mFormatFlags = flag
        var made: ExtAudioFileRef?
        try #require(ExtAudioFileCreateWithURL(url as CFURL, kAudioFileCAFType, &stream, nil, 1, &made) == noErr)
        let file = try #require(made)
        try #require(setClient(file, Self.float(48_000, 1)) == noErr)
        var samples = [Float](repeating: 0.25, count: 5000)
        samples.withUnsafeMutableBufferPointer { samples in
            var list = AudioBufferList(mNumberBuffers: 1, mBuffers: AudioBuffer(samples, numberOfChannels: 1))
            #expect(ExtAudioFileWrite(file, 5000, &list) == noErr)
        }
        #expect(ExtAudioFileDispose(file) == noErr)
        // The sixth byte of the configuration has the depth.
        let cookie = try #require(try AVAudioFile(forReading: url).fileFormat.magicCookie)
        #expect(cookie.count == 24 && Int(Array(cookie)[5]) == depth)
    }

    @Test func property_unknownOrTooSmall_isRefused() throws {
        var opened: ExtAudioFileRef?
        try #require(ExtAudioFileOpenURL(try InputMatrix["flac.flac"].url() as CFURL, &opened) == noErr)
        let file = try #require(opened)
        var (value, size, isWritable): (UInt64, UInt32, DarwinBoolean) = (0, 8, true)
        #expect(ExtAudioFileGetProperty(file, 7, &size, &value) == kExtAudioFileError_InvalidProperty)
        #expect(ExtAudioFileSetProperty(file, 7, 8, &value) == kExtAudioFileError_InvalidProperty)
        #expect(
            ExtAudioFileGetProperty(file, kExtAudioFileProperty_FileDataFormat, &size, &value)
                == kExtAudioFileError_InvalidPropertySize)
        #expect(
            ExtAudioFileGetPropertyInfo(file, kExtAudioFileProperty_FileChannelLayout, &size, &isWritable) == noErr)
        #expect(size >= 32 && !isWritable.boolValue)
        var layout = AudioChannelLayout()
        size = 32
        #expect(ExtAudioFileGetProperty(file, kExtAudioFileProperty_FileChannelLayout, &size, &layout) == noErr)
        #expect(layout.mChannelLayoutTag == kAudioChannelLayoutTag_MPEG_5_1_A)
        #expect(ExtAudioFileDispose(file) == noErr)
        var none: ExtAudioFileRef?
        let missing = URL(fileURLWithPath: "/nowhere/a.wav")
        #expect(ExtAudioFileOpenURL(missing as CFURL, &none) == kAudioFileFileNotFoundError && none == nil)
    }
}
