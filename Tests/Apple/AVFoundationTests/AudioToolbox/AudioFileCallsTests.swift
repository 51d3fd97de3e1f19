import AudioToolbox
import Foundation
import TestSupport
import Testing

@Suite struct AudioFileCallsTests {
    private func get<Value>(_ file: AudioFileID, _ id: AudioFilePropertyID, _ start: Value) throws -> Value {
        var (value, size) = (start, UInt32(0))
        try #require(AudioFileGetPropertyInfo(file, id, &size, nil) == noErr)
        #expect(Int(size) == MemoryLayout<Value>.size)
        let status = withUnsafeMutableBytes(of: &value) { AudioFileGetProperty(file, id, &size, $0.baseAddress!) }
        try #require(status == noErr)
        return value
    }

    @Test func audioFile_linearPCM_isReadInItsOwnForm() throws {
        let url = try InputMatrix["pcm-s16.wav"].url()
        var opened: AudioFileID?
        try #require(AudioFileOpenURL(url as CFURL, .readPermission, 0, &opened) == noErr)
        let file = try #require(opened)
        let format = try get(file, kAudioFilePropertyDataFormat, AudioStreamBasicDescription())
        #expect(format.mBitsPerChannel == 16 && format.mChannelsPerFrame == 1)
        #expect(try get(file, kAudioFilePropertyAudioDataByteCount, UInt64(0)) == 96_000)
        #expect(try get(file, kAudioFilePropertyAudioDataPacketCount, UInt64(0)) == 48_000)
        #expect(try get(file, kAudioFilePropertyMaximumPacketSize, UInt32(0)) == 2)
        #expect(try get(file, kAudioFilePropertyEstimatedDuration, Double(0)) == 1)
        let wanted = try Probe.decodedAudio(url.path, as: "s16le")
        var bytes = [UInt8](repeating: 0, count: 3000)
        var (size, packets) = (UInt32(3000), UInt32(1000))
        #expect(AudioFileReadPacketData(file, false, &size, nil, 500, &packets, &bytes) == noErr)
        #expect(size == 2000 && packets == 1000 && Data(bytes.prefix(2000)) == wanted[1000..<3000])
        size = 3000
        #expect(AudioFileReadBytes(file, false, 95_000, &size, &bytes) == noErr)
        #expect(size == 1000 && Data(bytes.prefix(1000)) == wanted.suffix(1000))
        (size, packets) = (3000, 1000)
        let end = AudioFileReadPacketData(file, false, &size, nil, 48_000, &packets, &bytes)
        #expect(end == kAudioFileEndOfFileError && packets == 0)
        #expect(AudioFileReadBytes(file, false, 1, &size, &bytes) == kAudioFileInvalidPacketOffsetError)
        #expect(AudioFileGetPropertyInfo(file, 7, nil, nil) == kAudioFileUnsupportedPropertyError)
        #expect(AudioFileClose(file) == noErr)
    }

    @Test func audioFile_bigEndian_isWrittenAsItIs() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("a.aiff")
        var stream = AudioStreamBasicDescription(
            mSampleRate: 8000, mFormatID: kAudioFormatLinearPCM,
            mFormatFlags: kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked | kAudioFormatFlagIsBigEndian,
            mBytesPerPacket: 3, mFramesPerPacket: 1, mBytesPerFrame: 3, mChannelsPerFrame: 1, mBitsPerChannel: 24,
            mReserved: 0)
        var made: AudioFileID?
        try #require(
            AudioFileCreateWithURL(url as CFURL, kAudioFileAIFFType, &stream, .eraseFile, &made) == noErr)
        let file = try #require(made)
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        var packets: UInt32 = 100
        #expect(AudioFileWritePackets(file, false, 300, nil, 0, &packets, bytes) == noErr)
        #expect(AudioFileWritePackets(file, false, 300, nil, 7, &packets, bytes) == kAudioFileInvalidPacketOffsetError)
        #expect(AudioFileClose(file) == noErr)
        #expect(try Probe.decodedAudio(url.path, as: "s24be", codec: "pcm_s24be") == Data(bytes))
    }

    @Test func audioFile_compressed_hasNoPackets() throws {
        var opened: AudioFileID?
        let url = try InputMatrix["aac.m4a"].url()
        #expect(
            AudioFileOpenURL(url as CFURL, .readWritePermission, 0, &opened) == kAudioFileOperationNotSupportedError)
        try #require(AudioFileOpenURL(url as CFURL, .readPermission, kAudioFileM4AType, &opened) == noErr)
        let file = try #require(opened)
        var (size, packets, byte) = (UInt32(1), UInt32(1), UInt8(0))
        let status = AudioFileReadPacketData(file, false, &size, nil, 0, &packets, &byte)
        #expect(status == kAudioFileOperationNotSupportedError)
        #expect(AudioFileGetPropertyInfo(file, kAudioFilePropertyMagicCookieData, &size, nil) == noErr && size > 0)
        #expect(AudioFileClose(file) == noErr)
    }
}
