import MediaTypes
import RTSP
import Testing

@Suite struct H265DepacketizerTests {
    private let videoSet: [UInt8] = [0x40, 0x01, 0x0C, 0x01]
    /// Main profile, 640×480 (ITU-T H.265, 7.3.2.2).
    private let sequenceSet: [UInt8] = [
        0x42, 0x01, 0x01, 0x01, 0x60, 0x10, 0x10, 0x10, 0x90, 0x10, 0x10, 0x10, 0x10, 0x10, 0x5D, 0xA0, 0x05, 0x02,
        0x01,
        0xE1, 0x70,
    ]
    private let frameSet: [UInt8] = [0x44, 0x01, 0xC1, 0x72]
    private let key: [UInt8] = [0x26, 0x01, 0xAF, 1, 2, 3]
    private let delta: [UInt8] = [0x02, 0x01, 0xD0, 4, 5]

    private func prefixed(_ units: [[UInt8]]) -> [UInt8] { units.flatMap { [0, UInt8($0.count)] + $0 } }

    @Test func h265_aggregateAndSingleUnits_areSamples() throws {
        var run = try DepacketizerRun("H265")
        try run.add([0x60, 0x01] + prefixed([videoSet, sequenceSet, frameSet, key]), marker: true)
        try run.add(delta, time: 1, marker: true)
        #expect(run.formats.first?.video?.width == 640 && run.formats.first?.video?.codec == .hevc)
        #expect(run.data == [DepacketizerRun.stored(key), DepacketizerRun.stored(delta)])
        #expect(run.samples.map(\.isKeyframe) == [true, false])
    }

    @Test func h265_fragments_areJoined() throws {
        var run = try DepacketizerRun("H265")
        for set in [videoSet, sequenceSet, frameSet] { try run.add(set) }
        try run.add([0x62, 0x01, 0x93] + key[2..<4])
        try run.add([0x62, 0x01, 0x53] + key[4...], marker: true)
        run.flush()
        #expect(run.data == [DepacketizerRun.stored(key)])
    }

    @Test func h265_decodingOrderNumbers_areSkipped() throws {
        var run = try DepacketizerRun("H265", parameters: "sprop-max-don-diff=2")
        let units: [[UInt8]] = [
            [0x60, 0x01, 0, 1], prefixed([videoSet]), [0], prefixed([sequenceSet]), [0], prefixed([frameSet]),
        ]
        try run.add(Array(units.joined()))
        try run.add([0x62, 0x01, 0x93, 0, 2] + key[2..<4])
        try run.add([0x62, 0x01, 0x53] + key[4...], marker: true)
        var numbered = delta
        numbered.insert(contentsOf: [0, 3], at: 2)
        try run.add(numbered, time: 1, marker: true)
        #expect(run.data == [DepacketizerRun.stored(key), DepacketizerRun.stored(delta)])
    }

    @Test func h265_missingFragment_marksTheFrameAsDamaged() throws {
        var run = try DepacketizerRun("H265")
        for set in [videoSet, sequenceSet, frameSet] { try run.add(set) }
        try run.add(key)
        try run.add([0x62, 0x01, 0x81, 9])
        try run.add([0x62, 0x01, 0x41, 9], marker: true, lost: 1)
        run.flush()
        #expect(run.data == [DepacketizerRun.stored(key)] && run.samples.first?.isDamaged == true)
    }

    @Test func h265_markerOnEverySlice_isIgnored() throws {
        var run = try DepacketizerRun("H265")
        // The second slice of a frame: first_slice_segment_in_pic_flag is 0.
        let rest: [UInt8] = [0x26, 0x01, 0x2F, 4]
        for set in [videoSet, sequenceSet, frameSet] { try run.add(set, marker: true) }
        for time in Int64(0)..<3 {
            try run.add(key, time: time, marker: true)
            try run.add(rest, time: time, marker: true)
        }
        run.flush()
        #expect(run.data == Array(repeating: DepacketizerRun.stored(key, rest), count: 3) && run.drops.isEmpty)
        #expect(run.samples.map(\.isDamaged) == [false, false, true])
    }

    @Test func h265_markerOnEveryFragment_isIgnored() throws {
        var run = try DepacketizerRun("H265")
        for set in [videoSet, sequenceSet, frameSet] { try run.add(set) }
        for time in Int64(0)..<3 {
            try run.add([0x62, 0x01, 0x93] + key[2..<4], time: time, marker: true)
            try run.add([0x62, 0x01, 0x53] + key[4...], time: time, marker: true)
        }
        run.flush()
        #expect(run.data == Array(repeating: DepacketizerRun.stored(key), count: 3) && run.drops.isEmpty)
        #expect(run.samples.map(\.isDamaged) == [false, false, true])
    }

    @Test func h265_setWithTwoMillionPixelsInARow_isNoFormat() throws {
        var run = try DepacketizerRun("H265")
        let wide = sequenceSet.prefix(15) + [0xA0, 0, 0, 0xF4, 0x24, 0x08, 0x07, 0x85, 0xC0]
        for set in [videoSet, Array(wide), frameSet] { try run.add(set) }
        try run.add(key, marker: true)
        run.flush()
        #expect(run.formats.isEmpty && run.drops == [.withoutFormat])
    }

    @Test func h265_payloadHeaderExtension_isReported() throws {
        var run = try DepacketizerRun("H265")
        try run.add([0x64, 0x01, 0, 0])
        #expect(run.unsupported.count == 1)
    }
}
