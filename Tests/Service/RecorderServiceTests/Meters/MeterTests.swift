import FakeDevices
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct MeterTests {
    private func level(_ format: AudioFormat, _ bytes: [UInt8]) -> LevelMeter.Level? {
        var meter = LevelMeter(format: format)
        let block = SampleBuffer(pcm: MediaData(bytes), format: format, presentationTime: .zero)
        while meter.level == nil, let measure = LevelMeter.measure(block), measure.samples > 0 { meter.add(measure) }
        return meter.level
    }

    /// A square wave at half of full scale is 6 dB below full scale, peak and mean.
    @Test func level_halfScaleInEachFormat_isMinusSixDecibels() {
        func bytes<Sample: FixedWidthInteger>(_ values: [Sample]) -> [UInt8] {
            values.flatMap { value in withUnsafeBytes(of: value.littleEndian, Array.init) }
        }
        let formats: [(PCMSampleFormat, [UInt8])] = [
            (.s8, bytes([Int8(64), -64])),
            (.s16, bytes([Int16(16_384), -16_384])),
            (.s24, [0, 0, 0x40, 0, 0, 0xC0]),
            (.s32, bytes([Int32(1 << 30), -(1 << 30)])),
            (.float32, bytes([Float(0.5).bitPattern, Float(-0.5).bitPattern])),
            (.float64, bytes([Double(0.5).bitPattern, Double(-0.5).bitPattern])),
        ]
        for (pcm, pair) in formats {
            let format = AudioFormat(pcm: pcm, sampleRate: 1000, channelCount: 1)
            let many = (0..<200).flatMap { _ in pair }
            #expect(level(format, many) == LevelMeter.Level(peak: -6, rms: -6), "\(pcm)")
        }
    }

    @Test func level_silence_hasAFloor() {
        let format = AudioFormat(pcm: .s16, sampleRate: 1000, channelCount: 2)
        #expect(level(format, [UInt8](repeating: 0, count: 4000)) == LevelMeter.Level(peak: -120, rms: -120))
    }

    @Test func level_compressedAudio_isAbsent() {
        let format = AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 2)
        let packet = SampleBuffer(format: .audio(format), content: .data(MediaData([1, 2])), presentationTime: .zero)
        #expect(LevelMeter.measure(packet) == nil)
    }

    @Test func frameRate_rateDoubles_givesCurrentAndAverage() throws {
        var meter = FrameRateMeter()
        #expect(meter.current == nil)
        for frame in 0..<300 { meter.add(milliseconds(frame * 40)) }
        for frame in 1...300 { meter.add(milliseconds(299 * 40 + frame * 20)) }
        let current = try #require(meter.current)
        #expect(abs(current - 50) < 0.01)
        let seconds = 299 * 0.04 + 300 * 0.02
        let average = try #require(meter.average)
        #expect(abs(average - 599 / seconds) < 0.01)
    }

    @Test func frameRate_longRecording_staysCorrect() throws {
        var meter = FrameRateMeter()
        for frame in 0..<100_000 { meter.add(milliseconds(frame)) }
        #expect(abs(try #require(meter.average) - 1000) < 0.01)
        #expect(try #require(meter.current) > 900)
    }

    @Test func writeRate_coversTheLastSeconds() throws {
        var disk = DiskSpace()
        #expect(disk.writeRate == nil)
        for second in Int64(0)...100 { disk.record(bytes: max(0, second - 50) * 1000, at: second * 1_000_000_000) }
        #expect(try #require(disk.writeRate) == 1000)
        #expect(try #require(DiskSpace.free(at: "/tmp")) > 0)
        // A directory that does not exist yet will be on its parent's disk.
        #expect(try #require(DiskSpace.free(at: "/tmp/nowhere/at/all")) > 0)
        #expect(DiskSpace.free(at: "/dev/null/x") == nil)
    }
}
