import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

@Suite struct SampleQueueTests {
    private func sample(_ milliseconds: Int64, bytes: Int = 100) -> SampleBuffer {
        SampleBuffer(
            format: .video(VideoFormat(codec: .mjpeg, width: 2, height: 2)),
            content: .data(MediaData([UInt8](repeating: 0, count: bytes))),
            presentationTime: MediaTime(value: milliseconds, timescale: 1000))
    }

    private func queue(milliseconds: Int64 = 1000, bytes: Int = 1000) -> SampleQueue {
        SampleQueue(budget: RealTimeBudget(duration: MediaTime(value: milliseconds, timescale: 1000), bytes: bytes))
    }

    @Test func queue_timeLimitReached_hasNoRoom() {
        var queue = queue(bytes: .max)
        for time in 0..<4 as Range<Int64> { queue.append(sample(time)) }
        #expect(queue.hasRoom(for: sample(1000)) && !queue.isFull)
        queue.append(sample(1000))
        #expect(queue.isFull && !queue.hasRoom(for: sample(1001)))
        _ = queue.popFirst()
        #expect(!queue.isFull && queue.hasRoom(for: sample(1001)))
        queue.append(sample(1001))
        #expect(queue.isFull && !queue.hasRoom(for: sample(1002)))
    }

    @Test(arguments: [1, 99, 100, 101, 130, 1000])
    func queue_notFull_acceptsTheNextSample(bytes: Int) {
        // 4K frames: eight fill 99 % of the budget, and a ninth does not fit.
        for size in [bytes, 3 * bytes] {
            var queue = queue(milliseconds: 500, bytes: 1000)
            for number in 0..<200 as Range<Int64> {
                // At every third frame the encoder has finished another one.
                if number % 3 == 2 { _ = queue.popFirst() }
                let next = sample(number * 33, bytes: number == 0 ? size : bytes)
                let isReady = !queue.isFull
                #expect(!isReady || queue.hasRoom(for: next), "frame \(number) of \(bytes) bytes")
                if queue.hasRoom(for: next) { queue.append(next) }
                #expect(queue.count == 1 || queue.byteCount <= 1000)
            }
        }
    }

    @Test func queue_notFull_acceptsASampleAfterDroppedOnes() {
        var queue = queue(bytes: .max)
        for time in stride(from: 0, through: 1000, by: 100) as StrideThrough<Int64> { queue.append(sample(time)) }
        #expect(queue.isFull)
        _ = queue.popFirst()
        // The source has dropped ten frames while the queue was full.
        #expect(!queue.isFull && queue.hasRoom(for: sample(2000)))
        queue.append(sample(2000))
        #expect(queue.isFull && !queue.hasRoom(for: sample(2100)))
    }

    @Test func queue_fullForTheLargest_acceptsASmallerSample() {
        var queue = queue()
        queue.append(sample(0, bytes: 600))
        #expect(queue.isFull && queue.hasRoom(for: sample(1, bytes: 400)) && !queue.hasRoom(for: sample(1, bytes: 401)))
    }

    @Test func queue_sampleAfterAGap_isAccepted() {
        var queue = queue(bytes: .max)
        for time in [0, 20, 5000] as [Int64] {
            #expect(queue.hasRoom(for: sample(time)))
            queue.append(sample(time))
        }
        #expect(queue.hasRoom(for: sample(5020)))
        queue.append(sample(5020))
        #expect(!queue.hasRoom(for: sample(5040)))
    }

    @Test func queue_byteLimitReached_hasNoRoom() {
        var queue = queue()
        for time in 0..<10 as Range<Int64> {
            #expect(queue.hasRoom(for: sample(time)))
            queue.append(sample(time))
        }
        #expect(queue.byteCount == 1000 && queue.isFull && !queue.hasRoom(for: sample(11, bytes: 1)))
        _ = queue.popFirst()
        // A queue that is not full accepts the next sample, however large; it exceeds the budget by one sample at most.
        #expect(!queue.isFull && queue.hasRoom(for: sample(11)) && queue.hasRoom(for: sample(11, bytes: 101)))
        queue.append(sample(11, bytes: 101))
        #expect(queue.isFull && !queue.hasRoom(for: sample(12, bytes: 1)))
        _ = queue.popFirst()
        #expect(queue.byteCount == 901 && queue.isFull && queue.hasRoom(for: sample(12, bytes: 99)))
        #expect(!queue.hasRoom(for: sample(12, bytes: 100)))
    }

    @Test func queue_empty_acceptsAnySample() {
        var queue = queue(milliseconds: 0, bytes: 0)
        #expect(queue.hasRoom(for: sample(0, bytes: 5000)) && !queue.isFull)
        queue.append(sample(0, bytes: 5000))
        #expect(!queue.hasRoom(for: sample(0, bytes: 1)) && queue.isFull && queue.isHalfFull)
    }

    @Test func queue_appendAndPop_updatesCounts() {
        var queue = queue(bytes: .max)
        queue.append(SyntheticMedia.tone(from: 0, count: 480, at: .zero))
        queue.append(SyntheticMedia.tone(from: 480, count: 20, at: .zero))
        #expect(queue.sampleCount == 500 && queue.count == 2 && queue.byteCount == 2000)
        #expect(queue.popFirst()?.sampleCount == 480 && queue.sampleCount == 20)
        queue.removeAll()
        #expect(queue.sampleCount == 0 && queue.byteCount == 0 && queue.popFirst() == nil)
    }

    @Test func queue_halfOfItsTimeUsed_isHalfFull() {
        var queue = queue()
        queue.append(sample(0))
        #expect(!queue.isHalfFull)
        queue.append(sample(500))
        #expect(queue.isHalfFull)
    }

    @Test func queue_halfOfItsBytesUsed_isHalfFull() {
        var queue = queue()
        queue.append(sample(0, bytes: 499))
        #expect(!queue.isHalfFull)
        queue.append(sample(1, bytes: 1))
        #expect(queue.isHalfFull)
    }

    @Test func pullQueue_isLimitedByCountAndBytes() {
        var many = SampleQueue.pull()
        for time in 0..<31 as Range<Int64> { many.append(sample(time * 100_000)) }
        #expect(!many.isFull && many.isHalfFull)
        many.append(sample(0))
        #expect(many.isFull && many.count == 32)
        var large = SampleQueue.pull()
        for time in 0..<2 as Range<Int64> { large.append(sample(time, bytes: 12 << 20)) }
        // Frames wait while another is encoded, however large they are.
        #expect(!large.isFull && large.hasRoom(for: sample(2, bytes: 12 << 20)))
        large.append(sample(2, bytes: 12 << 20))
        #expect(large.isFull)
    }
}
