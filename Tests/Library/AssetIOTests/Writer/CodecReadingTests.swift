import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that movies of every codec can be read back: by our reader, and from a recording that was never finalized.
@Suite struct CodecReadingTests {
    private static let codecs: [VideoCodec] = [.hevc, .av1, .mjpeg, .proRes422]

    @Test(arguments: codecs) func reader_everyCodec_keepsFrameTimesAndLooks(_ codec: VideoCodec) async throws {
        let movie = try await CodecMovie(codec)
        let asset = Asset(url: movie.fixture.writer.outputURL)
        let track = try #require(try await asset.tracks(withMediaType: .video).first)
        let format = try #require(track.formatDescription?.video)
        #expect(format.codec == codec.stored && format.width == CodecMovie.width && format.height == CodecMovie.height)
        let reader = try AssetReader(asset: asset)
        let output = try TrackOutput(track: track, outputSettings: .pixels(.i420))
        try reader.add(output)
        try reader.startReading()
        var number = 0
        while let sample = try await output.next() {
            #expect(abs(sample.presentationTime.seconds - CodecMovie.seconds(number)) < 1e-5)
            guard case .pixels(let frame) = sample.content else { continue }
            var squares = 0.0
            for x in 0..<CodecMovie.width {
                let value = Double(frame.plane(0)[90 * frame.layout.planes[0].bytesPerRow + x])
                let limited = codec == .mjpeg ? 16 + value * 219 / 255 : value
                let difference = limited - Double(CodecMovie.luma(x, 90, number) >> 2)
                squares += difference * difference
            }
            #expect(squares / Double(CodecMovie.width) < 20, "frame \(number)")
            number += 1
        }
        #expect(number == CodecMovie.count && reader.status == .completed)
    }

    @Test(arguments: codecs) func repair_unfinishedFileOfEachCodec_keepsItsFrames(_ codec: VideoCodec) async throws {
        var fixture: WriterFixture? = try WriterFixture()
        let directory = try #require(fixture?.directory)
        let left = try #require(fixture?.writer.temporaryURL)
        var video = try fixture?.add(
            .video,
            .video(VideoSettings(codec: codec, width: 320, height: 180, preset: "ultrafast", expectedFrameRate: 30)))
        try fixture?.begin()
        for number in 0..<120 {
            try video?.append(SyntheticMedia.videoSample(number, at: WriterFixture.time(Double(number) / 30)))
        }
        // Four seconds; at least two complete fragments are in the file before the writer is released.
        #expect(eventually { (fixture?.writer.bytesWritten ?? 0) > 0 && (video?.ledger.written ?? 0) >= 60 })
        (fixture, video) = (nil, nil)
        var report: RepairReport?
        #expect(
            eventually {
                report = try? MovieRepair.repair(left)
                return report != nil
            })
        let movie = try #require(report?.file)
        let path = movie.hasPrefix("/") ? movie : directory.path(movie)
        let probe = try Probe(path, decodes: true)
        #expect(probe.video?.frames ?? 0 >= 60 && probe.video?.start == 0)
        let decoded = try Command.run("ffmpeg", "-v", "error", "-xerror", "-i", path, "-f", "null", "-")
        #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(decoded.errors)")
    }
}
