import Testing

@testable import RTSP

@Suite struct StreamSelectionTests {
    private func rates(_ text: String) -> [Int] {
        StreamSelection(SessionDescription(Array(text.utf8)), SessionOptions()).streams.map(\.format.clockRate)
    }

    @Test(arguments: ["H264", "H265", "JPEG"]) func selection_videoWithoutAClockRate_hasTheUsualOne(encoding: String) {
        #expect(rates("m=video 0 RTP/AVP 96\na=rtpmap:96 \(encoding)\n") == [90_000])
        #expect(rates("m=video 0 RTP/AVP 96\na=rtpmap:96 \(encoding)/1000\n") == [1000])
    }

    @Test(arguments: [("OPUS", 48_000), ("PCMU", 8000), ("PCMA", 8000), ("MPEG4-GENERIC", 16_000)])
    func selection_audioWithoutAClockRate_hasTheUsualOne(encoding: String, rate: Int) {
        // Of AAC, the config states the rate.
        #expect(rates("m=audio 0 RTP/AVP 97\na=rtpmap:97 \(encoding)\na=fmtp:97 config=1408\n") == [rate])
    }

    @Test(arguments: ["MPEG4-GENERIC", "L16"]) func selection_unknownClockRate_isRefused(encoding: String) {
        #expect(rates("m=audio 0 RTP/AVP 97\na=rtpmap:97 \(encoding)\n").isEmpty)
    }
}
