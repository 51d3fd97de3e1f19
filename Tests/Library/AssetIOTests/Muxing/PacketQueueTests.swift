import MediaTypes
import MovieFile
import RealTime
import TestSupport
import Testing

@testable import AssetIO

@Suite struct PacketQueueTests {
    private let video = FormatDescription.video(VideoFormat(codec: .h264, width: 2, height: 2))

    private func queue(
        hasFormat: [Bool] = [true], interval: MediaTime = MediaTime(value: 1, timescale: 1), limit: Int = 1000
    ) -> PacketQueue {
        PacketQueue(
            policy: FragmentPolicy(interval: interval, reference: 0, hasFormat: hasFormat), tracks: hasFormat.count,
            interval: interval, limit: limit)
    }

    private func packet(_ milliseconds: Int64, bytes: Int = 10, key: Bool = false) -> TrackSample {
        TrackSample(
            track: 0,
            sample: SampleBuffer(
                format: video, content: .data(MediaData([UInt8](repeating: 0, count: bytes))),
                presentationTime: MediaTime(value: milliseconds, timescale: 1000), isKeyframe: key))
    }

    private func fragment(_ queue: PacketQueue) -> PacketQueue.Fragment? {
        if case .fragment(let fragment) = queue.next() { fragment } else { nil }
    }

    @Test func queue_packets_comeOutInFragments() throws {
        let queue = queue()
        queue.push(packet(0, key: true)) { _ in }
        #expect(fragment(queue)?.packets.count == 1)
        for time in [33, 66, 99] as [Int64] { queue.push(packet(time)) { _ in } }
        queue.push(packet(600, key: true)) { _ in }
        let second = try #require(fragment(queue))
        #expect(second.packets.count == 3)
        #expect(second.next?.sample.presentationTime == MediaTime(value: 600, timescale: 1000))
    }

    @Test func queue_tracksEnded_endsOnlyWhenTheWriterFinishes() throws {
        let queue = queue()
        queue.push(packet(0, key: true)) { _ in }
        queue.push(packet(33)) { _ in }
        queue.endTrack(0)
        #expect(fragment(queue)?.packets.count == 1)
        #expect(fragment(queue)?.packets.count == 1)
        let hasEnded = Locked(false)
        let thread = try NamedThread("file") {
            if case .end = queue.next() { hasEnded.withLock { $0 = true } }
        }
        #expect(!hasEnded.withLock { $0 })
        queue.finish()
        thread.join()
        #expect(hasEnded.withLock { $0 })
    }

    @Test func queue_stall_writesAfterTheInterval() {
        let queue = queue(interval: MediaTime(value: 20, timescale: 1000))
        queue.push(packet(0, key: true)) { _ in }
        #expect(fragment(queue)?.packets.count == 1)
        for round in 1...3 as ClosedRange<Int64> {
            queue.push(packet(round)) { _ in }
            #expect(fragment(queue)?.packets.count == 1)
        }
    }

    @Test func queue_stallAfterLongSilence_isWrittenToo() throws {
        // The queue's patience is microseconds here, and ends many times before the next packet comes.
        let queue = queue(interval: MediaTime(value: 10, timescale: 1_000_000))
        let count = Locked(0)
        let file = try NamedThread("file") {
            while case .fragment(let fragment) = queue.next() { count.withLock { $0 += fragment.packets.count } }
        }
        for round in 0..<5 as Range<Int64> {
            queue.push(packet(round / 1000, key: round == 0)) { _ in }
            #expect(eventually { count.withLock { $0 } == Int(round) + 1 })
        }
        queue.stop()
        file.join()
    }

    @Test func encoder_diskBehind_waits() throws {
        let queue = queue(limit: 100)
        let reports = Locked<[Bool]>([])
        let pushed = Locked(0)
        let encoder = try NamedThread("encoder") {
            for time in 0..<30 as Range<Int64> {
                queue.push(self.packet(time * 33, key: time % 3 == 0)) { report in
                    reports.withLock { $0.append(report) }
                }
                pushed.withLock { $0 += 1 }
            }
            queue.endTrack(0)
        }
        #expect(eventually { reports.withLock { $0 } == [true] })
        #expect(pushed.withLock { $0 } == 11)
        queue.finish()
        var count = 0
        loop: while true {
            switch queue.next() {
            case .fragment(let fragment):
                count += fragment.packets.count
                _ = queue.recordWritten(fragment)
            case .awaited: continue
            case .end, .stop: break loop
            }
        }
        encoder.join()
        #expect(count == 30 && reports.withLock { $0 }.last == false)
    }

    @Test func queue_formatMissing_doesNotBlockForever() throws {
        let queue = queue(hasFormat: [true, false], limit: 100)
        let encoder = try NamedThread("encoder") {
            for time in 0..<20 as Range<Int64> { queue.push(self.packet(time, key: time == 0)) { _ in } }
            queue.endTrack(0)
            queue.endTrack(1)
        }
        queue.finish()
        var count = 0
        while case .fragment(let fragment) = queue.next() {
            count += fragment.packets.count
            _ = queue.recordWritten(fragment)
        }
        encoder.join()
        #expect(count == 20)
    }

    @Test func queue_stopped_releasesTheEncoder() throws {
        let queue = queue(limit: 10)
        let encoder = try NamedThread("encoder") {
            for time in 0..<5 as Range<Int64> { queue.push(self.packet(time)) { _ in } }
        }
        queue.stop()
        encoder.join()
        guard case .stop = queue.next() else { return #expect(Bool(false)) }
    }

    @Test func queue_endlessInterval_doesNotOverflow() {
        let queue = queue(interval: MediaTime(value: .max, timescale: 1))
        queue.push(packet(0, key: true)) { _ in }
        #expect(fragment(queue)?.packets.count == 1)
    }

    /// Two tracks that saw the same room must not wait for the disk or for each other in the second one's push.
    @Test func push_mayNotWait_exceedsTheLimit() throws {
        let queue = queue(limit: 15)
        queue.push(packet(0, key: true)) { _ in }
        queue.push(packet(33)) { _ in }
        #expect(!queue.hasRoom)
        queue.push(packet(66), mayWait: false) { _ in Issue.record("it waited") }
        queue.endTrack(0)
        var count = 0
        while let next = fragment(queue), !next.packets.isEmpty {
            count += next.packets.count
            if count == 3 { break }
        }
        #expect(count == 3)
    }
}
