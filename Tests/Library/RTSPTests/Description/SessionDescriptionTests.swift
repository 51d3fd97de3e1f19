import RTSP
import TestSupport
import Testing

@Suite struct SessionDescriptionTests {
    private func describe(_ text: String) -> SessionDescription { SessionDescription(Array(text.utf8)) }

    private let usual = """
        v=0\r
        o=- 2208992188 969705160 IN IP4 0.0.0.0\r
        s=Media Presentation\r
        c=IN IP4 0.0.0.0\r
        t=0 0\r
        a=control:*\r
        a=range:npt=0-\r
        m=video 0 RTP/AVP 96\r
        a=framerate:12.5\r
        a=rtpmap:96 H264/90000\r
        a=fmtp:96 profile-level-id=4d001f;packetization-mode=1; sprop-parameter-sets=Z00AH9oBQBbsBVIAAAMAAg==,aO48gA==\r
        a=recvonly\r
        a=control:trackID=1\r
        m=audio 0 RTP/AVP 0 97\r
        a=rtpmap:97 mpeg4-generic/16000/2\r
        a=control:trackID=2\r
        a=sendonly\r

        """

    @Test func description_ofACamera_hasItsStreams() throws {
        let session = describe(usual)
        #expect(session.name == "Media Presentation" && session.control == "*" && session.range == "npt=0-")
        try #require(session.media.count == 2)
        let video = session.media[0]
        #expect(video.kind == .video && video.control == "trackID=1" && video.frameRate == 12.5)
        #expect(video.direction == .receiveOnly)
        #expect(video.formats.first?.encoding == "H264" && video.formats.first?.clockRate == 90_000)
        #expect(video.formats.first?.parameters["sprop-parameter-sets"] == "Z00AH9oBQBbsBVIAAAMAAg==,aO48gA==")
        #expect(video.formats.first?.parameters.number("packetization-mode") == 1)
        let audio = session.media[1]
        #expect(audio.formats.map(\.encoding) == ["PCMU", "MPEG4-GENERIC"])
        #expect(audio.formats[1].channels == 2 && audio.formats[1].clockRate == 16_000)
        #expect(audio.direction == .sendOnly)
        #expect(session.complaints.isEmpty)
    }

    @Test func description_parametersBeforeTheMap_areKept() {
        let session = describe("m=video 0 RTP/AVP 35\na=fmtp:35 sprop-vps=QAE=\na=rtpmap:35 H265/90000\n")
        #expect(session.media.first?.formats.first?.parameters["sprop-vps"] == "QAE=")
    }

    @Test func description_withoutMap_guessesByTheParameters() {
        let session = describe("m=video 0 RTP/AVP 96\na=fmtp:96 sprop-parameter-sets=Z0I=,aM4=")
        #expect(session.media.first?.formats.first?.encoding == "H264")
        #expect(session.complaints == ["payload type 96 has no rtpmap: assumed to be H264"])
    }

    @Test func description_oddLines_keepsTheRestAndComplains() {
        let session = describe(
            """
            garbage
            m=video
            a=control:ignored
            m=audio 0 RTP/AVP 8 300 x
            a=rtpmap:8
            a=rtpmap:9 /8000
            a=framerate:nan
            a=control:
            a=control:audio
            """)
        #expect(session.media.count == 1)
        #expect(session.media.first?.formats.map(\.encoding) == ["PCMA"])
        #expect(session.media.first?.control == "audio")
        #expect(session.complaints.count == 8)
    }

    @Test func description_truncated_isUsedAsFarAsItGoes() {
        let bytes = Array(usual.utf8)
        for count in stride(from: 0, to: bytes.count, by: 7) {
            let session = SessionDescription(Array(bytes.prefix(count)))
            #expect(session.media.count <= 2)
        }
        #expect(describe("").complaints == ["it describes no stream"])
    }

    @Test(arguments: 0..<40) func description_mutated_neverCrashes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bytes = Array(usual.utf8)
        for _ in 0..<20 {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
        }
        #expect(SessionDescription(bytes).media.count <= SessionDescription.mostMedia)
    }

    @Test(
        arguments: [
            (nil, nil, "trackID=1", "rtsp://10.0.0.2/live/trackID=1"),
            ("rtsp://10.0.0.2/live/", nil, "trackID=1", "rtsp://10.0.0.2/live/trackID=1"),
            (
                "rtsp://10.0.0.2:554/cam?channel=1&subtype=0/", nil, "trackID=0",
                "rtsp://10.0.0.2:554/cam?channel=1&subtype=0/trackID=0"
            ),
            ("rtsp://admin:secret@10.0.0.2/live/", nil, "*", "rtsp://10.0.0.2/live/"),
            (nil, "/other", "1", "rtsp://10.0.0.2/other/1"),
            ("nonsense", "rtsp://10.0.0.3/x", "/1", "rtsp://10.0.0.3/x/1"),
            (nil, nil, "rtsp://admin:secret@10.0.0.2/abs", "rtsp://10.0.0.2/abs"),
            (nil, nil, nil, "rtsp://10.0.0.2/live"),
        ] as [(String?, String?, String?, String)])
    func controlURL_asCamerasSendIt_isResolved(base: String?, location: String?, control: String?, result: String)
        throws
    {
        let request = try RTSPURL.parse("rtsp://user:secret@10.0.0.2/live").url
        #expect(ControlURL(request: request, contentBase: base, contentLocation: location).resolved(control) == result)
    }
}
