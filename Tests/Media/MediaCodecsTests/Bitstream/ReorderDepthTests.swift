import Testing

@testable import MediaCodecs

/// The reorder depth in sequence parameter sets of x264 and x265, which FFmpeg reports as `has_b_frames`.
@Suite struct ReorderDepthTests {
    private func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap { $0.hexDigitValue }.map { UInt8($0) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private func h264(_ text: String) -> Int? { H264SequenceParameters(bytes(text))?.reorderDepth }

    private func hevc(_ text: String) -> Int? {
        var sets = HEVCParameterSets()
        _ = bytes(text).withUnsafeBytes { sets.changes(with: $0) }
        return sets.reorderDepth
    }

    @Test func h264_pyramid_statesTwoFrames() {
        #expect(h264("6764001eacd940a02ff97011000003000600000301660f162d96") == 2)
    }

    @Test func h264_setWithBuffers_statesTwoFrames() {
        #expect(h264("6764000dacd941419b01100000030010000003032602001e840007a12930c01e28532c") == 2)
    }

    @Test func h264_orderOfDecoding_isZero() {
        #expect(h264("6764000cacb20283360220000003002000000641e28549") == 0)
    }

    @Test func h264_setWithoutUsability_dependsOnTheProfile() {
        // seq_parameter_set_id 0, log2_max_frame_num 4, order type 0, length 4, 1 reference, 320×192, frames, no
        // cropping, no usability information.
        let rest = "f40a0cc8"
        #expect(h264("6742001e" + rest) == 0)
        #expect(h264("674d001e" + rest) == nil)
    }

    @Test func h264_truncatedSet_isUnknown() {
        #expect(h264("6764001eacd940a02ff970110000030006") == nil)
    }

    @Test func avc_set_hasTheDepthOfTheLatest() {
        var configuration = AVCConfiguration()
        #expect(configuration.reorderDepth == nil)
        for text in [
            "6764000cacb20283360220000003002000000641e28549", "6764001eacd940a02ff97011000003000600000301660f162d96",
        ] {
            let isNew = bytes(text).withUnsafeBytes { configuration.changes(with: $0) }
            #expect(isNew)
        }
        #expect(configuration.reorderDepth == 2)
    }

    @Test func hevc_pyramid_statesTwoFrames() {
        #expect(
            hevc("42010101600000030090000003000003003ca00a080c165959a4932bc05a020000030002000003003210") == 2)
    }

    @Test func hevc_withoutReordering_isZero() {
        #expect(hevc("42010101600000030090000003000003003ca00a080c16592a4932bc05a02000000300200000030321") == 0)
    }
}
