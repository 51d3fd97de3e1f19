import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of frames appended with their times, in memory that is reused.
@Suite struct PixelBufferAdaptorTests {
    private func input(_ hint: VideoFormat? = nil) throws -> AssetWriterInput {
        try AssetWriterInput(
            mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48, expectedFrameRate: 30)),
            sourceFormatHint: hint.map { .video($0) })
    }

    private static func draw(_ number: Int, _ pool: PixelBufferPool) -> PixelBuffer {
        let buffer = pool.makeBuffer()
        for index in buffer.layout.planes.indices {
            let luma = index == 0 ? SyntheticMedia.luma(number) : 128
            _ = buffer.plane(index).initializeMemory(as: UInt8.self, repeating: luma)
        }
        return buffer.finish()
    }

    @Test func adaptor_audioOrPacketInput_throws() throws {
        let audio = try AssetWriterInput(
            mediaType: .audio, outputSettings: .audio(AudioSettings(sampleRate: 48_000, channelCount: 2)))
        #expect(code { _ = try PixelBufferAdaptor(input: audio) } == .invalidSettings)
        let fixture = try WriterFixture()
        #expect(code { _ = try fixture.writer.inputPixelBufferReceiver(for: audio) } == .invalidSettings)
        #expect(fixture.writer.inputs.isEmpty)
        let packets = try AssetWriterInput(
            mediaType: .video, outputSettings: nil,
            sourceFormatHint: .video(VideoFormat(codec: .mjpeg, width: 64, height: 48)))
        #expect(code { _ = try PixelBufferAdaptor(input: packets) } == .invalidSettings)
    }

    @Test func adaptor_secondForAnInput_throws() throws {
        let video = try input()
        _ = try PixelBufferAdaptor(input: video)
        #expect(code { _ = try PixelBufferAdaptor(input: video) } == .invalidState)
        let fixture = try WriterFixture()
        #expect(code { _ = try fixture.writer.inputReceiver(for: video) } == .invalidState)
        let other = try input()
        _ = try fixture.writer.inputReceiver(for: other)
        #expect(code { _ = try PixelBufferAdaptor(input: other) } == .invalidState)
        let plain = try input()
        try fixture.writer.add(plain)
        try fixture.writer.startWriting()
        #expect(code { _ = try PixelBufferAdaptor(input: plain) } == .invalidState)
        fixture.writer.cancelWriting()
    }

    @Test func pool_frames_haveTheRequestedFormat() throws {
        let hint = VideoFormat(pixelFormat: .yuyv, width: 64, height: 48, color: .bt709)
        let asHinted = try PixelBufferAdaptor(input: input(hint), pixelFormat: .yuyv).pixelBufferPool
        #expect(asHinted.layout == PixelLayout(format: .yuyv, width: 64, height: 48, alignment: 64))
        #expect(asHinted.color == .bt709)
        let other = try PixelBufferAdaptor(
            input: input(hint),
            attributes: .init(pixelFormat: .rgb24, width: 101, height: 33, bytesPerRowAlignment: 16)
        ).pixelBufferPool
        #expect(other.layout.format == .rgb24 && other.layout.width == 101 && other.layout.height == 33)
        #expect(other.layout.planes[0].bytesPerRow == 304 && other.color.matrix == 0)
    }

    @Test func adaptor_invalidAttributes_areNamed() throws {
        for (attributes, word) in [
            (PixelBufferAdaptor.Attributes(width: 0), "0×48"), (.init(width: -5), "-5×48"),
            (.init(height: Int.max), "×"),
            (.init(bytesPerRowAlignment: 0), "bytesPerRowAlignment"),
            (.init(bytesPerRowAlignment: 24), "bytesPerRowAlignment"),
            (.init(bytesPerRowAlignment: Int.max), "bytesPerRowAlignment"),
        ] {
            let error = #expect(throws: MediaError.self) {
                _ = try PixelBufferAdaptor(input: input(), attributes: attributes)
            }
            #expect(error?.code == .invalidSettings && error?.reason.contains(word) == true)
        }
    }

    @Test func adaptor_anySizeAndLayout_isConvertedToTheTracks() async throws {
        let fixture = try WriterFixture()
        let video = try input()
        try fixture.writer.add(video)
        let adaptor = try PixelBufferAdaptor(input: video, attributes: .init(pixelFormat: .i420, width: 32, height: 24))
        try fixture.begin()
        let formats: [PixelFormat] = [.nv12, .i420, .yuyv, .i422]
        let sizes = [(64, 48), (32, 24), (1, 1), (7, 301), (640, 480), (65, 49)]
        for number in 0..<48 {
            #expect(eventually { video.isReadyForMoreMediaData })
            let (width, height) = sizes[number / 4 % sizes.count]
            let frame = SyntheticMedia.frame(number, width: width, height: height, format: formats[number % 4])
            #expect(try adaptor.append(frame, at: WriterFixture.time(Double(number) / 30)))
        }
        video.markAsFinished()
        try await fixture.writer.finishWriting()
        let errors = try Probe.brightness(fixture.path).enumerated().map { Int($1) - Int(SyntheticMedia.luma($0)) }
        #expect(errors.count == 48 && errors.allSatisfy { abs($0) <= 3 })
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.width == 64)
    }

    @Test func pool_writerRunning_reusesMemory() async throws {
        let fixture = try WriterFixture()
        let video = try input()
        try fixture.writer.add(video)
        let adaptor = try PixelBufferAdaptor(input: video)
        try fixture.begin()
        for number in 0..<300 {
            #expect(eventually { video.isReadyForMoreMediaData })
            #expect(
                try adaptor.append(
                    Self.draw(number, adaptor.pixelBufferPool), at: WriterFixture.time(Double(number) / 30)))
        }
        video.markAsFinished()
        try await fixture.writer.finishWriting()
        // At most 32 frames wait, one is being encoded and one is being drawn. If the encoder empties a full queue each
        // time, the pool frees all but eight of them: even then a fifth of the frames reuse memory.
        let allocations = adaptor.pixelBufferPool.allocationCount
        #expect(allocations < 250)
        // Every frame has returned its memory.
        _ = Self.draw(0, adaptor.pixelBufferPool)
        #expect(adaptor.pixelBufferPool.allocationCount == allocations)
        let errors = try Probe.brightness(fixture.path).enumerated().map { Int($1) - Int(SyntheticMedia.luma($0)) }
        #expect(errors.count == 300 && errors.allSatisfy { abs($0) <= 3 })
    }

    @Test func receiver_oneFrameAtATime_keepsThePoolSmall() async throws {
        let fixture = try WriterFixture()
        let receiver = try fixture.writer.inputPixelBufferReceiver(for: input())
        try fixture.begin()
        for number in 0..<200 {
            // One frame at a time needs the memory of two.
            #expect(eventually { receiver.input.queueDepth == 0 })
            try await receiver.append(
                Self.draw(number, receiver.pixelBufferPool), with: WriterFixture.time(Double(number) / 30))
        }
        #expect(receiver.pixelBufferPool.allocationCount <= 3)
        #expect(
            try receiver.appendImmediately(
                Self.draw(200, receiver.pixelBufferPool), with: WriterFixture.time(200.0 / 30)))
        receiver.finish()
        try await fixture.writer.finishWriting()
        #expect(try Probe(fixture.path, decodes: true).video?.frames == 201)
    }
}
