import AVFoundation
import Foundation
import TestSupport
import Testing

@Suite struct AVAssetReaderOutputTests {
    @Test func output_reset_readsRangesUntilConfigurationIsFinal() async throws {
        let movies = try MadeMovies()
        let url = try movies.movie()
        try await onThread {
            let asset = AVAsset(url: url)
            let reader = try AVAssetReader(asset: asset)
            let output = AVAssetReaderTrackOutput(
                track: try #require(asset.tracks(withMediaType: .video).first),
                outputSettings: [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA])
            output.supportsRandomAccess = true
            reader.add(output)
            #expect(reader.outputs == [output] && output.mediaType == .video && output.supportsRandomAccess)
            reader.startReading()
            func count() -> Int {
                var count = 0
                while output.copyNextSampleBuffer() != nil { count += 1 }
                return count
            }
            #expect(count() == 60 && reader.status == .reading)
            let range = CMTimeRange(start: CMTime(value: 1, timescale: 2), duration: CMTime(value: 1, timescale: 2))
            output.reset(forReadingTimeRanges: [NSValue(timeRange: range)])
            #expect(count() == 15)
            output.markConfigurationAsFinal()
            #expect(reader.status == .completed)
        }
    }

    @Test func settings_unsuitableForReader_areRefusedByName() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let url = try movies.movie()
        try await onThread {
            let asset = AVAsset(url: url)
            let pcm: [String: Any] = [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 48_000]
            let pixels: [String: Any] = [
                kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA
            ]
            func fault(_ type: AVMediaType, _ settings: [String: Any]) throws -> String? {
                let reader = try AVAssetReader(asset: asset)
                let output = AVAssetReaderTrackOutput(
                    track: try #require(asset.tracks(withMediaType: type).first), outputSettings: settings)
                if reader.canAdd(output) { return nil }
                reader.add(output)
                return reader.error?.localizedDescription
            }
            for (type, settings) in [(AVMediaType.video, pixels), (.audio, pcm), (.video, [:])] {
                #expect(try fault(type, settings) == nil)
            }
            func with(_ key: String, _ value: Any) -> [String: Any] {
                var settings = pcm
                settings[key] = value
                return settings
            }
            let unsuitable: [(AVMediaType, [String: Any], String)] = [
                (.video, pcm, AVFormatIDKey), (.video, [AVVideoCodecKey: AVVideoCodecType.h264], AVVideoCodecKey),
                (.audio, with("PixelFormatType", kCVPixelFormatType_32BGRA), "PixelFormatType"),
                (.audio, with(AVEncoderBitRateKey, 64_000), AVEncoderBitRateKey),
                (.audio, with(AVSampleRateConverterAudioQualityKey, 96), AVSampleRateConverterAudioQualityKey),
            ]
            for (type, settings, key) in unsuitable {
                let words = try fault(type, settings)
                #expect(words?.contains(key) == true, "\(key): \(words ?? "accepted")")
            }
        }
    }

    @Test func cancelReading_endsTheOutputs() async throws {
        let movies = try MadeMovies()
        let url = try movies.movie()
        try await onThread {
            let asset = AVAsset(url: url)
            let reader = try AVAssetReader(asset: asset)
            let output = AVAssetReaderTrackOutput(
                track: try #require(asset.tracks(withMediaType: .video).first), outputSettings: nil)
            reader.add(output)
            reader.startReading()
            #expect(output.copyNextSampleBuffer() != nil)
            reader.cancelReading()
            #expect(output.copyNextSampleBuffer() == nil && reader.status == .cancelled && reader.error == nil)
        }
    }

    @Test func audioMixOutput_appliesVolumes() async throws {
        let movies = try MadeMovies()
        let url = try movies.movie()
        try await onThread {
            let asset = AVAsset(url: url)
            let tracks = asset.tracks(withMediaType: .audio)
            func loudest(_ volume: Float) throws -> Float {
                let reader = try AVAssetReader(asset: asset)
                let output = AVAssetReaderAudioMixOutput(audioTracks: tracks, audioSettings: nil)
                let parameters = AVMutableAudioMixInputParameters(track: tracks[0])
                parameters.setVolume(volume, at: .zero)
                let mix = AVMutableAudioMix()
                mix.inputParameters = [parameters]
                output.audioMix = mix
                #expect(output.audioTracks == tracks && output.audioSettings == nil && output.mediaType == .audio)
                reader.add(output)
                #expect(reader.startReading(), "\(String(describing: reader.error))")
                var peak: Float = 0
                while let sample = output.copyNextSampleBuffer() {
                    let data = try #require(CMSampleBufferGetDataBuffer(sample)).dataBytes()
                    data.withUnsafeBytes { bytes in
                        for value in bytes.bindMemory(to: Float.self) { peak = max(peak, value.magnitude) }
                    }
                }
                return peak
            }
            let (full, half) = (try loudest(1), try loudest(0.5))
            #expect(full > 0.05 && abs(half / full - 0.5) < 0.02)
        }
    }

    @Test func videoCompositionOutput_rendersTheComposition() async throws {
        let movies = try MadeMovies()
        let url = try movies.movie()
        try await onThread {
            let asset = AVAsset(url: url)
            let video = try #require(asset.tracks(withMediaType: .video).first)
            let composition = AVMutableVideoComposition()
            composition.renderSize = CGSize(width: 80, height: 60)
            composition.frameDuration = CMTime(value: 1, timescale: 10)
            let instruction = AVMutableVideoCompositionInstruction()
            instruction.timeRange = CMTimeRange(start: .zero, duration: asset.duration)
            let layer = AVMutableVideoCompositionLayerInstruction(assetTrack: video)
            layer.setTransform(CGAffineTransform(scaleX: 0.5, y: 0.5), at: .zero)
            instruction.layerInstructions = [layer]
            composition.instructions = [instruction]
            let reader = try AVAssetReader(asset: asset)
            let output = AVAssetReaderVideoCompositionOutput(
                videoTracks: [video],
                videoSettings: [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA])
            output.videoComposition = composition
            #expect(output.videoTracks == [video] && output.videoSettings?.count == 1)
            reader.add(output)
            #expect(reader.startReading(), "\(String(describing: reader.error))")
            var frames = 0
            while let sample = output.copyNextSampleBuffer() {
                let frame = try #require(sample.imageBuffer)
                #expect(CVPixelBufferGetWidth(frame) == 80 && CVPixelBufferGetHeight(frame) == 60)
                frames += 1
            }
            #expect(frames == 20)

            let bare = try AVAssetReader(asset: asset)
            bare.add(AVAssetReaderVideoCompositionOutput(videoTracks: [video], videoSettings: nil))
            #expect(!bare.startReading() && bare.status == .failed)
        }
    }
}
