import MediaTypes
import MovieFile
import RealTime
import TestSupport
import Testing

@testable import AssetIO

@Suite struct PacketOrderTests {
    private static let formats: [FormatDescription] = [
        .video(VideoFormat(codec: .h264, width: 2, height: 2)),
        .audio(AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 2)),
        .audio(AudioFormat(codec: .aac, sampleRate: 44_100, channelCount: 2)),
    ]

    private static func packet(_ track: Int, _ milliseconds: Int64, bytes: Int = 100, key: Bool = true) -> TrackSample {
        TrackSample(
            track: track,
            sample: SampleBuffer(
                format: formats[track], content: .data(MediaData([UInt8](repeating: 0, count: bytes))),
                presentationTime: MediaTime(value: milliseconds, timescale: 1000), isKeyframe: key))
    }

    private func name(_ packet: TrackSample) -> String { "\(packet.track)@\(packet.sample.presentationTime.seconds)" }

    private func drain(_ order: inout PacketOrder) -> [String] {
        var names: [String] = []
        while let item = order.next() {
            switch item {
            case .packet(let packet): names.append(name(packet))
            case .end(let track): names.append("end of \(track)")
            }
        }
        return names
    }

    @Test func packetOrder_noEarlierPacketPossible_releasesThePacket() {
        var order = PacketOrder(tracks: [0, 1])
        for time in [0, 40, 80] as [Int64] { order.take(Self.packet(0, time)) }
        #expect(drain(&order) == [])
        #expect(order.awaited == [1] && order.byteCount == 300)
        order.take(Self.packet(1, 20))
        // The second track may still have another packet at 20.
        #expect(drain(&order) == ["0@0.0", "1@0.02"])
        order.take(Self.packet(1, 80))
        #expect(drain(&order) == ["0@0.04", "0@0.08"])
        #expect(order.awaited == [0])
        order.end(0)
        #expect(drain(&order) == ["end of 0", "1@0.08"])
        order.end(1)
        #expect(drain(&order) == ["end of 1"])
        #expect(order.isOver && order.byteCount == 0 && order.awaited == [])
    }

    @Test func packetOrder_timesOutOfOrder_keepsTheTracksOrder() {
        var order = PacketOrder(tracks: [0, 1])
        for time in [100, 20, 120] as [Int64] { order.take(Self.packet(0, time)) }
        order.take(Self.packet(1, 50))
        order.take(Self.packet(1, 110))
        order.end(0)
        order.end(1)
        #expect(drain(&order) == ["1@0.05", "0@0.1", "0@0.02", "1@0.11", "end of 1", "0@0.12", "end of 0"])
    }

    /// The packets of a movie whose tracks have different lengths and densities.
    private static let movie: [[TrackSample]] = {
        let frames = (0..<400).map { (number: Int) -> TrackSample in
            let isKey = number % 25 == 0
            return packet(0, Int64(number * 40), bytes: isKey ? 900 : 90, key: isKey)
        }
        let audio = (0..<500).map { (number: Int) -> TrackSample in packet(1, Int64(number * 21), bytes: 60) }
        // It begins late and ends early.
        let late = (0..<40).map { (number: Int) -> TrackSample in packet(2, Int64(9000 + number * 23), bytes: 60) }
        return [frames, audio, late]
    }()

    /// A random order of arrival, in runs of up to 60 packets per track.
    private static func arrivals(_ random: inout SeededRandom) -> [Int] {
        var left = movie.map(\.count)
        var arrivals: [Int] = []
        while let most = left.max(), most > 0 {
            let track = Int.random(in: 0..<3, using: &random)
            let count = min(left[track], Int.random(in: 1...60, using: &random))
            arrivals += Array(repeating: track, count: count)
            left[track] -= count
        }
        return arrivals
    }

    /// The fragments that a queue makes of the movie, which arrives in random order while another thread reads them.
    private func fragments(_ seed: UInt64, isStrict: Bool, limit: Int) throws -> [[String]] {
        var random = SeededRandom(seed: seed)
        let second = MediaTime(value: 1, timescale: 1)
        let queue = PacketQueue(
            policy: FragmentPolicy(
                interval: second, reference: 0, hasFormat: [true, true, false, true], sparse: [3], isStrict: isStrict),
            tracks: 4, sparse: [3],
            ordering: PacketQueue.Ordering(tracks: [0, 1, 2], titles: 3, writesStalled: false), interval: second,
            limit: limit)
        let made = Locked<[[String]]>([])
        let file = try NamedThread("file") {
            while true {
                switch queue.next() {
                case .fragment(let fragment):
                    made.withLock { $0.append(fragment.packets.map(name) + [fragment.next.map(name) ?? "-"]) }
                    _ = queue.recordWritten(fragment)
                case .awaited: continue
                case .end, .stop: return
                }
            }
        }
        var next = [0, 0, 0]
        // After the first packet.
        var titles = Int.random(in: 1..<900, using: &random)
        for track in Self.arrivals(&random) {
            queue.push(Self.movie[track][next[track]], mayWait: false) { _ in }
            next[track] += 1
            if next[track] == Self.movie[track].count { queue.endTrack(track) }
            titles -= 1
            if titles == 0 { addTitle(queue) }
        }
        queue.finish()
        file.join()
        return made.withLock { $0 }
    }

    private func addTitle(_ queue: PacketQueue) {
        queue.push(TrackSample(track: 3, sample: TextFormat().sample("One", at: .zero)), mayWait: false) { _ in }
        queue.endTrack(3)
    }

    @Test(arguments: [(false, 1 << 20), (false, 3000), (true, 1 << 20), (true, 3000)])
    func packetOrder_anyThreadOrder_makesTheSameFragments(isStrict: Bool, limit: Int) throws {
        let expected = try fragments(1, isStrict: isStrict, limit: limit)
        #expect(expected.count > 10)
        let packets: Int = expected.map { $0.count - 1 }.reduce(0, +)
        #expect(packets == 400 + 500 + 40 + 1)
        #expect(expected.last?.dropLast().last == "3@0.0")
        for seed in 2...40 as ClosedRange<UInt64> {
            #expect(try fragments(seed, isStrict: isStrict, limit: limit) == expected, "seed \(seed)")
        }
    }

    @Test func packetQueue_trackAwaited_isReportedAndNeverBlocks() throws {
        let queue = PacketQueue(
            policy: FragmentPolicy(
                interval: MediaTime(value: 1, timescale: 1), reference: 0, hasFormat: [true, true]),
            tracks: 2, ordering: PacketQueue.Ordering(tracks: [0, 1]), interval: MediaTime(value: 1, timescale: 1),
            limit: 4000)
        let frames = try NamedThread("frames") {
            for number in 0..<100 as Range<Int64> {
                queue.push(Self.packet(0, number * 40, key: number % 25 == 0)) { _ in }
            }
            queue.endTrack(0)
        }
        guard case .awaited(let tracks) = queue.next() else {
            #expect(Bool(false), "no track is awaited")
            return queue.stop()
        }
        #expect(tracks == [1] && queue.isAwaited(1) && !queue.isAwaited(0))
        // The backlog is limited.
        #expect(eventually { !queue.hasRoom })
        #expect(queue.hasRoom(for: 1) && !queue.hasRoom(for: 0))
        queue.push(Self.packet(1, 5000)) { _ in Issue.record("it waited") }
        queue.endTrack(1)
        queue.finish()
        var count = 0
        while case .fragment(let fragment) = queue.next() {
            count += fragment.packets.count
            _ = queue.recordWritten(fragment)
        }
        frames.join()
        #expect(count == 101 && !queue.isAwaited(1))
    }

    @Test func packetQueue_stall_writesWhatHasArrived() {
        let interval = MediaTime(value: 20, timescale: 1000)
        let queue = PacketQueue(
            policy: FragmentPolicy(interval: interval, reference: 0, hasFormat: [true, true]), tracks: 2,
            ordering: PacketQueue.Ordering(tracks: [0, 1]), interval: interval, limit: 1 << 20)
        queue.push(Self.packet(0, 0)) { _ in }
        queue.push(Self.packet(1, 0)) { _ in }
        guard case .fragment(let first) = queue.next() else { return #expect(Bool(false)) }
        queue.push(Self.packet(0, 40)) { _ in }
        guard case .fragment(let second) = queue.next() else { return #expect(Bool(false)) }
        #expect(first.packets.count + second.packets.count == 3)
    }
}
