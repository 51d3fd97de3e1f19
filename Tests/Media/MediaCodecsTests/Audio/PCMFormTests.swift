import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests of every form of linear PCM against ffmpeg's reading of it.
@Suite struct PCMFormTests {
    struct Form: Sendable, CustomTestStringConvertible {
        let pcm: PCMSampleFormat
        let isBigEndian: Bool

        /// ffmpeg's name, such as `s24be`.
        var name: String {
            let number = pcm.isFloatingPoint ? "f\(pcm.byteCount * 8)" : pcm.rawValue
            return number + (pcm == .s8 ? "" : isBigEndian ? "be" : "le")
        }
        var testDescription: String { name }

        /// The step from one value to the next, with full scale 1.
        var step: Double {
            switch pcm {
            case .s8: 1.0 / 128
            case .s16: 1.0 / 32_768
            case .s24: 1.0 / 8_388_608
            case .s32, .float32: 1e-7
            case .float64: 0
            }
        }

        static let all = PCMSampleFormat.allCases.flatMap { pcm in
            [false, true].map { Form(pcm: pcm, isBigEndian: $0) }
        }
    }

    private let original = (0..<6000).map { sin(Double($0) * 0.0137) * 0.93 }

    /// Raw samples converted by ffmpeg.
    private func converted(_ bytes: Data, from: String, to: String) throws -> Data {
        let directory = try TemporaryDirectory()
        try bytes.write(to: directory.file("in"))
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-f", from, "-ar", "48000", "-ac", "2", "-i", directory.path("in"), "-f", to, "-")
        guard result.status == 0 else { throw Command.Failure(description: result.errors) }
        return result.output
    }

    private func differ(_ samples: Data, by step: Double) -> Bool {
        let numbers = samples.withUnsafeBytes { Array($0.bindMemory(to: Double.self)) }
        return numbers.count != original.count || zip(numbers, original).contains { abs($0 - $1) > step }
    }

    @Test(arguments: Form.all) func encode_anyPCMForm_isReadByFFmpeg(form: Form) throws {
        let input = AudioFormat(pcm: .float64, sampleRate: 48_000, channelCount: 2)
        let settings = AudioSettings(codec: .linearPCM, pcm: form.pcm, isBigEndian: form.isBigEndian)
        let audio = try EncodedAudio(settings, input: input, original)
        #expect(audio.format.pcm == form.pcm && audio.format.isBigEndian == form.isBigEndian)
        #expect(audio.bytes.count == original.count * form.pcm.byteCount)
        #expect(!differ(try converted(Data(audio.bytes), from: form.name, to: "f64le"), by: form.step))
    }

    @Test(arguments: Form.all) func encode_anyPCMFormAsInput_isReadCorrectly(form: Form) throws {
        let bytes = try converted(original.withUnsafeBytes { Data($0) }, from: "f64le", to: form.name)
        let input = AudioFormat(
            pcm: form.pcm, sampleRate: 48_000, channelCount: 2, isBigEndian: form.isBigEndian)
        let audio = try EncodedAudio(AudioSettings(codec: .linearPCM, pcm: .float64), input: input, Array(bytes))
        #expect(!differ(Data(audio.bytes), by: form.step))

        // The compressing encoders accept the form too, losslessly if they can.
        let alac = try EncodedAudio(AudioSettings(codec: .alac), input: input, Array(bytes))
        let decoded = try alac.decodedMovie()
        let step = max(form.step, 1.0 / 8_388_608) * 1.01
        #expect(decoded.count >= original.count)
        #expect(!zip(decoded, original).contains { abs(Double($0) - $1) > step })
    }

    @Test(arguments: Form.all) func encode_samePCMForm_isUnchanged(form: Form) throws {
        // Noise whose exponents stay below those of NaN and infinity.
        var noise = SyntheticMedia.noise(form.pcm.byteCount * 2 * 3000)
        if form.pcm.isFloatingPoint {
            let size = form.pcm.byteCount
            for start in stride(from: 0, to: noise.count, by: size) {
                noise[start + (form.isBigEndian ? 0 : size - 1)] = 0x3E
            }
        }
        let input = AudioFormat(pcm: form.pcm, sampleRate: 48_000, channelCount: 2, isBigEndian: form.isBigEndian)
        let settings = AudioSettings(codec: .linearPCM, pcm: form.pcm, isBigEndian: form.isBigEndian)
        #expect(try EncodedAudio(settings, input: input, noise).bytes == noise)
    }

    @Test func encode_bigEndian24BitsAsALAC_isLossless() throws {
        let noise = SyntheticMedia.noise(3 * 4000)
        let input = AudioFormat(pcm: .s24, sampleRate: 48_000, channelCount: 1, isBigEndian: true)
        let decoded = try EncodedAudio(AudioSettings(codec: .alac), input: input, noise).decodedMovie()
        for index in 0..<4000 {
            let value = Int32(
                bitPattern: UInt32(noise[index * 3]) << 24 | UInt32(noise[index * 3 + 1]) << 16
                    | UInt32(noise[index * 3 + 2]) << 8)
            #expect(Double(decoded[index]) == Double(value) / 2_147_483_648)
        }
    }
}
