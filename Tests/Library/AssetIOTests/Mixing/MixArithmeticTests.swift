import MediaTypes
import Testing

@testable import AssetIO

/// Tests of sums of floating-point samples, and their conversion to each PCM format.
@Suite struct MixArithmeticTests {
    private func pack(_ samples: [Float], _ format: PCMSampleFormat, isBigEndian: Bool = false) -> [UInt8] {
        var target = [UInt8](repeating: 0xEE, count: samples.count * format.byteCount)
        samples.withUnsafeBufferPointer { samples in
            target.withUnsafeMutableBytes {
                FloatPacking(format: format, isBigEndian: isBigEndian).pack(samples, into: $0)
            }
        }
        return target
    }

    @Test func packing_aboveFullScale_limitsIntegersOnly() {
        let loud: [Float] = [0, 0.5, -0.5, 1, -1, 1.75, -3, .infinity, .nan]
        func numbers<Number>(_ format: PCMSampleFormat, _: Number.Type) -> [Number] {
            pack(loud, format).withUnsafeBytes { Array($0.bindMemory(to: Number.self)) }
        }
        #expect(numbers(.s16, Int16.self) == [0, 16384, -16384, 32767, -32768, 32767, -32768, 32767, 0])
        #expect(numbers(.s8, Int8.self) == [0, 64, -64, 127, -128, 127, -128, 127, 0])
        let (half, most, least) = (Int32(1 << 30), Int32.max, Int32.min)
        #expect(numbers(.s32, Int32.self) == [0, half, -half, most, least, most, least, most, 0])
        #expect(Array(numbers(.float32, Float.self).prefix(8)) == Array(loud.prefix(8)))
        #expect(Array(numbers(.float64, Double.self).prefix(7)) == loud.prefix(7).map(Double.init))
    }

    @Test func packing_eachFormat_usesItsByteOrder() {
        #expect(pack([0.5, -0.25], .s16, isBigEndian: true) == [0x40, 0, 0xE0, 0])
        #expect(pack([0.5, -0.25], .s24) == [0, 0, 0x40, 0, 0, 0xE0])
        #expect(pack([0.5, -0.25], .s24, isBigEndian: true) == [0x40, 0, 0, 0xE0, 0, 0])
        #expect(pack([1], .float32, isBigEndian: true) == [0x3F, 0x80, 0, 0])
        #expect(pack([1], .float64) == [0, 0, 0, 0, 0, 0, 0xF0, 0x3F])
    }

    @Test func packing_integersThroughFloats_areUnchanged() {
        let all = (Int(Int16.min)...Int(Int16.max)).map { Float($0) / 32768 }
        let packed = pack(all, .s16).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        #expect(packed == Array(Int16.min...Int16.max))
        for value in [-8_388_608, -1, 1, 4_000_001, 8_388_607] {
            #expect(FloatPacking.integer(Float(value) / 8_388_608, bits: 24) == value)
        }
    }

    @Test func mixBuffer_audioBeyondItsEnd_isLeftOut() {
        let buffer = MixBuffer(frameCapacity: 4, channelCount: 2)
        let flat = VolumeCurve(VolumeEnvelope(), sampleRate: 48_000)
        let one: [Float] = [1, 2, 3, 4]
        one.withUnsafeBytes {
            buffer.add($0, at: 0, volume: flat, time: 0)
            buffer.add($0, at: 1, volume: flat, time: 1)
            buffer.add($0, at: 3, volume: flat, time: 3)
            buffer.add($0, at: 4, volume: flat, time: 4)
        }
        #expect(Array(buffer.prefix(4)) == [1, 2, 4, 6, 3, 4, 1, 2])
        buffer.clear()
        #expect(Array(buffer.prefix(9)) == [Float](repeating: 0, count: 8))
    }
}
