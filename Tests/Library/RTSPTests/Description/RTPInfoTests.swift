import RTSP
import TestSupport
import Testing

@Suite struct RTPInfoTests {
    private let urls = ["rtsp://10.0.0.2/live/track1", "rtsp://10.0.0.2/live/track2"]

    private func times(_ headers: [String]) throws -> [UInt32?] {
        let base = ControlURL(request: try RTSPURL.parse("rtsp://10.0.0.2/live").url)
        return RTPInfo(headers).beginnings(of: urls, base: base).map { $0?.time }
    }

    @Test(arguments: [
        "url=rtsp://10.0.0.2/live/track1;seq=1;rtptime=11,url=rtsp://10.0.0.2/live/track2;seq=2;rtptime=22",
        "url=rtsp://10.0.0.2/live/track2;rtptime=22;seq=2, url=rtsp://10.0.0.2/live/track1;rtptime=11;seq=1",
        "url=track1;seq=1;rtptime=11,url=track2;seq=2;rtptime=22",
        "url=/track1;seq=1;rtptime=11,url=/track2;seq=2;rtptime=22",
        "URL=\"track1\" ; Seq = 1 ; RTPTime = 11 , URL=\"track2\" ; RTPTime = 22",
        "url=rtsp://user:x@192.168.1.9:8554/other/track1/;rtptime=11,url=rtsp://192.168.1.9/other/TRACK2;rtptime=22",
        "url=rtsp://10.0.0.2/a;b,c/one;rtptime=11,url=rtsp://10.0.0.2/a;b,c/two;rtptime=22",
        "seq=1;rtptime=11,seq=2;rtptime=22",
        ";rtptime=11,url=;rtptime=22",
    ])
    func info_ofTwoStreams_hasTheirTimes(header: String) throws {
        #expect(try times([header]) == [11, 22])
    }

    @Test func info_inTwoHeaders_hasTheirTimes() throws {
        #expect(try times(["url=track1;rtptime=11", "url=track2;rtptime=22"]) == [11, 22])
    }

    @Test func info_ofOneStream_hasNothingOfTheOther() throws {
        #expect(try times(["url=rtsp://10.0.0.2/live/track2;seq=2;rtptime=22"]) == [nil, 22])
    }

    @Test func info_withNegativeTime_isThatOf32Bits() throws {
        #expect(try times(["url=track1;rtptime=-1,url=track2;rtptime=0"]) == [.max, 0])
    }

    @Test(arguments: [
        "", ",", ";;;", "url", "url=", "url=track3;rtptime=1", "url=track1;rtptime=x,url=track2",
        "url=track1;rtptime=4294967296;seq=65536,url=track2",
    ])
    func info_withoutUsableTimes_hasNone(header: String) throws {
        #expect(try times([header]) == [nil, nil])
    }

    @Test func info_withManyStreams_isLimited() {
        let info = RTPInfo([String(repeating: "url=a;rtptime=1,", count: 5000)])
        #expect(info.streams.count == SessionDescription.mostMedia)
    }

    @Test(arguments: 0..<100) func info_ofRandomText_neverCrashes(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let parts = ["url=", "seq=", "rtptime=", ",", ";", "\"", " ", "=", "-", "1", "track1", "/", "\u{E9}"]
        let text = (0..<40).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
        #expect(try times([text]).count == urls.count)
    }
}
