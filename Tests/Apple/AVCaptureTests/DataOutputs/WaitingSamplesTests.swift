import FakeDevices
import MediaTypes
import Testing

@testable import AVCapture

@Suite struct WaitingSamplesTests {
    private func frame(_ time: Int, bytes: Int = 3072) -> SampleBuffer {
        SampleBuffer(
            format: .video(VideoFormat(codec: .mjpeg, width: 64, height: 32)),
            content: .data(MediaData([UInt8](repeating: 0, count: bytes))), presentationTime: milliseconds(time))
    }

    private func rest(_ waiting: inout WaitingSamples) -> [String] {
        var lines: [String] = []
        while let item = waiting.next() {
            switch item {
            case .sample(let sample): lines.append("sample \(sample.presentationTime.ticks(in: 1000))")
            case .dropped(let drop): lines.append("\(drop.reason) \(drop.time.ticks(in: 1000))")
            }
        }
        return lines
    }

    @Test func waiting_newerFrame_makesTheOlderLate() {
        var waiting = WaitingSamples(.latest, reportsDrops: true)
        for time in [0, 33, 66] { waiting.add(frame(time)) }
        #expect(waiting.ledger.waiting == 1)
        #expect(rest(&waiting) == ["late 0", "late 33", "sample 66"])
        let ledger = waiting.ledger
        #expect(ledger.captured == 3 && ledger.delivered == 1 && ledger.late == 2 && ledger.waiting == 0)
    }

    @Test func waiting_limitedCount_dropsTheNewest() {
        var waiting = WaitingSamples(.samples(count: 2, bytes: 1 << 20), reportsDrops: true)
        for time in [0, 33, 66] { waiting.add(frame(time)) }
        #expect(rest(&waiting) == ["sample 0", "sample 33", "full 66"])
        #expect(waiting.ledger.full == 1 && waiting.ledger.waiting == 0)
    }

    @Test func waiting_limitedBytes_alwaysHasRoomForOne() {
        var waiting = WaitingSamples(.samples(count: 9, bytes: 5000), reportsDrops: true)
        for time in [0, 33] { waiting.add(frame(time)) }
        #expect(rest(&waiting) == ["sample 0", "full 33"])
        waiting.add(frame(66, bytes: 9000))
        #expect(rest(&waiting) == ["sample 66"])
    }

    @Test func waiting_lossOfTheDevice_isReportedInOrder() {
        var waiting = WaitingSamples(.samples(count: 9, bytes: 1 << 20), reportsDrops: true)
        waiting.add(frame(0))
        waiting.lose(3, near: milliseconds(133))
        waiting.add(frame(133))
        #expect(rest(&waiting) == ["sample 0", "lost(count: 3) 133", "sample 133"])
        #expect(waiting.ledger.captured == 5 && waiting.ledger.lost == 3 && waiting.ledger.dropped == 3)
    }

    @Test func waiting_lossWhileAFrameWaits_isReportedAfterTheLateFrame() {
        var waiting = WaitingSamples(.latest, reportsDrops: true)
        waiting.add(frame(33))
        waiting.lose(2, near: milliseconds(133))
        waiting.add(frame(133))
        #expect(rest(&waiting) == ["late 33", "lost(count: 2) 133", "sample 133"])
    }

    @Test func waiting_delegateThatBlocksForLong_keepsFewReports() {
        var waiting = WaitingSamples(.latest, reportsDrops: true)
        for index in 0...1000 { waiting.add(frame(index * 33)) }
        #expect(rest(&waiting).count == WaitingSamples.mostDrops + 1)
        #expect(waiting.ledger.late == 1000)
    }

    @Test func waiting_audio_countsAudioFramesAndReportsNothing() {
        var waiting = WaitingSamples(.samples(count: 1, bytes: 1 << 20), reportsDrops: false)
        waiting.add(audio(at: 0, frames: 960))
        waiting.add(audio(at: 20, frames: 960))
        #expect(rest(&waiting) == ["sample 0"])
        #expect(waiting.ledger.captured == 1920 && waiting.ledger.full == 960)
    }

    @Test func waiting_cleared_countsWhatWaited() {
        var waiting = WaitingSamples(.samples(count: 9, bytes: 1 << 20), reportsDrops: true)
        for time in [0, 33] { waiting.add(frame(time)) }
        waiting.clear()
        #expect(waiting.isEmpty && waiting.ledger.late == 2 && waiting.ledger.waiting == 0)
        let next = WaitingSamples(.latest, continuing: waiting)
        #expect(next.ledger == waiting.ledger && next.limit == .latest)
    }
}
