import Testing

@testable import MediaCodecs

@Suite struct LiveBacklogTests {
    @Test func backlog_moreThanALiveEncoderMayHold_isTooLong() {
        var backlog = LiveBacklog(rate: 10, interval: 5)
        for _ in 0..<6 { backlog.frameWasSent() }
        #expect(backlog.held == 6 && backlog.isTooLong)
        backlog.packetCame()
        #expect(backlog.held == 5 && backlog.isTooLong)
        backlog.packetCame()
        #expect(!backlog.isTooLong)
    }

    @Test func backlog_longKeyframeInterval_isTooLongOnlyAfterIt() {
        var backlog = LiveBacklog(rate: 10, interval: 50)
        for _ in 0..<49 { backlog.frameWasSent() }
        #expect(!backlog.isTooLong)
        backlog.frameWasSent()
        #expect(backlog.isTooLong)
        backlog.restarted()
        #expect(backlog.held == 0 && !backlog.isTooLong)
    }

    /// 0.45 s is less than one frame at two frames a second.
    @Test func backlog_lowFrameRate_allowsFourFrames() {
        var backlog = LiveBacklog(rate: 2, interval: 1)
        for _ in 0..<4 { backlog.frameWasSent() }
        #expect(!backlog.isTooLong)
        backlog.frameWasSent()
        #expect(backlog.isTooLong)
    }
}
