import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The queue of one viewer: it begins with a keyframe and bounds its memory, however slow the viewer is.
struct LiveQueueTests {
    private func times(_ queue: LiveQueue) -> [Int] {
        queue.packets.map { Int($0.presentationTime.seconds.rounded(.down)) }
    }

    @Test func queue_beginsWithAKeyframeAndItsAudio() {
        var queue = LiveQueue(limit: 10_000, hasVideo: true)
        queue.push(LivePackets.audioPacket(0))
        for number in 5..<12 { queue.push(LivePackets.frame(number)) }
        queue.push(LivePackets.audioPacket(50))
        let packets = queue.popAll()
        #expect(packets.map(\.format.mediaType) == [.video, .video, .audio])
        #expect(packets.first?.isKeyframe == true)
        #expect(queue.packets.isEmpty && queue.byteCount == 0)
        #expect(queue.lostCount == 5)
    }

    @Test func queue_fromATime_beginsWithTheFirstKeyframeAfterIt() {
        var queue = LiveQueue(limit: 10_000, hasVideo: true, from: LivePackets.frame(15).presentationTime)
        for number in 8..<32 { queue.push(LivePackets.frame(number)) }
        #expect(queue.packets.first?.presentationTime == LivePackets.frame(20).presentationTime)
        #expect(queue.packets.count == 12 && queue.lostCount == 12)
    }

    @Test func queue_slowViewer_continuesAtTheNewestKeyframe() {
        var queue = LiveQueue(limit: 2500, hasVideo: true)
        for number in 0..<26 { queue.push(LivePackets.frame(number)) }
        #expect(queue.packets.first?.presentationTime == LivePackets.frame(20).presentationTime)
        #expect(queue.packets.count == 6)
        #expect(queue.lostCount == 20)
        #expect(queue.byteCount == 600)
    }

    @Test func queue_gopLargerThanTheLimit_isDroppedEntirely() {
        var queue = LiveQueue(limit: 450, hasVideo: true)
        for number in 0..<10 { queue.push(LivePackets.frame(number)) }
        #expect(queue.packets.isEmpty && queue.lostCount == 10)
        queue.push(LivePackets.audioPacket(60))
        #expect(queue.packets.isEmpty)
        queue.push(LivePackets.frame(10))
        #expect(queue.packets.count == 1)
    }

    @Test func queue_openGOP_beginsWithoutLeadingFrames() {
        var queue = LiveQueue(limit: 10_000, hasVideo: true)
        let packets = ReorderedFrames.packets()
        for packet in packets.dropFirst(5) { queue.push(packet) }
        let times = queue.popAll().map { Int($0.presentationTime.ticks(in: 1000)) / 40 }
        // Those of the second keyframe depend on frames that the viewer has.
        #expect(times == [8, 12, 10, 9, 11, 16, 14, 13, 15, 20, 18, 17, 19] && queue.lostCount == 3)
    }

    @Test func queue_slowViewerOfOpenGOPs_continuesWithoutLeadingFrames() {
        var queue = LiveQueue(limit: 75, hasVideo: true)
        for packet in ReorderedFrames.packets().prefix(9) { queue.push(packet) }
        #expect(queue.packets.map { Int($0.presentationTime.ticks(in: 1000)) / 40 } == [8])
        #expect(queue.byteCount == 10 && queue.lostCount == 8)
    }

    @Test func queue_audioOnly_dropsTheOldest() {
        var queue = LiveQueue(limit: 30, hasVideo: false)
        for number in 0..<100 {
            queue.push(LivePackets.audioPacket(number))
            #expect(queue.byteCount <= 30)
        }
        #expect(queue.packets.last?.presentationTime == LivePackets.audioPacket(99).presentationTime)
        #expect(queue.lostCount + queue.packets.count == 100)
    }

    /// Random packets never exceed the limit, and no frame depends on one that was dropped.
    @Test(arguments: 0..<20) func queue_randomPackets_staysBoundedAndDecodable(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = LiveQueue(limit: 3000, hasVideo: true)
        var expected: Int?
        var shown = 0
        for number in 0..<400 {
            queue.push(LivePackets.frame(number, size: Int.random(in: 1...900, using: &random)))
            #expect(queue.byteCount <= 3000)
            // With a higher seed, the viewer reads less often.
            guard Int.random(in: 0..<(Int(seed) + 2), using: &random) == 0 else { continue }
            for packet in queue.popAll() {
                let own = Int(packet.presentationTime.value) - 1000
                #expect(packet.isKeyframe || own == expected)
                expected = own + 1
                shown += 1
            }
        }
        #expect(shown > 0 && shown + queue.packets.count + queue.lostCount == 400)
    }
}
