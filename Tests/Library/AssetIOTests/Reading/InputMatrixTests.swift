import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of every kind of file: the asset's properties and the reader's samples are those that ffprobe finds.
@Suite struct InputMatrixTests {
    private func isNear(_ a: Double, _ b: Double, _ tolerance: Double) -> Bool { abs(a - b) <= tolerance }

    @Test(arguments: InputMatrix.files) func asset_everyInput_describesTheFile(_ file: InputFile) async throws {
        let asset = Asset(url: try file.url())
        let judge = try file.judgement()
        #expect(isNear(try await asset.load(.duration).seconds, judge.duration, 0.06))
        #expect(try await asset.load(.chapters).map(\.title) == file.chapters)
        #expect(try await asset.load(.timecode)?.text == file.timecode)
        let frames = try await asset.tracks(withMediaType: .video)
        try #require(frames.count == file.video.count)
        for (track, wanted) in zip(frames, file.video) { try check(track, wanted) }
        let audioTracks = try await asset.tracks(withMediaType: .audio)
        try #require(audioTracks.count == file.audio.count)
        for (track, wanted) in zip(audioTracks, file.audio) {
            let format = try #require(track.formatDescription?.audio)
            #expect(track.codecName == wanted.codec)
            #expect(format.channelCount == wanted.channels && format.sampleRate == wanted.sampleRate)
            if let language = wanted.language { #expect(track.languageCode == language) }
            if let start = wanted.start { #expect(isNear(track.timeRange.start.seconds, start, 0.03)) }
        }
    }

    private func check(_ track: AssetTrack, _ wanted: InputFile.Video) throws {
        let format = try #require(track.formatDescription?.video)
        #expect(track.codecName == wanted.codec)
        #expect(format.width == wanted.width && format.height == wanted.height)
        let ratio = format.pixelAspectRatio
        #expect("\(ratio.numerator):\(ratio.denominator)" == wanted.aspect)
        #expect(format.bitDepth == wanted.depth && format.storedPixels?.chroma?.rawValue == wanted.chroma)
        if wanted.chroma != nil, wanted.chroma != "4:0:0" { #expect(format.color.isFullRange == wanted.isFullRange) }
        if let rate = wanted.rate { #expect(isNear(track.nominalFrameRate, rate, 1.1)) }
        if let start = wanted.start { #expect(isNear(track.timeRange.start.seconds, start, 0.03)) }
        if let fields = wanted.fields { #expect(format.fieldOrder.map { "\($0)" } == fields) }
        let turned: [Int: [CGFloat]] = [
            0: [1, 0, 0, 1], 90: [0, 1, -1, 0], 180: [-1, 0, 0, -1], 270: [0, -1, 1, 0],
        ]
        let matrix = track.preferredTransform
        #expect([matrix.m11, matrix.m12, matrix.m21, matrix.m22] == turned[wanted.rotation])
    }

    @Test(arguments: InputMatrix.files) func reader_everyInput_decodesAllFramesAndAudio(_ file: InputFile) async throws
    {
        let asset = Asset(url: try file.url())
        let judge = try file.judgement()
        for (index, track) in try await asset.tracks(withMediaType: .video).enumerated() {
            let samples = try read(asset, track, .pixels(nil))
            let wanted = judge.video[index].times
            let times = samples.map(\.presentationTime.seconds)
            #expect(times.count == wanted.count)
            // AVI has no presentation times; ffprobe counts from the first packet.
            let shift = file.name.hasSuffix("avi") ? (times.first ?? 0) - (wanted.first ?? 0) : 0
            #expect(zip(times, wanted).allSatisfy { isNear($0 - shift, $1, 0.0015) }, "\(times) \(wanted)")
            if let frames = file.video[index].frames { #expect(times.count == frames) }
            let size = file.video[index]
            #expect(
                samples.allSatisfy { $0.format.video?.width == size.width && $0.format.video?.height == size.height })
        }
        for (index, track) in try await asset.tracks(withMediaType: .audio).enumerated() {
            let frames = try read(asset, track, .pcm(.s16)).reduce(0) { $0 + $1.sampleCount }
            let wanted = judge.audio[index].audioFrames
            let codec = file.audio[index].codec
            let isLossless = codec.hasPrefix("pcm") || codec == "flac" || codec == "alac"
            // A packet's worth, because files differ in how they mark the end. WMA's decoder has two packets of priming
            // that no file declares; they keep the times that the file gives them.
            let slack = isLossless ? 0 : codec == "wmav2" ? 4096 : 1200
            #expect(abs(frames - wanted) <= slack, "\(frames) \(wanted)")
        }
    }

    private func read(_ asset: Asset, _ track: AssetTrack, _ settings: TrackOutput.Settings) throws -> [SampleBuffer] {
        let output = try TrackOutput(track: track, outputSettings: settings)
        let reader = try AssetReader(asset: asset)
        try reader.add(output)
        try reader.startReading()
        let samples = output.all()
        #expect(reader.status == .completed, "\(String(describing: reader.error))")
        return samples
    }

    /// Decoded frames look like ffmpeg's.
    @Test(
        arguments: [
            "ffv1-gray10.mkv", "ffv1-440.mkv", "ffv1-gbrp.mkv", "png-palette.mov", "dv-411.mov", "prores-4444.mov",
            "h264-444.mov", "h264-422-10.mov", "raw-bgr.avi",
        ], [PixelFormat.bgra, .i420])
    func reader_everyStoredFormat_looksLikeFFmpegs(_ name: String, _ format: PixelFormat) async throws {
        let file = InputMatrix[name]
        let (reader, output) = try await AssetReader.reading(try file.url(), .video, .pixels(format))
        let frame = try #require(output.copyNextSampleBuffer()).visible
        reader.cancelReading()
        let wanted = try ReadingFixture.decoded(
            try file.url(),
            [
                "-frames:v", "1", "-sws_flags", "accurate_rnd+full_chroma_int", "-pix_fmt",
                // Gray ranges from 0 to 255.
                format == .bgra ? "bgra" : name.contains("gray") ? "yuvj420p" : "yuv420p", "-f", "rawvideo",
            ])
        try #require(frame.count == wanted.count)
        // Colors at edges differ with the scaling of chroma; the frame as a whole does not.
        let difference = zip(frame, wanted).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(Double(difference) / Double(frame.count) < 6, "\(Double(difference) / Double(frame.count))")
    }

    @Test(arguments: InputMatrix.refused) func asset_unreadableInput_isRefused(_ input: RefusedInput) async throws {
        let asset = Asset(url: try input.url())
        do {
            let tracks = try await asset.load(.tracks)
            let track = try #require(tracks.first)
            let reader = try AssetReader(asset: asset)
            try reader.add(
                TrackOutput(track: track, outputSettings: track.mediaType == .video ? .pixels(nil) : .pcm(.s16)))
            try reader.startReading()
            _ = try await reader.outputs[0].next()
            Issue.record("\(input.name) is read")
        } catch let error as MediaError {
            #expect(input.codes.contains(error.code), "\(error)")
            #expect(!error.reason.isEmpty)
        }
    }
}
