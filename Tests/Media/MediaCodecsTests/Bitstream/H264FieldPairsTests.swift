import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

@Suite struct H264FieldPairsTests {
    /// Numbers of four bits, for frames of 160 columns.
    ///
    /// - Parameter mayHaveFields: the opposite of frame_mbs_only_flag.
    private func record(mayHaveFields: Bool = true) throws -> [UInt8] {
        let fields = mayHaveFields ? "00" : "1"
        let sequence: [UInt8] = [0x67, 66, 0xC0, 30] + BitText.bytes("11011010000010100001000\(fields)1001")
        return try #require(ParameterSets.h264Record([sequence, [0x68, 0xCE, 0x3C, 0x80]], lengthSize: 4)).bytes
    }

    /// Returns a sample of one slice.
    ///
    /// - Parameter field: the bits after the frame's number: "0" for a frame, "10" for a top and "11" for a bottom field.
    private func sample(_ number: Int, _ field: String, head: UInt8 = 0x41) -> [UInt8] {
        let digits = String(number, radix: 2)
        let zeros = String(repeating: "0", count: 4 - digits.count)
        let slice = [head] + BitText.bytes("1001101\(zeros)\(digits)\(field)1")
        return [0, 0, 0, UInt8(slice.count)] + slice
    }

    private func secondFields(_ samples: [[UInt8]]) throws -> [Bool] {
        var pairs = try #require(H264FieldPairs(record: try record()))
        return samples.map { sample in sample.withUnsafeBytes { pairs.isSecondField($0) } }
    }

    @Test func fields_ofOneNumberAndBothParities_areAFrame() throws {
        let samples = [
            sample(0, "10", head: 0x65), sample(0, "11"), sample(1, "11"), sample(1, "10"), sample(2, "10", head: 0x01),
            sample(2, "11", head: 0x01), sample(2, "10"), sample(2, "11"),
        ]
        #expect(try secondFields(samples) == [false, true, false, true, false, true, false, true])
    }

    @Test func fields_withoutTheirOther_beginAFrame() throws {
        #expect(try secondFields([sample(1, "10"), sample(2, "10"), sample(2, "11")]) == [false, false, true])
        #expect(try secondFields([sample(1, "10"), sample(2, "11"), sample(2, "10")]) == [false, false, true])
        let keyframes = [sample(0, "10", head: 0x65), sample(0, "11", head: 0x65)]
        #expect(try secondFields(keyframes) == [false, false])
    }

    @Test func frames_betweenFields_areFrames() throws {
        let samples = [sample(1, "10"), sample(1, "0"), sample(1, "11"), [], sample(1, "10")]
        #expect(try secondFields(samples) == [false, false, false, false, false])
    }

    @Test func fieldPairs_progressiveStream_isNil() throws {
        #expect(H264FieldPairs(record: try record(mayHaveFields: false)) == nil)
        #expect(H264FieldPairs(record: []) == nil)
    }

    @Test(arguments: 0..<50) func fields_ofRandomBytes_neverCrash(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let samples = (0..<20).map { _ in
            let count = Int.random(in: 0...40, using: &random)
            let most: UInt8 = Bool.random(using: &random) ? 7 : 255
            return (0..<count).map { _ in UInt8.random(in: 0...most, using: &random) }
        }
        #expect(try secondFields(samples).count == 20)
    }
}
