import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

@Suite(.serialized) struct SVTTablesTests {
    @Test func add_otherGroup_isRefusedUntilTheFirstIsEmpty() {
        var tables = SVTTables()
        let before = [SVTTables.Group.slow, .slow, .fast].map { tables.add($0) }
        tables.remove(.slow)
        let between = tables.add(.fast)
        tables.remove(.slow)
        let after = [SVTTables.Group.fast, .slow].map { tables.add($0) }
        #expect(before == [true, true, false] && !between && after == [true, false])
    }

    @Test(arguments: [
        // SVT-AV1 1.4.1
        ("1.4", 5, true, SVTTables.Group.slow), ("1.4", 6, true, .fast), ("1.4", 2, false, .fast),
        // SVT-AV1 2.3, and versions that were not measured
        ("2.3", 7, true, .slow), ("2.3", 7, false, .slow), ("2.3", 8, true, .fast), ("3.1", 7, true, .slow),
        // SVT-AV1 4.2
        ("4.2", 2, true, nil),
    ])
    func group_versionPresetAndReordering_isTheMeasuredOne(
        version: String, preset: Int, reordersFrames: Bool, expected: SVTTables.Group?
    ) throws {
        let version = try #require(SVTVersion(version))
        #expect(SVTTables.Group(preset: preset, reordersFrames: reordersFrames, version: version) == expected)
    }

    /// Opens an encoder that is not live.
    private func encoder(_ preset: String) throws -> any VideoEncoder {
        let settings = VideoSettings(
            codec: .av1, width: 128, height: 96, rateControl: .constantQuality(30), preset: preset,
            keyframeInterval: MediaTime(value: 1, timescale: 1), expectedFrameRate: 30)
        return try VideoEncoders.open(settings, color: .bt709, timeScale: 90_000, isRealTime: false)
    }

    /// Encodes some frames with both encoders, or with the one that can be opened.
    @Test(arguments: [("medium", "fast"), ("ultrafast", "slower")])
    func encoders_presetsOfBothGroups_workOrAreRefused(first: String, second: String) throws {
        let one = try encoder(first)
        let converter = EncoderFrameInput(
            width: 128, height: 96, bitDepth: one.input.bitDepth, layout: one.input.layout)
        let other = Result { try encoder(second) }
        var count = 0
        for number in 0..<4 {
            let frame = try converter.convert(SyntheticMedia.frame(number, width: 128, height: 96, format: .i420))
            let time = MediaTime(value: Int64(number) * 3000, timescale: 90_000)
            try one.encode(frame, at: time, asKeyframe: false) { _ in count += 1 }
            if let other = try? other.get() { try other.encode(frame, at: time, asKeyframe: false) { _ in } }
        }
        try one.finish { _ in count += 1 }
        #expect(count == 4)
        switch other {
        case .success(let other): try other.finish { _ in }
        case .failure(let error):
            #expect((error as? MediaError)?.code == .busy)
            // The first encoder is drained, so it uses the tables no more.
            #expect(throws: Never.self) { try encoder(second).finish { _ in } }
        }
    }
}
