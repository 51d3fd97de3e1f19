import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Transport streams that were joined without the tables of the second one: every frame that FFmpeg shows is copied,
/// and a jump of the counters is reported, because packets may be missing there.
@Suite struct JoinedTransportTests {
    private static let length = 188

    private static func stream(_ packet: Data) -> Int {
        Int(packet[packet.startIndex + 1] & 0x1F) << 8 | Int(packet[packet.startIndex + 2])
    }

    private static func packets(_ url: URL) throws -> [Data] {
        let data = try Data(contentsOf: url)
        return stride(from: 0, to: data.count, by: length).map { data.subdata(in: $0..<min(data.count, $0 + length)) }
    }

    /// FFmpeg's numbers of the video's and the audio's stream.
    private static let streams = [0x100, 0x101]

    private func segment(
        _ fixture: ReadingFixture, _ name: String, _ pattern: String, offset: Int, bFrames: Int = 2, length: Int = 2
    ) throws -> URL {
        try fixture.make(
            name, ["\(pattern)=s=160x120:r=25:d=\(length)", "sine=sample_rate=48000:duration=\(length)"],
            [
                // The bytes must not depend on the processors: a frame that exactly fills its last packet has no
                // stuffing, so nothing shows that it is complete.
                "-c:v", "libx264", "-threads", "1", "-g", "25", "-sc_threshold", "0", "-bf", "\(bFrames)",
                "-pix_fmt", "yuv420p", "-c:a", "aac", "-output_ts_offset", "\(offset)",
            ])
    }

    /// Two segments of 50 frames, the second one without tables.
    ///
    /// - Parameters:
    ///   - offset: the time at which the second begins, in seconds.
    ///   - jump: what the counters leave out between them.
    private func joined(_ fixture: ReadingFixture, offset: Int, jump: UInt8) throws -> URL {
        let first = try Self.packets(try segment(fixture, "a.ts", "testsrc2", offset: 0))
        let second = try Self.packets(try segment(fixture, "b.ts", "testsrc", offset: offset))
        var shift: [Int: UInt8] = [:]
        var all = first.reduce(into: Data()) { $0 += $1 }
        for var packet in second where Self.streams.contains(Self.stream(packet)) {
            let stream = Self.stream(packet)
            if shift[stream] == nil {
                let last = try #require(first.last { Self.stream($0) == stream })
                shift[stream] = (last[3] & 15) &+ 1 &+ jump &- (packet[3] & 15)
            }
            packet[3] = packet[3] & 0xF0 | (packet[3] &+ (shift[stream] ?? 0)) & 15
            all += packet
        }
        let url = fixture.directory.file("joined.ts")
        try all.write(to: url)
        return url
    }

    @Test(arguments: [ExportPreset.passthrough, .highQuality], [(0, 0), (0, 5), (3, 5), (100, 0), (100, 5)])
    func export_joinedWithoutTables_keepsEveryFrame(preset: ExportPreset, join: (Int, Int)) async throws {
        let fixture = try ReadingFixture()
        let (offset, jump) = join
        let source = try joined(fixture, offset: offset, jump: UInt8(jump))
        let expected = try CutFramesTests.frames(source).hashes
        #expect(expected.count == 100)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: preset) {
            $0.skipsDamagedMedia = true
        }
        let shown = try CutFramesTests.frames(copy.url)
        #expect(shown.hashes.count == 100)
        #expect(zip(shown.times, shown.times.dropFirst()).allSatisfy { $0 < $1 })
        if preset == .passthrough { #expect(shown.hashes == expected) }
        let losses = copy.session.report.damage.filter { !$0.isMended && $0.trackID == 0x100 }
        #expect(losses.count == (jump == 0 ? 0 : 1), "\(copy.session.report.damage)")
    }

    /// Several threads decode ahead, so the frames before the jump are read again, one by one.
    @Test(arguments: [1, 4]) func reader_counterJumpWhereTimesRestart_decodesEveryFrame(threads: Int) async throws {
        let fixture = try ReadingFixture()
        let result = try await decoded(try joined(fixture, offset: 0, jump: 5), threads: threads)
        #expect(result.images.count == 100)
        #expect(result.losses.count == 1, "\(result.losses)")
    }

    /// Two segments of 100 frames with the same times, and one damaged frame. It must not be looked for in the other
    /// segment.
    @Test(arguments: [(0, 90, 190), (1, 5, 180)], [1, 4])
    func reader_damagedFrameWhereTimesOccurTwice_losesOnlyItsGOP(
        damage: (Int, Int, Int), threads: Int
    ) async throws {
        let fixture = try ReadingFixture()
        let (place, frame, kept) = damage
        var segments = [
            try Self.packets(try segment(fixture, "a.ts", "testsrc2", offset: 0, bFrames: 0, length: 4)),
            try Self.packets(try segment(fixture, "b.ts", "testsrc", offset: 0, bFrames: 0, length: 4)),
        ]
        let url = fixture.directory.file("joined.ts")
        func write() throws { try segments.joined().reduce(into: Data()) { $0 += $1 }.write(to: url) }
        try write()
        let whole = try await decoded(url, threads: threads)
        #expect(whole.images.count == 200 && whole.losses.isEmpty, "\(whole.losses)")
        try Self.damage(&segments[place], frame: frame)
        try write()
        let rest = try await decoded(url, threads: threads)
        let first = place * 100 + frame
        let next = first + 200 - kept
        try #require(next % 25 == 0)
        let expected = Array(whole.images[..<first]) + Array(whole.images[next...])
        #expect(rest.images.count == kept && rest.images == expected)
        #expect(rest.losses.count == 1, "\(rest.losses)")
        // Times continue after the join and after the loss.
        let loss = try #require(rest.losses.first?.timeRange)
        #expect(abs(loss.start.seconds - Double(first) / 25) < 0.1 && loss.duration.seconds < 0.1, "\(loss)")
    }

    /// Overwrites the slice of a frame, except its beginning, so that a decoder notices the damage.
    private static func damage(_ packets: inout [Data], frame: Int) throws {
        let video = packets.indices.filter { stream(packets[$0]) == streams[0] }
        let starts = video.filter { packets[$0][1] & 0x40 != 0 }
        try #require(starts.count == 100)
        let found = packets[starts[frame]].range(of: Data([0, 0, 1, 0x41]))
        let slice = try #require(found)
        for index in min(slice.upperBound + 3, length)..<length { packets[starts[frame]][index] = 0xA5 }
        for number in video where number > starts[frame] && number < starts[frame + 1] {
            // The payload follows the adaptation field, if there is one.
            let begin = 4 + (packets[number][3] & 0x20 != 0 ? 1 + Int(packets[number][4]) : 0)
            for index in begin..<length { packets[number][index] = 0xA5 }
        }
    }

    private func decoded(
        _ url: URL, threads: Int
    ) async throws -> (images: [Data], losses: [DamagedTimeRange]) {
        let asset = Asset(url: url)
        let track = try #require(try await asset.tracks(withMediaType: .video).first)
        let output = try TrackOutput(track: track, outputSettings: .pixels(nil))
        try output.configure { $0.decoderThreadCount = threads }
        let reader = try AssetReader(asset: asset)
        try reader.configure { $0.skipsDamagedMedia = true }
        try reader.add(output)
        try reader.startReading()
        let images = output.all().map(\.visible)
        #expect(reader.status == .completed, "\(String(describing: reader.error))")
        return (images, output.damagedTimeRanges.filter { !$0.isMended })
    }

    @Test func shownFrames_timesOccurTwice_countsThoseThatAreRepeated() {
        var shown = ShownFrames(
            in: TimeRange(start: .zero, end: .positiveInfinity), showsHeldFrame: true, mayRepeatTimes: true)
        var returned: [Int64] = []
        returned += shown.take([0, 1, 2])
        #expect(shown.canReread && shown.reread() == .zero)
        returned += shown.take([0, 1, 2])
        // Frames that are repeated are no restart.
        #expect(!shown.hasRestarted)
        returned += shown.take([0])
        #expect(shown.canReread && shown.reread() == .zero)
        // Begun again before all have come.
        returned += shown.take([0, 1])
        #expect(shown.canReread && shown.reread() == .zero)
        returned += shown.take([0, 1, 2, 0, 1])
        #expect(returned == [0, 1, 2, 0, 1])
        // After a loss another decoder may return other frames, and times that restarted do not identify them either.
        shown.lose(at: MediaTime(value: 2, timescale: 25))
        #expect(!shown.canReread)
    }

    @Test func shownFrames_timesRestartAfterRereading_returnsAll() {
        var shown = ShownFrames(in: TimeRange(start: .zero, end: .positiveInfinity), showsHeldFrame: true)
        var returned: [Int64] = []
        returned += shown.take([0, 1, 2])
        #expect(shown.reread() == MediaTime(value: 2, timescale: 25))
        returned += shown.take([1, 2, 3])
        #expect(returned == [0, 1, 2, 3] && !shown.hasRestarted)
        returned += shown.take([0, 1])
        #expect(returned == [0, 1, 2, 3, 0, 1] && shown.hasRestarted)
    }

    /// The frames before a lost one are complete. Those after it depend on it, up to the next keyframe.
    @Test func export_lostFrame_isReported() async throws {
        let fixture = try ReadingFixture()
        let source = try segment(fixture, "a.ts", "testsrc2", offset: 0, bFrames: 0)
        let expected = try CutFramesTests.frames(source).hashes
        var packets = try Self.packets(source)
        let starts = packets.indices.filter { Self.stream(packets[$0]) == 0x100 && packets[$0][1] & 0x40 != 0 }
        try #require(starts.count == 50)
        let lost = (starts[10]..<starts[11]).filter { Self.stream(packets[$0]) == 0x100 }
        for index in lost.reversed() { packets.remove(at: index) }
        try packets.reduce(into: Data()) { $0 += $1 }.write(to: source)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough) {
            $0.skipsDamagedMedia = true
        }
        #expect(try CutFramesTests.frames(copy.url).hashes == Array(expected[..<10]) + expected[25...])
        let losses = copy.session.report.damage.filter { !$0.isMended }
        #expect(losses.count == 1 && losses.first?.trackID == 0x100, "\(losses)")
        #expect(abs((losses.first?.timeRange.start.seconds ?? 0) - 0.4) < 0.1, "\(losses)")
    }
}

extension ShownFrames {
    /// Takes frames at times in 1/25 s, and returns the times of those that it passes on.
    fileprivate mutating func take(_ times: [Int64]) -> [Int64] {
        var returned: [Int64] = []
        for time in times {
            let frame = SyntheticMedia.videoSample(
                0, at: MediaTime(value: time, timescale: 25), width: 16, height: 16)
            take(frame) { returned.append($0.presentationTime.value) }
        }
        return returned
    }
}
