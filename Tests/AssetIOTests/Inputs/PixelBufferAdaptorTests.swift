import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Pictures with their times, in memory that is used again.
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

    @Test func anAudioInputIsAnError() throws {
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

    @Test func anInputHasOneAdaptorOrReceiver() throws {
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

    @Test func aPictureThatIsNotLikeThePoolsIsRefusedByName() throws {
        let adaptor = try PixelBufferAdaptor(input: input(), pixelFormat: .nv12)
        for picture in [
            SyntheticMedia.picture(0, width: 32, height: 48),
            SyntheticMedia.picture(0, width: 64, height: 48, format: .i420),
        ] {
            let error = #expect(throws: MediaError.self) { try adaptor.append(picture, at: .zero) }
            #expect(error?.code == .invalidSample && error?.reason.contains("the pool's are nv12 64×48") == true)
        }
        let yuyv = try input(VideoFormat(pixelFormat: .yuyv, width: 64, height: 48))
        #expect(code { _ = try PixelBufferAdaptor(input: yuyv, pixelFormat: .nv12) } == .invalidSettings)
        #expect(try PixelBufferAdaptor(input: yuyv, pixelFormat: .yuyv).pixelBufferPool.layout.format == .yuyv)
    }

    @Test func aRunningWriterAllocatesNoPictures() async throws {
        let fixture = try WriterFixture()
        let video = try input()
        try fixture.writer.add(video)
        let adaptor = try PixelBufferAdaptor(input: video)
        try fixture.begin()
        var allocations = 0
        for number in 0..<300 {
            #expect(eventually { video.isReadyForMoreMediaData })
            #expect(
                try adaptor.append(
                    Self.draw(number, adaptor.pixelBufferPool), at: WriterFixture.time(Double(number) / 30)))
            if number < 60 { allocations = adaptor.pixelBufferPool.allocationCount }
        }
        video.markAsFinished()
        try await fixture.writer.finishWriting()
        // The queue's 32, the one in the encoder's hands and the one being drawn; the pool keeps some of them.
        #expect(allocations <= 60 && adaptor.pixelBufferPool.allocationCount <= 300)
        let errors = try Probe.brightness(fixture.path).enumerated().map { Int($1) - Int(SyntheticMedia.luma($0)) }
        #expect(errors.count == 300 && errors.allSatisfy { abs($0) <= 3 })
    }

    @Test func theReceiverSuspendsAndItsPoolIsFlat() async throws {
        let fixture = try WriterFixture()
        let receiver = try fixture.writer.inputPixelBufferReceiver(for: input())
        try fixture.begin()
        for number in 0..<200 {
            // One picture on its way at a time needs the memory of two.
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
