import FakeDevices
import Foundation
import MediaTypes
import Testing

@testable import AVCapture

@Suite struct AudioPreparerTests {
    /// 32-bit floating point at 16 kHz.
    private static var settings: [String: Any] {
        [
            AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 16_000, AVLinearPCMBitDepthKey: 32,
            AVLinearPCMIsFloatKey: true,
        ]
    }

    private func frameCount(_ blocks: [SampleBuffer]) -> Int { blocks.reduce(0) { $0 + $1.sampleCount } }

    private func values<Value: BitwiseCopyable>(_ block: SampleBuffer, as type: Value.Type) throws -> [Value] {
        guard case .data(let data) = block.content else { throw MediaError(.invalidSample, "", reason: "no data") }
        return data.bytes.withMemoryRebound(to: type) { Array($0) }
    }

    private func reason(_ settings: [String: Any]) -> String? {
        do throws(MediaError) {
            _ = try AudioPreparer(settings)
            return nil
        } catch { return error.code == .invalidSettings ? error.reason : nil }
    }

    @Test func prepare_microphonesOwnForm_isTheSameMemory() throws {
        let block = audio(at: 0)
        for settings in [nil, [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 48_000]] as [[String: Any]?] {
            let made = try AudioPreparer(settings).prepare(block)
            guard case .data(let before) = block.content, case .data(let after)? = made.first?.content else {
                Issue.record("no data")
                return
            }
            #expect(made.count == 1 && before === after)
        }
    }

    @Test func prepare_anotherForm_convertsEachBlockWhole() throws {
        let preparer = try AudioPreparer([
            AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMBitDepthKey: 24, AVLinearPCMIsBigEndianKey: true,
        ])
        let made = try preparer.prepare(audio(at: 20, frames: 2, value: 0x40))
        #expect(made.count == 1 && made[0].presentationTime == milliseconds(20) && made[0].sampleCount == 2)
        #expect(try values(made[0], as: UInt8.self) == [0x40, 0x40, 0, 0x40, 0x40, 0])
        #expect(preparer.finish().isEmpty)
    }

    @Test func prepare_anotherRate_keepsTimesAndLength() throws {
        let preparer = try AudioPreparer(Self.settings)
        var made: [SampleBuffer] = []
        for index in 0..<5 { made += try preparer.prepare(audio(at: 100 + index * 100)) }
        #expect(made.count == 5 && frameCount(made) < 8000)
        made += preparer.finish()
        #expect(frameCount(made) == 8000 && made[0].presentationTime == milliseconds(100))
        #expect(made[0].format == .audio(AudioFormat(pcm: .float32, sampleRate: 16_000, channelCount: 1)))
        for (block, next) in zip(made, made.dropFirst()) { #expect(block.endTime == next.presentationTime) }
    }

    @Test func prepare_anotherRate_keepsAnImpulseAtItsTime() throws {
        let preparer = try AudioPreparer(Self.settings)
        var samples = [Int16](repeating: 0, count: 4800)
        samples[2400] = 30_000
        let data = samples.withUnsafeBytes { MediaData(copying: $0) }
        let format = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1)
        var made = try preparer.prepare(audio(at: 100))
        made += try preparer.prepare(SampleBuffer(pcm: data, format: format, presentationTime: milliseconds(200)))
        made += preparer.finish()
        var (loudest, time) = (Float(0), MediaTime.invalid)
        for block in made {
            for (index, value) in try values(block, as: Float.self).enumerated() where value > loudest {
                loudest = value
                time = block.presentationTime + MediaTime(value: Int64(index), timescale: 16_000)
            }
        }
        #expect(loudest > 0.1 && time == milliseconds(250))
    }

    @Test func prepare_gap_staysAGap() throws {
        let preparer = try AudioPreparer(Self.settings)
        var before = try preparer.prepare(audio(at: 100))
        let after = try preparer.prepare(audio(at: 500))
        // The rest of the first block, then the second one.
        #expect(after.count == 2)
        before.append(after[0])
        #expect(frameCount(before) == 1600 && before.last?.endTime == milliseconds(200))
        #expect(after[1].presentationTime == milliseconds(500))
    }

    @Test func prepare_timesJumpBack_areKept() throws {
        let preparer = try AudioPreparer(Self.settings)
        _ = try preparer.prepare(audio(at: 1_000))
        let made = try preparer.prepare(audio(at: 200))
        #expect(made.last?.presentationTime == milliseconds(200))
    }

    @Test func prepare_slowClock_isFollowed() throws {
        let preparer = try AudioPreparer(Self.settings)
        var made: [SampleBuffer] = []
        // Blocks of 100 ms that come every 101 ms.
        for index in 0..<20 { made += try preparer.prepare(audio(at: index * 101)) }
        let last = try #require(made.last)
        // It begins in the block before, 1 or 2 ms before that block's end.
        #expect(made.count == 20 && last.presentationTime < milliseconds(18 * 101 + 100))
        #expect(last.presentationTime > milliseconds(18 * 101 + 97))
    }

    @Test func prepare_channels_areMixedOnlyIfAnotherNumberIsAskedFor() throws {
        let stereo = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)
        let samples: [Int16] = [8192, -8192, 8192, -8192]
        let data = samples.withUnsafeBytes { MediaData(copying: $0) }
        let block = SampleBuffer(pcm: data, format: stereo, presentationTime: .zero)
        var settings: [String: Any] = [
            AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMBitDepthKey: 32, AVLinearPCMIsFloatKey: true,
        ]
        let kept = try AudioPreparer(settings).prepare(block)
        #expect(try values(kept[0], as: Float.self) == [0.25, -0.25, 0.25, -0.25])
        settings[AVNumberOfChannelsKey] = 1
        let mixed = try AudioPreparer(settings).prepare(block)
        #expect(mixed[0].sampleCount == 2 && mixed[0].format.audio?.channelCount == 1)
        #expect(try values(mixed[0], as: Float.self).allSatisfy { abs($0) < 0.001 })
    }

    @Test func settings_impossible_areRefusedByKey() {
        #expect(reason([AVFormatIDKey: kAudioFormatMPEG4AAC])?.contains(AVFormatIDKey) == true)
        #expect(reason([AVSampleRateKey: 16_000])?.contains(AVFormatIDKey) == true)
        let impossible: [String: Any] = [
            AVLinearPCMBitDepthKey: 12, AVLinearPCMIsNonInterleaved: true, AVNumberOfChannelsKey: 0,
            AVSampleRateKey: 900_000, AVVideoWidthKey: 640,
        ]
        for (key, value) in impossible {
            #expect(reason([AVFormatIDKey: kAudioFormatLinearPCM, key: value]) != nil, "\(key)")
        }
    }
}
