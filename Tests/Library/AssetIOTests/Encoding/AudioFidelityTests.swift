import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Tests that compare audio from a movie, decoded by ffmpeg, with the original audio.
@Suite struct AudioFidelityTests {
    /// Records two seconds of samples in blocks of odd sizes, as a device delivers them.
    private func movie<Number>(
        _ samples: [Number], _ format: AudioFormat, _ settings: AudioSettings, sampleSize: Int = 1
    ) async throws -> WriterFixture {
        let fixture = try WriterFixture()
        let audio = try fixture.addAudio(settings, format)
        try fixture.begin()
        let width = format.channelCount * sampleSize
        var frame = 0
        while frame * width < samples.count {
            let count = min(441 + frame % 7, samples.count / width - frame)
            let block = Array(samples[(frame * width)..<((frame + count) * width)])
            let time = WriterFixture.start + MediaTime(value: Int64(frame), timescale: Int32(format.sampleRate))
            #expect(try audio.append(SyntheticMedia.audio(block, format: format, at: time)))
            frame += count
        }
        try await fixture.writer.finishWriting()
        #expect(audio.ledger.isWhole && audio.ledger.captured == Int64(frame))
        return fixture
    }

    private func noise(_ count: Int) -> [Int16] {
        SyntheticMedia.noise(count * 2).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    }

    @Test func writer_aac_keepsAClickAtItsTime() async throws {
        var samples = [Int16](repeating: 0, count: 96_000)
        let click = 60_123
        for index in 0..<24 { samples[click + index] = index % 2 == 0 ? 28_000 : -28_000 }
        let format = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1)
        let fixture = try await movie(samples, format, AudioSettings())
        let probe = try Probe(fixture.path)
        #expect(probe.complaints == "" && probe.audio?.start == 0 && abs(probe.format.seconds - 2) < 0.001)
        let decoded = try Probe.decodedAudio(fixture.path, as: "f32le").withUnsafeBytes {
            Array($0.bindMemory(to: Float.self))
        }
        #expect(abs(decoded.count - 96_000) <= 1024)
        let loudest = try #require(decoded.indices.max { abs(decoded[$0]) < abs(decoded[$1]) })
        #expect(abs(loudest - click - 12) < 48)
    }

    /// The complete path, with the edit list that hides the priming, in every family of containers.
    @Test(arguments: ["movie.mov", "movie.mp4", "movie.m4a"]) func writer_aacInEachContainer_keepsClicksAtTheirTimes(
        name: String
    ) async throws {
        let places = [0, 3000, 10_240, 20_001, 33_333, 47_000]
        let fixture = try WriterFixture(name: name)
        let audio = try fixture.addAudio(AudioSettings(bitRate: 128_000), SyntheticMedia.clickFormat)
        try fixture.begin()
        try audio.append(SyntheticMedia.clicks(at: places, count: 48_000).at(WriterFixture.start))
        try await fixture.writer.finishWriting()
        let decoded = try Probe.decodedAudio(fixture.path, as: "f32le").withUnsafeBytes {
            Array($0.bindMemory(to: Float.self))
        }
        let found = SyntheticMedia.clickPlaces(in: decoded)
        #expect(found.count == places.count)
        // 48 audio frames are a millisecond.
        for (there, place) in zip(found, places) {
            let distance = abs(there - place)
            #expect(distance < 48, "\(there) for \(place)")
        }
    }

    @Test(arguments: [AudioCodec.alac, .linearPCM]) func writer_lossless16Bit_roundTripsExactly(codec: AudioCodec)
        async throws
    {
        let samples = noise(2 * 70_001)
        let format = AudioFormat(pcm: .s16, sampleRate: 44_100, channelCount: 2)
        let fixture = try await movie(samples, format, AudioSettings(codec: codec))
        let decoded = try Probe.decodedAudio(fixture.path, as: "s16le", codec: "pcm_s16le")
        #expect(decoded == samples.withUnsafeBytes { Data($0) })
        let probe = try Probe(fixture.path)
        #expect(probe.complaints == "" && probe.audio?.sampleRate == "44100" && probe.audio?.channels == 2)
        #expect(abs(probe.format.seconds - 70_001 / 44_100) < 0.001)
    }

    @Test(arguments: [AudioCodec.alac, .linearPCM]) func writer_lossless24Bit_roundTripsExactly(codec: AudioCodec)
        async throws
    {
        let samples = SyntheticMedia.noise(3 * 50_000)
        let format = AudioFormat(pcm: .s24, sampleRate: 48_000, channelCount: 1)
        let fixture = try await movie(samples, format, AudioSettings(codec: codec, pcm: .s24), sampleSize: 3)
        #expect(try Probe.decodedAudio(fixture.path, as: "s24le", codec: "pcm_s24le") == Data(samples))
        #expect(try Probe(fixture.path).complaints == "")
    }

    @Test func writer_floatPCM_roundTripsExactly() async throws {
        let samples = (0..<100_000).map { Float(sin(Double($0) * 0.01)) * 0.9 }
        let format = AudioFormat(pcm: .float32, sampleRate: 48_000, channelCount: 2)
        let fixture = try await movie(samples, format, AudioSettings(codec: .linearPCM, pcm: .float32))
        let decoded = try Probe.decodedAudio(fixture.path, as: "f32le", codec: "pcm_f32le")
        #expect(decoded == samples.withUnsafeBytes { Data($0) })
    }

    @Test func writer_resampledAudio_keepsItsDuration() async throws {
        var samples = [Int16](repeating: 0, count: 88_200)
        for index in 0..<12 { samples[66_150 + index] = 30_000 }
        let format = AudioFormat(pcm: .s16, sampleRate: 44_100, channelCount: 1)
        let settings = AudioSettings(codec: .linearPCM, sampleRate: 48_000)
        let fixture = try await movie(samples, format, settings)
        #expect(abs(try Probe(fixture.path).format.seconds - 2) < 0.0001)
        let decoded = try Probe.decodedAudio(fixture.path, as: "s16le", codec: "pcm_s16le")
            .withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        let loudest = try #require(decoded.indices.max { abs(Int(decoded[$0])) < abs(Int(decoded[$1])) })
        let (found, click) = (Double(loudest) / 48_000, 66_156.0 / 44_100)
        #expect(abs(found - click) < 0.0005)
    }

    @Test func writer_surround51_keepsChannelOrder() async throws {
        // Each channel has its own level.
        let levels: [Int16] = [1000, 2000, 3000, 4000, 5000, 6000]
        let samples = (0..<288_000).map { levels[$0 % 6] }
        let format = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 6, layout: .surround51)
        let fixture = try await movie(samples, format, AudioSettings(codec: .linearPCM))
        let decoded = try Probe.decodedAudio(fixture.path, as: "s16le", codec: "pcm_s16le")
        #expect(decoded == samples.withUnsafeBytes { Data($0) })
    }
}

extension Ledger {
    fileprivate var isWhole: Bool { captured == written && droppedInAll == 0 }
}
