import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of uncompressed frames stored as they are, read back bit for bit by ffmpeg and by our reader.
@Suite struct RawFrameTests {
    private static let codes: [PixelFormat: (code: String, name: String)] = [
        .uyvy: ("2vuy", "uyvy422"), .yuyv: ("yuvs", "yuyv422"), .bgra: ("BGRA", "bgra"), .rgba: ("RGBA", "rgba"),
        .argb: ("raw ", "argb"), .rgb24: ("raw ", "rgb24"),
    ]
    private static let stored = PixelFormat.allCases.filter { codes[$0] != nil }

    private func noise(_ format: PixelFormat, _ width: Int, _ height: Int, alignment: Int, seed: Int) -> PixelBuffer {
        let layout = PixelLayout(format: format, width: width, height: height, alignment: alignment)
        let buffer = MutablePixelBuffer(layout: layout)
        buffer.plane(0).copyBytes(from: SyntheticMedia.noise(layout.byteCount, seed: UInt64(seed + 1)))
        return buffer.finish()
    }

    @Test(arguments: stored, [[64, 48], [33, 17]])
    func rawFrames_everyStoredFormat_roundTripExactly(format: PixelFormat, size: [Int]) async throws {
        let fixture = try WriterFixture()
        let hint = VideoFormat(pixelFormat: format, width: size[0], height: size[1])
        let video = try fixture.addPull(.video, nil, hint: .video(hint))
        let adaptor = try PixelBufferAdaptor(input: video, pixelFormat: format)
        #expect(adaptor.pixelBufferPool.layout.width == size[0])
        try fixture.begin()
        // Rows with and without padding.
        let frames = (0..<30).map { noise(format, size[0], size[1], alignment: $0 % 2 == 0 ? 64 : 1, seed: $0) }
        for (number, frame) in frames.enumerated() {
            #expect(eventually { video.isReadyForMoreMediaData })
            #expect(try adaptor.append(frame, at: WriterFixture.time(Double(number) / 30)))
        }
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == 30 && video.ledger.isBalanced)

        let (code, name) = try #require(Self.codes[format])
        let shown = try Command.run(
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_name,codec_tag_string,pix_fmt,width,height", "-of",
            "csv=p=0", fixture.path)
        #expect(shown.text == "rawvideo,\(code),\(size[0]),\(size[1]),\(name)\n" && shown.errors == "")
        let all = frames.reduce(into: Data()) { $0 += $1.visible }
        let url = URL(fileURLWithPath: fixture.path)
        #expect(try ReadingFixture.decoded(url, ["-f", "rawvideo", "-pix_fmt", name]) == all)

        let (reader, output) = try await AssetReader.reading(url, .video, .pixels(format))
        let read = output.all()
        #expect(reader.status == .completed && read.count == 30)
        #expect(read.reduce(into: Data()) { $0 += $1.visible } == all)
    }

    @Test(arguments: PixelFormat.allCases.filter { !stored.contains($0) })
    func rawFrames_formatWithoutCode_areRefused(format: PixelFormat) throws {
        let fixture = try WriterFixture()
        let hint = FormatDescription.video(VideoFormat(pixelFormat: format, width: 64, height: 48))
        let video = try AssetWriterInput(mediaType: .video, outputSettings: nil, sourceFormatHint: hint)
        #expect(!fixture.writer.canAdd(video))
        let error = #expect(throws: MediaError.self) { try fixture.writer.add(video) }
        #expect(error?.code == .unsupported && error?.description.contains("raw \(format.rawValue)") == true)
        #expect(error?.wayOut.contains("uyvy") == true)
        // Without a hint the first frame has the format.
        let other = try fixture.addPull(.video, nil)
        try fixture.begin()
        let frame = MutablePixelBuffer(layout: PixelLayout(format: format, width: 64, height: 48)).finish()
        let refusal = #expect(throws: MediaError.self) {
            try other.append(SampleBuffer(pixels: frame, presentationTime: WriterFixture.start))
        }
        #expect(refusal?.code == .invalidSample && refusal?.reason.contains(format.rawValue) == true)
        fixture.writer.cancelWriting()
    }

    @Test func rawFrames_mp4_areRefused() throws {
        let fixture = try WriterFixture(name: "movie.mp4")
        let hint = FormatDescription.video(VideoFormat(pixelFormat: .uyvy, width: 64, height: 48))
        let video = try AssetWriterInput(mediaType: .video, outputSettings: nil, sourceFormatHint: hint)
        #expect(code { try fixture.writer.add(video) } == .unsupported)
    }

    @Test func rawFrames_otherFormat_areRefusedByName() throws {
        let fixture = try WriterFixture()
        let hint = FormatDescription.video(VideoFormat(pixelFormat: .uyvy, width: 64, height: 48))
        let video = try fixture.addPull(.video, nil, hint: hint)
        #expect(code { _ = try PixelBufferAdaptor(input: video, pixelFormat: .nv12) } == .invalidSettings)
        try fixture.begin()
        let short = PixelLayout(
            format: .uyvy, width: 64, height: 48, planes: [.init(offset: 0, bytesPerRow: 64, rows: 48)])
        for (frame, word) in [
            (noise(.uyvy, 32, 48, alignment: 1, seed: 0), "32×48"),
            (noise(.yuyv, 64, 48, alignment: 1, seed: 0), "yuyv"),
            (MutablePixelBuffer(layout: short).finish(), "rows"),
        ] {
            let error = #expect(throws: MediaError.self) {
                try video.append(SampleBuffer(pixels: frame, presentationTime: WriterFixture.start))
            }
            #expect(error?.code == .invalidSample && error?.reason.contains(word) == true)
        }
        let lie = SampleBuffer(
            format: hint, content: .pixels(noise(.uyvy, 32, 48, alignment: 1, seed: 0)),
            presentationTime: WriterFixture.start)
        #expect(code { _ = try video.append(lie) } == .invalidSample)
        fixture.writer.cancelWriting()
    }
}
