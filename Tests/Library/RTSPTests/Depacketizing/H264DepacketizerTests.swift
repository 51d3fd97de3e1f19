import Foundation
import MediaTypes
import RTSP
import TestSupport
import Testing

@Suite struct H264DepacketizerTests {
    /// Baseline, 640×480 and 320×240 (ITU-T H.264, 7.3.2.1.1).
    private let large: [UInt8] = [0x67, 0x42, 0xC0, 0x1E, 0xDA, 0x02, 0x80, 0xF6, 0x40]
    private let small: [UInt8] = [0x67, 0x42, 0xC0, 0x1E, 0xDA, 0x05, 0x07, 0xE4]
    private let frameSet: [UInt8] = [0x68, 0xCE, 0x3C, 0x80]
    private let key: [UInt8] = [0x65, 0x88, 1, 2, 3, 4, 5, 6]
    private let delta: [UInt8] = [0x41, 0x9A, 7, 8]
    /// The second slice of a frame: first_mb_in_slice is not 0.
    private let rest: [UInt8] = [0x41, 0x4A, 9]

    private func run(_ sets: [UInt8]...) throws -> DepacketizerRun {
        let coded = sets.map { Data($0).base64EncodedString() }.joined(separator: ",")
        return try DepacketizerRun("H264", parameters: "packetization-mode=1; sprop-parameter-sets=\(coded)")
    }

    @Test func h264_setsOfTheDescription_giveTheFormatBeforeTheFirstSample() throws {
        var run = try run(large, frameSet)
        try run.add(key, time: 0, marker: true)
        try run.add(delta, time: 3000, marker: true)
        #expect(run.formats.first?.video?.width == 640 && run.formats.first?.video?.height == 480)
        #expect(run.formats.count == 1)
        #expect(run.data == [DepacketizerRun.stored(key), DepacketizerRun.stored(delta)])
        #expect(run.samples.map(\.isKeyframe) == [true, false])
        #expect(run.samples.map(\.time) == [0, 3000])
        #expect(run.samples.allSatisfy { !$0.isDamaged && $0.lostPackets == 0 })
    }

    @Test func h264_aggregate_isTakenApart() throws {
        var run = try run()
        let delimiter: [UInt8] = [0x09, 0xF0]
        let units: [UInt8] = [delimiter, large, frameSet, key].flatMap { [0, UInt8($0.count)] + $0 }
        try run.add([0x78] + units, marker: true)
        try run.add([0x79, 0, 1, 0, UInt8(delta.count)] + delta, time: 1, marker: true)
        #expect(run.data == [DepacketizerRun.stored(key), DepacketizerRun.stored(delta)])
        #expect(run.formats.count == 1)
    }

    @Test func h264_fragments_areJoined() throws {
        var run = try run(large, frameSet)
        try run.add([0x7C, 0x85] + key[1..<4])
        try run.add([0x7C, 0x05] + key[4..<6])
        try run.add([0x7C, 0x45] + key[6...], marker: true)
        // FU-B: a decoding order number in the first fragment.
        try run.add([0x5D, 0x81, 0, 7] + delta[1..<2], time: 1)
        try run.add([0x5C, 0x41] + delta[2...], time: 1, marker: true)
        #expect(run.data == [DepacketizerRun.stored(key), DepacketizerRun.stored(delta)])
    }

    @Test func h264_missingFragment_marksTheFrameAsDamaged() throws {
        var run = try run(large, frameSet)
        try run.add(key, time: 0)
        try run.add([0x5C, 0x81] + rest[1...], time: 0)
        try run.add([0x5C, 0x41, 1], time: 0, marker: true, lost: 2)
        for time in Int64(1)...2 { try run.add(delta, time: time, marker: true) }
        #expect(run.data == [key, delta, delta].map { DepacketizerRun.stored($0) })
        #expect(run.samples.map(\.isDamaged) == [true, false, false])
        #expect(run.samples.map(\.lostPackets) == [2, 0, 0])
    }

    @Test func h264_lossAtAFramesEnd_damagesThatFrameOnly() throws {
        var run = try run(large, frameSet)
        try run.add(key, time: 0)
        try run.add(delta, time: 1, marker: true, lost: 1)
        try run.add(delta, time: 2, marker: true)
        #expect(run.samples.map(\.isDamaged) == [true, false, false])
    }

    @Test func h264_lossOfAFramesStart_damagesIt() throws {
        var run = try run(large, frameSet)
        try run.add(key, time: 0, marker: true)
        try run.add(delta, time: 1, marker: true)
        try run.add(rest, time: 2, marker: true, lost: 1)
        #expect(run.samples.map(\.isDamaged) == [false, false, true])
    }

    @Test func h264_withoutMarkers_endsFramesByTime() throws {
        var run = try run(large, frameSet)
        try run.add(key, time: 0)
        try run.add(rest, time: 0)
        try run.add(delta, time: 1)
        #expect(run.data == [DepacketizerRun.stored(key, rest)])
        run.flush()
        #expect(run.data.count == 2 && run.samples.last?.isDamaged == true)
    }

    @Test func h264_markerOnEverySlice_isIgnored() throws {
        var run = try run()
        for time in Int64(0)..<3 {
            try run.add(large, time: time, marker: true)
            try run.add(frameSet, time: time, marker: true)
            try run.add(key, time: time, marker: true)
            try run.add(rest, time: time, marker: true)
        }
        run.flush()
        #expect(run.data == Array(repeating: DepacketizerRun.stored(key, rest), count: 3))
        #expect(run.drops.isEmpty && run.samples.map(\.time) == [0, 1, 2])
        #expect(run.samples.map(\.isDamaged) == [false, false, true])
    }

    @Test func h264_markerOnEveryFragment_isIgnored() throws {
        var run = try run(large, frameSet)
        for time in Int64(0)..<3 {
            try run.add([0x7C, 0x85] + key[1..<4], time: time, marker: true)
            try run.add([0x7C, 0x05] + key[4..<6], time: time, marker: true)
            try run.add([0x7C, 0x45] + key[6...], time: time, marker: true)
        }
        run.flush()
        #expect(run.data == Array(repeating: DepacketizerRun.stored(key), count: 3) && run.drops.isEmpty)
        #expect(run.samples.map(\.isDamaged) == [false, false, true])
    }

    @Test func h264_fragmentsWithoutEndBit_endWithTheMarker() throws {
        var run = try run(large, frameSet)
        for time in Int64(0)..<3 {
            try run.add([0x7C, 0x85] + key[1..<4], time: time)
            try run.add([0x7C, 0x05] + key[4...], time: time, marker: true)
        }
        #expect(run.data == Array(repeating: DepacketizerRun.stored(key), count: 3))
        #expect(run.samples.allSatisfy { !$0.isDamaged })
        // Without the marker, the end of the frame is missing.
        try run.add([0x7C, 0x85] + key[1..<4], time: 3)
        try run.add(key, time: 4, marker: true)
        #expect(run.drops.isEmpty && run.samples.count == 4)
    }

    @Test func h264_markerOnTheLastPacket_endsFramesAfterTheFirst() throws {
        var run = try run(large, frameSet)
        try run.add(key, time: 0)
        try run.add(rest, time: 0, marker: true)
        #expect(run.samples.isEmpty)
        try run.add(delta, time: 1)
        try run.add(rest, time: 1, marker: true)
        #expect(run.data == [DepacketizerRun.stored(key, rest), DepacketizerRun.stored(delta, rest)])
        #expect(run.samples.allSatisfy { !$0.isDamaged })
    }

    @Test func h264_startCodesInAPacket_separateUnits() throws {
        var run = try run()
        let parts: [[UInt8]] = [[0, 0, 0, 1], large, [0, 0, 0, 1], frameSet, [0, 0, 1], key]
        try run.add(Array(parts.joined()), marker: true)
        run.flush()
        #expect(run.data == [DepacketizerRun.stored(key)] && run.formats.count == 1)
    }

    @Test func h264_withoutSets_dropsFramesUntilTheyArrive() throws {
        var run = try run()
        try run.add(delta, time: 0, marker: true)
        try run.add(large, time: 1)
        try run.add(frameSet, time: 1)
        try run.add(key, time: 1, marker: true)
        #expect(run.drops == [.withoutFormat] && run.data == [DepacketizerRun.stored(key)])
    }

    @Test func h264_changedSets_areANewFormat() throws {
        var run = try run(large, frameSet)
        try run.add(key, time: 0, marker: true)
        try run.add(small, time: 1)
        try run.add(frameSet, time: 1)
        try run.add(key, time: 1, marker: true)
        #expect(run.formats.map { $0.video?.width } == [640, 320])
        guard case .format = run.items[2] else { throw CancellationError() }
    }

    @Test func h264_setsThatChangeBetweenKeyframes_stayInTheSample() throws {
        var run = try run(large, frameSet)
        let other: [UInt8] = [0x68, 0xCE, 0x3C, 0x81]
        try run.add(key, time: 0, marker: true)
        try run.add(other, time: 1)
        try run.add(delta, time: 1, marker: true)
        #expect(run.formats.count == 1 && run.data.last == DepacketizerRun.stored(other, delta))
    }

    @Test func h264_setOver8KiB_isNotTaken() throws {
        var run = try run(large, frameSet)
        try run.add(large + [UInt8](repeating: 0x80, count: 9000), time: 0)
        for time in Int64(0)..<3 { try run.add(key, time: time, marker: true) }
        #expect(run.formats.first?.video?.decoderConfiguration.count ?? 0 < 100 && run.formats.count == 1)
        #expect(run.samples.map(\.isDamaged) == [true, false, false])
    }

    @Test func h264_setsThatChangeWithoutEnd_dropTheFrame() throws {
        var run = try run(large, frameSet)
        try run.add(key, time: 0, marker: true)
        for number in 0..<100 { try run.add([0x68, 0xCE, 0x3C, number % 2 == 0 ? 0x81 : 0x80], time: 1) }
        try run.add(delta, time: 1, marker: true)
        #expect(run.drops == [.tooLarge] && run.samples.count == 1)
    }

    @Test func h264_interleaved_isReportedOnce() throws {
        var run = try run(large, frameSet)
        try run.add([0x7A, 0, 0, 0, 0], time: 0)
        try run.add([0x7A, 0, 0, 0, 0], time: 1)
        #expect(run.unsupported.count == 1)
    }

    @Test(arguments: 0..<60) func h264_randomPackets_neverCrashAndKeepLengthsValid(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for encoding in ["H264", "H265"] {
            var run = try DepacketizerRun(encoding, parameters: seed % 2 == 0 ? "sprop-max-don-diff=1" : "")
            var time: Int64 = 0
            for set in [large, frameSet] { try run.add(set, time: 0) }
            for _ in 0..<300 {
                let count = Int.random(in: 0..<24, using: &random)
                var payload = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                if count > 0, Bool.random(using: &random) {
                    payload[0] = [0x7C, 0x78, 0x65, 0x41, 0x62, 0x60, 0x26].randomElement(using: &random) ?? 0
                }
                if Bool.random(using: &random) { time += 1 }
                let lost: Int64 = Int.random(in: 0..<8, using: &random) == 0 ? 1 : 0
                try run.add(payload, time: time, marker: Bool.random(using: &random), lost: lost)
            }
            run.flush()
            for bytes in run.data {
                var position = 0
                while position + 4 <= bytes.count {
                    position += 4 + bytes[position..<(position + 4)].reduce(0) { $0 << 8 | Int($1) }
                }
                #expect(position == bytes.count)
            }
        }
    }
}
