import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of the output settings that a writer accepts.
@Suite struct AVAssetWriterSettingsTests {
    @Test func settings_ofAnotherTrackKind_areRefused() throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let writer = try AVAssetWriter(outputURL: movies.directory.file("kinds.mov"), fileType: .mov)
        var video: [String: Any] = MadeMovies.h264
        #expect(writer.canApply(outputSettings: video, forMediaType: .video))
        video[AVSampleRateKey] = 48_000
        #expect(!writer.canApply(outputSettings: video, forMediaType: .video))
        var audio: [String: Any] = [
            AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 1,
            AVEncoderAudioQualityKey: AVAudioQuality.high.rawValue,
        ]
        #expect(writer.canApply(outputSettings: audio, forMediaType: .audio))
        audio[AVSampleRateConverterAudioQualityKey] = AVAudioQuality.high.rawValue
        #expect(!writer.canApply(outputSettings: audio, forMediaType: .audio))
    }

    @Test(arguments: [
        [AVVideoCodecKey: "nonsense", AVVideoWidthKey: 160, AVVideoHeightKey: 120] as [String: any Sendable],
        [AVVideoCodecKey: AVVideoCodecType.h264.rawValue],
        [AVVideoCodecKey: AVVideoCodecType.h264.rawValue, AVVideoWidthKey: 0, AVVideoHeightKey: 120],
        [AVVideoCodecKey: AVVideoCodecType.h264.rawValue, AVVideoWidthKey: "wide", AVVideoHeightKey: 120],
        [AVVideoCodecKey: AVVideoCodecType.h264.rawValue, AVVideoWidthKey: -2, AVVideoHeightKey: 120],
        [
            AVVideoCodecKey: AVVideoCodecType.h264.rawValue, AVVideoWidthKey: 160, AVVideoHeightKey: 120,
            AVVideoCompressionPropertiesKey: "none",
        ],
    ])
    func input_invalidSettings_cannotBeAdded(_ settings: [String: any Sendable]) throws {
        let movies = try MadeMovies()
        let target = movies.directory.file("bad.mov")
        let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
        #expect(!writer.canApply(outputSettings: settings, forMediaType: .video))
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: settings)
        #expect(!writer.canAdd(input))
        writer.add(input)
        #expect(!writer.startWriting() && writer.status == .failed)
        #expect((writer.error as? AVError)?.localizedDescription.isEmpty == false)
        #expect(movies.directory.names.isEmpty)
    }

    @Test(arguments: [CGFloat(160), 160.0 as Double, Float(160), NSNumber(value: 160), Int32(160)] as [any Sendable])
    func settings_numberOfAnyType_isAccepted(_ width: any Sendable) throws {
        let movies = try MadeMovies()
        let writer = try AVAssetWriter(outputURL: movies.directory.file("number.mov"), fileType: .mov)
        let settings: [String: Any] = [
            AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: width, AVVideoHeightKey: 120,
        ]
        #expect(writer.canApply(outputSettings: settings, forMediaType: .video))
    }
}
