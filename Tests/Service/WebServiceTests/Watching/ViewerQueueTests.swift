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
