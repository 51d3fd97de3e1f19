import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of listings 1 to 5.
@Suite struct SampleReaderTests {
    /// A composition of two movies of a second, one over the other.
    private static func stack(_ judge: CompositionJudge, gray: [Int], tones: [Int]) throws -> AVMutableComposition {
        let composition = AVMutableComposition()
        for (index, name) in ["lower.mov", "upper.mov"].enumerated() {
            let asset = AVURLAsset(url: try judge.movie(name, gray: gray[index], tone: tones[index]))
            for type in [AVMediaType.video, .audio] {
                let source = try #require(asset.tracks(withMediaType: type).first)
                let track = composition.addMutableTrack(
                    withMediaType: type, preferredTrackID: kCMPersistentTrackID_Invalid)
                try #require(track).insertTimeRange(range(0, 1), of: source, at: .zero)
            }
        }
        return composition
    }

    @Test func audioOutput_stereoMovie_isReadAsPCM() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let url = try movies.movie()
        try await onThread {
            let reader = try SampleReader(AVURLAsset(url: url))
            #expect(reader.addAudioOutput() && reader.reader.outputs.count == 1)
            let summary = try reader.readAll()
            #expect(reader.reader.status == .completed && reader.reader.error == nil)
            #expect(abs(summary.samples - 88_200) <= 2048 && summary.buffers > 1)
            #expect(summary.lastTime.seconds > 1 && summary.lastTime.seconds < 2.1)
            let buffer = try #require(summary.firstBuffer)
            let description = try #require(CMSampleBufferGetFormatDescription(buffer))
            let stream = try #require(CMAudioFormatDescriptionGetStreamBasicDescription(description)).pointee
            #expect(stream.mFormatID == kAudioFormatLinearPCM && stream.mChannelsPerFrame == 2)
            #expect(CMSampleBufferGetPresentationTimeStamp(buffer).seconds == 0)
        }
    }

    @Test func mixOutput_twoTracks_followsTheVolumes() async throws {
        let judge = try CompositionJudge()
        defer { withExtendedLifetime(judge) {} }
        try await onThread {
            let composition = try Self.stack(judge, gray: [60, 180], tones: [440, 880])
            /// The bytes of the first buffer.
            func mixed(_ volumes: [Float]) throws -> Data {
                let tracks = composition.tracks(withMediaType: .audio)
                let parameters = zip(tracks, volumes).map { track, volume in
                    let changes = AVMutableAudioMixInputParameters(track: track)
                    changes.setVolume(volume, at: .zero)
                    return changes
                }
                let mix = AVMutableAudioMix()
                mix.inputParameters = parameters
                let reader = try SampleReader(composition)
                #expect(reader.addMixOutput(mix))
                let summary = try reader.readAll()
                #expect(abs(summary.samples - 44_100) <= 1, "\(summary.samples)")
                let buffer = try #require(summary.firstBuffer)
                return try #require(CMSampleBufferGetDataBuffer(buffer)).dataBytes()
            }
            #expect(try mixed([0, 0]).allSatisfy { $0 == 0 })
            let (first, second) = (try mixed([1, 0]), try mixed([0, 1]))
            #expect(first.contains { $0 != 0 } && second.contains { $0 != 0 } && first != second)
        }
    }

    @Test func renderedOutput_twoLayers_showsTheUpperOneAsARGB() async throws {
        let judge = try CompositionJudge()
        defer { withExtendedLifetime(judge) {} }
        try await onThread {
            let composition = try Self.stack(judge, gray: [60, 180], tones: [440, 440])
            let tracks = composition.tracks(withMediaType: .video)
            let instruction = AVMutableVideoCompositionInstruction()
            instruction.timeRange = range(0, 1)
            instruction.layerInstructions = tracks.reversed().map {
                AVMutableVideoCompositionLayerInstruction(assetTrack: $0)
            }
            let drawing = AVMutableVideoComposition()
            drawing.instructions = [instruction]
            drawing.frameDuration = CMTime(value: 1, timescale: 10)
            drawing.renderSize = CGSize(width: 96, height: 64)
            let reader = try SampleReader(composition)
            #expect(reader.addRenderedOutput(drawing))
            let summary = try reader.readAll()
            #expect(summary.buffers == 10 && abs(summary.lastTime.seconds - 0.9) < 0.001)
            let frame = try #require(summary.firstBuffer.flatMap { CMSampleBufferGetImageBuffer($0) })
            #expect(CVPixelBufferGetPixelFormatType(frame) == kCVPixelFormatType_32ARGB)
            #expect(CVPixelBufferGetWidth(frame) == 96 && CVPixelBufferGetHeight(frame) == 64)
            CVPixelBufferLockBaseAddress(frame, .readOnly)
            defer { CVPixelBufferUnlockBaseAddress(frame, .readOnly) }
            let pixels = try #require(CVPixelBufferGetBaseAddress(frame)).assumingMemoryBound(to: UInt8.self)
            let color = (0..<4).map { Int(pixels[$0]) }
            #expect(color[0] == 255 && color.dropFirst().allSatisfy { abs($0 - 180) < 8 }, "\(color)")
        }
    }

    @Test func outputs_otherAssets_areRefused() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let url = try movies.movie("silent.mov", seconds: 1, ["-an"])
        try await onThread {
            let reader = try SampleReader(AVURLAsset(url: url))
            #expect(!reader.addAudioOutput() && !reader.addMixOutput(AVMutableAudioMix()))
            #expect(!reader.addRenderedOutput(AVMutableVideoComposition()))
            #expect(throws: SampleReader.Failure.noOutput) { try reader.readAll() }
        }
    }
}
