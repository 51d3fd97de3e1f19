import NIOCore
import Testing

@testable import WebService

/// The queue of a page: it is bounded, and never begins in the middle of a GOP.
@Suite struct ViewerQueueTests {
    private func text(_ queue: inout ViewerQueue) -> String { String(buffer: queue.popAll()) }

    private func push(_ queue: inout ViewerQueue, _ text: String, of recorder: UInt16 = 1, isKey: Bool = false) {
        queue.push(ByteBuffer(string: text), of: recorder, .media(isKey: isKey))
    }

    @Test func queue_keepsTheOrder() {
        var queue = ViewerQueue(limit: 100)
        queue.push(ByteBuffer(string: "H"), of: 1, .head)
        push(&queue, "K", isKey: true)
        push(&queue, "p")
        queue.push(ByteBuffer(string: "s"), of: 1, .state(.recorder))
        #expect(text(&queue) == "HKps")
        #expect(queue.isEmpty)
    }

    @Test func queue_afterAHeader_continuesAtAKeyframe() {
        var queue = ViewerQueue(limit: 100)
        queue.push(ByteBuffer(string: "H"), of: 1, .head)
        push(&queue, "p")
        push(&queue, "K", isKey: true)
        #expect(text(&queue) == "HK")
    }

    @Test func queue_slowViewer_dropsWholeGOPsAndContinuesAtAKeyframe() {
        var queue = ViewerQueue(limit: 6)
        queue.push(ByteBuffer(string: "H"), of: 1, .head)
        for index in 0..<20 { push(&queue, index % 5 == 0 ? "K" : "p", isKey: index % 5 == 0) }
        let kept = text(&queue)
        #expect(kept.hasPrefix("H") && kept.count <= 6, "\(kept)")
        #expect(kept.dropFirst().isEmpty || kept.dropFirst().first == "K")
        #expect(queue.losses > 0)
    }

    @Test func queue_manyRecorders_isBoundedInBytes() {
        var queue = ViewerQueue(limit: 1000)
        for recorder in UInt16(1)...50 { queue.push(ByteBuffer(string: "H"), of: recorder, .head) }
        for _ in 0..<100 {
            for recorder in UInt16(1)...50 {
                push(&queue, String(repeating: "K", count: 50), of: recorder, isKey: true)
            }
        }
        #expect(queue.popAll().readableBytes <= 1000)
    }

    private func begin(
        _ queue: inout ViewerQueue, _ gop: [String], of recorder: UInt16 = 1, isWhole: Bool = true
    ) {
        queue.begin(ByteBuffer(string: "H"), gop.map { ByteBuffer(string: $0) }, isWhole: isWhole, of: recorder)
    }

    @Test func beginning_wholeGOP_continuesWithTheNextFrame() {
        var queue = ViewerQueue(limit: 20)
        begin(&queue, ["K", "p"])
        push(&queue, "q")
        #expect(text(&queue) == "HKpq")
    }

    @Test func beginning_tooLargeGOP_isItsKeyframe() {
        var queue = ViewerQueue(limit: 20)
        begin(&queue, ["Key", String(repeating: "p", count: 50)])
        push(&queue, "q")
        push(&queue, "L", isKey: true)
        #expect(text(&queue) == "HKeyL")
        // Only the keyframe is known.
        begin(&queue, ["K"], isWhole: false)
        push(&queue, "q")
        #expect(text(&queue) == "HK")
    }

    @Test func beginnings_ofManyStreams_dropNoOtherMedia() {
        var queue = ViewerQueue(limit: 40)
        push(&queue, String(repeating: "m", count: 36), of: 99, isKey: true)
        for recorder in UInt16(1)...20 { begin(&queue, ["KKK", "ppp"], of: recorder) }
        let queued = text(&queue)
        #expect(queued.hasPrefix("mmm") && queue.losses == 0, "\(queued)")
        // Three entire GOPs, and then keyframes as long as there is space.
        #expect(queued.filter { $0 == "p" }.count == 9 && queued.filter { $0 == "K" }.count == 30, "\(queued)")
        // The space is free again.
        begin(&queue, ["K", "p"])
        #expect(text(&queue) == "HKp")
    }

    @Test func queue_manyStates_keepsTheNewest() {
        var queue = ViewerQueue(limit: 10)
        for index in 0..<1000 { queue.push(ByteBuffer(string: "\(index) "), of: 1, .state(.levels)) }
        queue.push(ByteBuffer(string: "other "), of: 2, .state(.levels))
        #expect(text(&queue) == "999 other ")
    }

    @Test func queue_forgottenRecorder_isRemoved() {
        var queue = ViewerQueue(limit: 100)
        push(&queue, "K", of: 1, isKey: true)
        push(&queue, "L", of: 2, isKey: true)
        queue.forget(1)
        #expect(text(&queue) == "L")
    }
}
