import FakeNetworkDevices
import MediaTypes
import Testing

@testable import NetworkCapture

@Suite struct SampleDeliveryTests {
    @Test func delivery_framesBeforeTheStart_comeFirst() {
        let (link, record) = (NetworkLink(), EventRecord())
        var delivery = SampleDelivery(link)
        delivery.deliver(SampleBuffer.frame(0, isKeyframe: true))
        delivery.deliver(SampleBuffer.frame(40))
        let isStarted = link.video.start { record.receive($0) }
        #expect(isStarted)
        delivery.deliver(SampleBuffer.frame(80))
        #expect(record.samples.map { $0.presentationTime.ticks(in: 1000) } == [0, 40, 80])
    }

    @Test func delivery_leadingFramesOfTheFirstKeyframe_areNotDelivered() {
        let (link, record) = (NetworkLink(), EventRecord())
        var delivery = SampleDelivery(link)
        delivery.deliver(SampleBuffer.frame(80, isKeyframe: true))
        let isStarted = link.video.start { record.receive($0) }
        #expect(isStarted)
        delivery.deliver(SampleBuffer.frame(40))
        delivery.deliver(SampleBuffer.frame(120))
        #expect(record.lost == 0 && record.samples.map { $0.presentationTime.ticks(in: 1000) } == [80, 120])
    }

    @Test func delivery_framesAfterForgottenOnes_countAsLost() {
        let (link, record) = (NetworkLink(), EventRecord())
        var delivery = SampleDelivery(link)
        delivery.deliver(SampleBuffer.frame(0, 20 << 20, isKeyframe: true))
        delivery.deliver(SampleBuffer.frame(40, 20 << 20))
        let isStarted = link.video.start { record.receive($0) }
        #expect(isStarted)
        delivery.deliver(SampleBuffer.frame(80))
        delivery.deliver(SampleBuffer.frame(120))
        delivery.deliver(SampleBuffer.frame(160, isKeyframe: true))
        #expect(record.lost == 2 && record.samples.map { $0.presentationTime.ticks(in: 1000) } == [160])
    }
}
