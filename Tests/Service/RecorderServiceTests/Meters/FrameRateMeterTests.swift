import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct FrameRateMeterTests {
    @Test func frameRateMeter_rateChanges_followsIt() throws {
        var meter = FrameRateMeter()
        for index in 0..<90 { meter.add(MediaTime(value: Int64(index), timescale: 30)) }
        #expect(abs((try #require(meter.current)) - 30) < 0.5)
        for index in 0..<45 { meter.add(MediaTime(value: Int64(45 + index), timescale: 15)) }
        #expect(abs((try #require(meter.current)) - 15) < 0.5)
    }
}
