import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

@Suite struct H264FrameNumbersTests {
    /// Numbers of four bits, for frames of 160×128.
    private func record() throws -> [UInt8] {
        let sequence: [UInt8] = [0x67, 66, 0xC0, 30] + BitText.bytes("1101101000001010000100011001")
        return try #require(ParameterSets.h264Record([sequence, [0x68, 0xCE, 0x3C, 0x80]], lengthSize: 4)).bytes
    }

    /// A frame of a delimiter and one slice.
    private func frame(_ number: Int, head: UInt8 = 0x41) -> [UInt8] {
        let digits = String(number, radix: 2)
        let zeros = String(repeating: "0", count: 4 - digits.count)
        let slice = [head] + BitText.bytes("1001101\(zeros)\(digits)1")
        let delimiter: [UInt8] = [0, 0, 0, 2, 9, 0xF0]
        return delimiter + [0, 0, 0, UInt8(slice.count)] + slice
    }

    private func missing(_ frames: [[UInt8]]) throws -> [Int] {
        var numbers = try #require(H264FrameNumbers(record: try record()))
        return frames.map { frame in frame.withUnsafeBytes { numbers.missing(before: $0) } }
    }

    @Test func numbers_inOrder_showNoLoss() throws {
        var frames = [frame(0, head: 0x65)]
        frames += (1...40).map { frame($0 % 16) }
        frames += [frame(0, head: 0x65), frame(1)]
        #expect(try missing(frames) == Array(repeating: 0, count: 43))
    }

    @Test func numbers_withAGap_showTheMissingFrames() throws {
        #expect(try missing([frame(0, head: 0x65), frame(1), frame(4), frame(5)]) == [0, 0, 2, 0])
        // The numbers begin again at 0 within the gap.
        #expect(try missing([frame(12), frame(4), frame(5)]) == [0, 7, 0])
    }

    @Test func numbers_ofFramesThatNoOtherNeeds_countOnce() throws {
        // Such frames have the number of the next one that others need.
        let frames = [frame(0, head: 0x65), frame(1, head: 0x01), frame(1, head: 0x01), frame(1), frame(2, head: 0x01)]
        #expect(try missing(frames) == [0, 0, 0, 0, 0])
        #expect(try missing([frame(0, head: 0x65), frame(2, head: 0x01), frame(2)]) == [0, 1, 0])
    }

    @Test func numbers_beforeAKeyframe_showNoLoss() throws {
        #expect(try missing([frame(7), frame(0, head: 0x65), frame(1)]) == [0, 0, 0])
    }

    @Test func numbers_ofSingleFrames_areRead() throws {
        let numbers = try #require(H264FrameNumbers(record: try record()))
        let read = [frame(0, head: 0x65), frame(11), [0, 0, 0, 1, 0x41], []].map { frame in
            frame.withUnsafeBytes { numbers.number(of: $0) }
        }
        #expect(read == [0, 11, nil, nil])
    }

    @Test func numbers_ofOtherBytes_areIgnored() throws {
        #expect(try missing([frame(3), [], [0, 0, 0], [0, 0, 0, 9, 0x41], [0, 0, 0, 1, 0x41], frame(4)]).last == 0)
        #expect(H264FrameNumbers(record: []) == nil && H264FrameNumbers(record: [1, 2, 3]) == nil)
    }

    @Test(arguments: 0..<50) func numbers_ofRandomBytes_neverCrash(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let frames = (0..<20).map { _ in
            let count = Int.random(in: 0...40, using: &random)
            let most: UInt8 = Bool.random(using: &random) ? 7 : 255
            return (0..<count).map { _ in UInt8.random(in: 0...most, using: &random) }
        }
        #expect(try missing(frames).allSatisfy { $0 >= 0 && $0 < 16 })
    }
}
