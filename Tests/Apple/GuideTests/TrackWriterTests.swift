import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of listings 6 to 12.
@Suite struct TrackWriterTests {
    /// Writes what the reader's output returns, and finalizes the movie. Blocks.
    private static func copy(_ reader: SampleReader, to writer: TrackWriter) throws {
        let output = try #require(reader.output)
        let gate = Gate()
        writer.write(on: DispatchQueue(label: "track writer")) {
            output.copyNextSampleBuffer()
        } completion: {
            gate.open()
        }
        #expect(gate.wait())
        #expect(writer.writer.finishWriting(), "\(String(describing: writer.writer.error))")
    }

    @Test func audioInput_pcm_isWrittenAsAAC() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let (url, target) = (try movies.movie(), movies.directory.file("out.mov"))
        try await onThread {
            let reader = try SampleReader(AVURLAsset(url: url))
            let writer = try TrackWriter(target)
            #expect(reader.addAudioOutput() && writer.addAudioInput())
            #expect(reader.reader.startReading())
            try writer.start()
            try Self.copy(reader, to: writer)
        }
        let probe = try Probe(target.path, decodes: true)
        #expect(probe.complaints.isEmpty && probe.streams.count == 1)
        #expect(probe.audio?.codecName == "aac" && probe.audio?.channels == 2 && probe.audio?.sampleRate == "44100")
        #expect(abs(probe.format.seconds - 2) < 0.05)
    }

    @Test func adaptor_drawnFrames_haveTheColorAndTheTransform() async throws {
        let judge = try CompositionJudge()
        defer { withExtendedLifetime(judge) {} }
        let source = try judge.turned(try judge.movie("a.mov", gray: 60))
        let target = judge.file("out.mov")
        try await onThread {
            let writer = try TrackWriter(target)
            #expect(writer.addVideoInput(width: 96, height: 64))
            writer.keepTransform(of: AVURLAsset(url: source))
            writer.addAdaptor()
            #expect(writer.adaptor?.pixelBufferPool == nil)
            try writer.start()
            let input = try #require(writer.input)
            for number in 0..<10 {
                let isReady = eventually { input.isReadyForMoreMediaData }
                #expect(isReady)
                try writer.append([255, 200, 30, 30], at: CMTime(value: Int64(number), timescale: 10))
            }
            input.markAsFinished()
            #expect(writer.writer.finishWriting(), "\(String(describing: writer.writer.error))")
        }
        #expect(try Probe(target.path, decodes: true).video?.frames == 10)
        let rotation = try MadeMovies.probe(target, "v:0", "stream_side_data=rotation")
        #expect(try rotation == MadeMovies.probe(source, "v:0", "stream_side_data=rotation") && !rotation.isEmpty)
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-i", target.path, "-frames:v", "1", "-vf", "scale=1:1", "-f", "rawvideo",
            "-pix_fmt", "rgb24", "-")
        let color = Array(result.output)
        try #require(color.count == 3, "\(result.errors)")
        #expect(abs(Int(color[0]) - 200) < 8 && abs(Int(color[1]) - 30) < 8 && abs(Int(color[2]) - 30) < 8)
    }

    @Test func session_atTheMiddle_leavesOutTheFirstHalf() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let (url, target) = (try movies.movie("silent.mov", ["-an"]), movies.directory.file("out.mov"))
        try await onThread {
            let asset = AVURLAsset(url: url)
            let reader = try SampleReader(asset)
            let writer = try TrackWriter(target)
            #expect(reader.addVideoOutput(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange))
            #expect(writer.addVideoInput(width: 160, height: 120) && reader.reader.startReading())
            try writer.start(atMiddleOf: asset)
            try Self.copy(reader, to: writer)
        }
        let probe = try Probe(target.path, decodes: true)
        #expect(probe.complaints.isEmpty && abs(probe.format.seconds - 1) < 0.05 && probe.video?.frames == 30)
    }

    @Test func reencoder_oneTrack_keepsItsFrames() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let (url, target) = (try movies.movie("silent.mov", ["-an"]), movies.directory.file("out.mov"))
        try await onThread {
            let reader = try SampleReader(AVURLAsset(url: url))
            let writer = try TrackWriter(target)
            #expect(reader.addVideoOutput(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange))
            #expect(writer.addVideoInput(width: 160, height: 120) && reader.reader.startReading())
            try writer.start()
            let (output, input) = (try #require(reader.output), try #require(writer.input))
            let gate = Gate()
            TrackReencoder(reader.reader, output, writer.writer, input).start { error in
                #expect(error == nil)
                gate.open()
            }
            #expect(gate.wait())
            #expect(writer.writer.finishWriting(), "\(String(describing: writer.writer.error))")
        }
        let probe = try Probe(target.path, decodes: true)
        #expect(probe.complaints.isEmpty && probe.video?.codecName == "h264" && probe.video?.frames == 60)
    }

    @Test func writer_fileExists_isNotStarted() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let url = try movies.movie()
        try await onThread {
            let writer = try TrackWriter(url)
            #expect(writer.addVideoInput(width: 160, height: 120))
            let error = #expect(throws: AVError.self) { try writer.start() }
            #expect(error?.code == .fileAlreadyExists)
        }
        #expect(try Probe(url.path).video?.width == 160)
    }
}
