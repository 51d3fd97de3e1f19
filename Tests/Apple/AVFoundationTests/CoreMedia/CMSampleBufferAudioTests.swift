import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of audio in sample buffers: buffer lists, packets, interleaved and separate channels.
@Suite struct CMSampleBufferAudioTests {
    private func stream(_ channels: UInt32, isApart: Bool = false) -> AudioStreamBasicDescription {
        let width = isApart ? 2 : 2 * channels
        let flags = kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked
        return AudioStreamBasicDescription(
            mSampleRate: 48_000, mFormatID: kAudioFormatLinearPCM,
            mFormatFlags: isApart ? flags | kAudioFormatFlagIsNonInterleaved : flags, mBytesPerPacket: width,
            mFramesPerPacket: 1, mBytesPerFrame: width, mChannelsPerFrame: channels, mBitsPerChannel: 16, mReserved: 0)
    }

    /// A sample buffer without data yet.
    private func sample(_ stream: AudioStreamBasicDescription, frames: Int) throws -> CMSampleBuffer {
        let timing = CMSampleTimingInfo(
            duration: CMTime(value: 1, timescale: 48_000), presentationTimeStamp: .zero, decodeTimeStamp: .invalid)
        return try CMSampleBuffer(
            dataBuffer: nil, formatDescription: CMFormatDescription(audioStreamBasicDescription: stream),
            numSamples: frames, sampleTimings: [timing], sampleSizes: []
        ) { _ in noErr }
    }

    @Test func audioBufferList_setAndRead_isUnchanged() throws {
        let sample = try sample(stream(2), frames: 3)
        var samples: [Int16] = [1, -1, 2, -2, 3, -3]
        try samples.withUnsafeMutableBufferPointer { pointer in
            var list = AudioBufferList(mNumberBuffers: 1, mBuffers: AudioBuffer(pointer, numberOfChannels: 2))
            try sample.setDataBuffer(fromAudioBufferList: &list)
            #expect(
                CMSampleBufferSetDataBufferFromAudioBufferList(
                    sample, blockBufferAllocator: nil, blockBufferMemoryAllocator: nil, flags: 0, bufferList: &list)
                    == kCMSampleBufferError_AlreadyHasDataBuffer)
        }
        #expect(sample.dataReadiness == .ready && sample.duration.seconds == 3.0 / 48_000)
        let read = try sample.withAudioBufferList { list, block in
            #expect(list.count == 1 && list[0].mNumberChannels == 2 && block.dataLength == 12)
            return Array(UnsafeBufferPointer<Int16>(list[0]))
        }
        #expect(read == samples)
        var size = 0
        #expect(
            CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
                sample, bufferListSizeNeededOut: &size, bufferListOut: nil, bufferListSize: 0,
                blockBufferAllocator: nil,
                blockBufferMemoryAllocator: nil, flags: 0, blockBufferOut: nil) == noErr)
        #expect(size == MemoryLayout<AudioBufferList>.size)
        var (list, block) = (AudioBufferList(), CMBlockBuffer?.none)
        #expect(
            CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
                sample, bufferListSizeNeededOut: nil, bufferListOut: &list, bufferListSize: size,
                blockBufferAllocator: nil, blockBufferMemoryAllocator: nil,
                flags: kCMSampleBufferFlag_AudioBufferList_Assure16ByteAlignment, blockBufferOut: &block) == noErr)
        #expect(list.mBuffers.mDataByteSize == 12 && block != nil)
        #expect(
            CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
                sample, bufferListSizeNeededOut: nil, bufferListOut: &list, bufferListSize: 3,
                blockBufferAllocator: nil,
                blockBufferMemoryAllocator: nil, flags: 0, blockBufferOut: nil) == kCMSampleBufferError_ArrayTooSmall)
        var part = [Int16](repeating: 0, count: 4)
        try part.withUnsafeMutableBufferPointer { pointer in
            var target = AudioBufferList(mNumberBuffers: 1, mBuffers: AudioBuffer(pointer, numberOfChannels: 2))
            try sample.copyPCMData(fromRange: 1..<3, into: &target)
            #expect(throws: NSError.self) { try sample.copyPCMData(fromRange: 1..<4, into: &target) }
            #expect(
                CMSampleBufferCopyPCMDataIntoAudioBufferList(sample, at: 0, frameCount: 3, into: &target)
                    == kCMSampleBufferError_ArrayTooSmall)
        }
        #expect(part == [2, -2, 3, -3])
        #expect(try sample.audioStreamPacketDescriptions().isEmpty)
    }

    @Test func planarAudio_written_isInterleaved() async throws {
        let movies = try MadeMovies()
        let target = movies.directory.file("apart.mov")
        let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
        let input = AVAssetWriterInput(
            mediaType: .audio,
            outputSettings: [
                AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2,
                AVLinearPCMBitDepthKey: 16, AVLinearPCMIsFloatKey: false, AVLinearPCMIsBigEndianKey: false,
                AVLinearPCMIsNonInterleaved: false,
            ])
        guard writer.canAdd(input) else { return #expect(Bool(false), "\(String(describing: writer.error))") }
        writer.add(input)
        try writer.start()
        writer.startSession(atSourceTime: .zero)
        let sample = try sample(stream(2, isApart: true), frames: 4800)
        var (left, right) = ([Int16](repeating: 1000, count: 4800), [Int16](repeating: -2000, count: 4800))
        try left.withUnsafeMutableBufferPointer { left in
            try right.withUnsafeMutableBufferPointer { right in
                let list = AudioBufferList.allocate(maximumBuffers: 2)
                defer { free(list.unsafeMutablePointer) }
                list[0] = AudioBuffer(left, numberOfChannels: 1)
                list[1] = AudioBuffer(right, numberOfChannels: 1)
                try sample.setDataBuffer(fromAudioBufferList: list.unsafePointer)
            }
        }
        let apart = try sample.withAudioBufferList { list, _ in
            list.map { UnsafeBufferPointer<Int16>($0).first ?? 0 }
        }
        #expect(apart == [1000, -2000])
        #expect(input.append(sample))
        input.markAsFinished()
        await writer.finishWriting()
        #expect(writer.status == .completed, "\(String(describing: writer.error))")
        let result = try Command.run(["ffmpeg", "-v", "error", "-i", target.path, "-f", "s16le", "-"])
        let stored = result.output.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        #expect(stored.count == 9600 && stored[0] == 1000 && stored[1] == -2000 && stored[9599] == -2000)
    }

    @Test func append_planarBytesWithoutBufferList_fails() throws {
        let block = try CMBlockBuffer(length: 8)
        let sample = try CMSampleBuffer(
            dataBuffer: block,
            formatDescription: CMFormatDescription(audioStreamBasicDescription: stream(2, isApart: true)),
            numSamples: 2, sampleTimings: [], sampleSizes: [])
        let movies = try MadeMovies()
        let writer = try AVAssetWriter(outputURL: movies.directory.file("no.mov"), fileType: .mov)
        let input = AVAssetWriterInput(
            mediaType: .audio,
            outputSettings: [AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2])
        writer.add(input)
        #expect(writer.startWriting())
        writer.startSession(atSourceTime: .zero)
        #expect(!input.append(sample) && writer.status == .failed)
    }

    @Test func reader_storedAudio_returnsOnePacketPerSample() async throws {
        let movies = try MadeMovies()
        let url = try movies.movie(seconds: 1)
        try await onThread {
            let asset = AVAsset(url: url)
            let reader = try AVAssetReader(asset: asset)
            let output = AVAssetReaderTrackOutput(track: asset.tracks(withMediaType: .audio)[0], outputSettings: nil)
            reader.add(output)
            reader.startReading()
            let sample = try #require(output.copyNextSampleBuffer())
            #expect(sample.numSamples == 1 && sample.sampleSize(at: 0) == sample.totalSampleSize)
            #expect(sample.duration == CMTime(value: 1024, timescale: 44_100))
            let packets = try sample.audioStreamPacketDescriptions()
            #expect(packets.count == 1 && packets[0].mDataByteSize == UInt32(sample.totalSampleSize))
            let count = try sample.withUnsafeAudioStreamPacketDescriptions { $0.count }
            var (size, packet) = (0, AudioStreamPacketDescription())
            CMSampleBufferGetAudioStreamPacketDescriptions(
                sample, allocatedSize: MemoryLayout<AudioStreamPacketDescription>.stride,
                packetDescriptionsOut: &packet,
                packetDescriptionsSizeNeededOut: &size)
            #expect(count == 1 && packet == packets[0] && size == MemoryLayout<AudioStreamPacketDescription>.stride)
            reader.cancelReading()
        }
    }

    @Test func audioPackets_withDescriptions_haveSizesAndTimes() throws {
        var aac = AudioStreamBasicDescription()
        (aac.mSampleRate, aac.mFormatID, aac.mChannelsPerFrame) = (44_100, kAudioFormatMPEG4AAC, 2)
        aac.mFramesPerPacket = 1024
        let format = try CMFormatDescription(audioStreamBasicDescription: aac)
        let packets = [10, 20].map {
            AudioStreamPacketDescription(mStartOffset: 0, mVariableFramesInPacket: 0, mDataByteSize: $0)
        }
        let start = CMTime(value: 1, timescale: 1)
        let sample = try CMSampleBuffer(
            dataBuffer: try CMBlockBuffer(length: 30), formatDescription: format, numSamples: 2,
            presentationTimeStamp: start, packetDescriptions: packets)
        #expect(try sample.audioStreamPacketDescriptions().map(\.mStartOffset) == [0, 10])
        #expect(sample.duration == CMTime(value: 2048, timescale: 44_100) && sample.sampleSize(at: 1) == 20)
        var made: CMSampleBuffer?
        #expect(
            CMAudioSampleBufferCreateReadyWithPacketDescriptions(
                allocator: nil, dataBuffer: try CMBlockBuffer(length: 30), formatDescription: format, sampleCount: 2,
                presentationTimeStamp: start, packetDescriptions: packets, sampleBufferOut: &made) == noErr)
        #expect(try made?.singleSampleBuffers().map(\.totalSampleSize) == [10, 20])
        #expect(
            CMAudioSampleBufferCreateWithPacketDescriptions(
                allocator: nil, dataBuffer: nil, dataReady: false, makeDataReadyCallback: nil, refcon: nil,
                formatDescription: format, sampleCount: 2, presentationTimeStamp: start, packetDescriptions: packets,
                sampleBufferOut: &made) == noErr)
        #expect(made?.dataReadiness == .notReady)
    }
}
