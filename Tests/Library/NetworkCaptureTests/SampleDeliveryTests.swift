import FakeNetworkDevices
import MediaTypes
import Testing

@testable import NetworkCapture

@Suite struct SampleDeliveryTests {
    private func frame(_ milliseconds: Int64, _ count: Int = 1, isKeyframe: Bool = false) -> SampleBuffer {
        SampleBuffer(
            format: .video(VideoFormat(codec: .h264, width: 64, height: 32)),
            content: .data(MediaData([UInt8](repeating: 0, count: count))),
            presentationTime: MediaTime(value: milliseconds, timescale: 1000), isKeyframe: isKeyframe)
    }

    @Test func delivery_framesBeforeTheStart_comeFirst() {
        let (link, record) = (NetworkLink(), EventRecord())
        var delivery = SampleDelivery(link)
        delivery.deliver(frame(0, isKeyframe: true))
        delivery.deliver(frame(40))
        let isStarted = link.video.start { record.receive($0) }
        #expect(isStarted)
        delivery.deliver(frame(80))
        #expect(record.samples.map { $0.presentationTime.ticks(in: 1000) } == [0, 40, 80])
    }

    @Test func delivery_framesAfterForgottenOnes_countAsLost() {
        let (link, record) = (NetworkLink(), EventRecord())
        var delivery = SampleDelivery(link)
        delivery.deliver(frame(0, 20 << 20, isKeyframe: true))
        delivery.deliver(frame(40, 20 << 20))
        let isStarted = link.video.start { record.receive($0) }
        #expect(isStarted)
        delivery.deliver(frame(80))
        delivery.deliver(frame(120))
        delivery.deliver(frame(160, isKeyframe: true))
        #expect(record.lost == 2 && record.samples.map { $0.presentationTime.ticks(in: 1000) } == [160])
    }
}
