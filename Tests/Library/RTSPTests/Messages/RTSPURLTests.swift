import MediaTypes
import RTSP
import Testing

@Suite struct RTSPURLTests {
    @Test func url_withUserAndPassword_isStrippedOfBoth() throws {
        let (url, credentials) = try RTSPURL.parse("rtsp://admin:p@ss%2Fword#1@192.168.1.64:8554/Streaming/101?a=b")
        #expect(url.description == "rtsp://192.168.1.64:8554/Streaming/101?a=b")
        #expect(url.host == "192.168.1.64" && url.port == 8554)
        #expect(credentials == Credentials(user: "admin", password: "p@ss/word#1"))
    }

    @Test(arguments: [("a%20b", "a b"), ("%C3%BC", "ü"), ("100%", "100%"), ("%+5%4", "%+5%4"), ("%zz", "%zz")])
    func percentDecoded_sequences_areReplacedAndOthersStay(text: String, decoded: String) {
        #expect(text.percentDecoded == decoded)
    }

    @Test func url_withoutPort_usesThatOfRTSP() throws {
        let (url, credentials) = try RTSPURL.parse(" rtsp://camera.local ")
        #expect(url.port == 554 && url.path.isEmpty && credentials == nil)
        #expect(url.description == "rtsp://camera.local")
        #expect(try RTSPURL.parse("RTSPS://camera/1").url.port == 322)
    }

    @Test func url_addressOfIPv6_keepsItsBracketsInRequests() throws {
        let url = try RTSPURL.parse("rtsp://[fe80::1]:554/live").url
        #expect(url.host == "fe80::1" && url.description == "rtsp://[fe80::1]:554/live")
    }

    @Test(arguments: [
        "http://user:secret@a/b", "rtsp:/user:secret", "rtsp://user:secret@", "rtsp://user:secret@a:0/b",
        "rtsp://user:secret@a:70000", "rtsp://user:se/cret@a/b", "rtsp://user:secret@[fe80::1/b", "",
        "rtsp://a b/secret",
    ]) func url_invalid_isRefusedWithoutItsPassword(_ text: String) {
        let error = #expect(throws: MediaError.self) { try RTSPURL.parse(text) }
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: [
        "/user=admin_password=geheim_channel=1", "/live?loginuse=admin&loginpas=geheim", "/11?u=admin&p=geheim",
        "/video?usr=admin&pwd=geheim", "/a?psw=geheim", "/a?signature=geheim",
    ]) func label_secretsInThePath_areLeftOut(_ path: String) throws {
        #expect(try RTSPURL.parse("rtsp://10.0.0.2:554" + path).url.label == "rtsp://10.0.0.2:554/…")
    }

    @Test func label_ordinaryQuery_isKept() throws {
        let url = "rtsp://10.0.0.2/cam/realmonitor?channel=1&subtype=0"
        #expect(try RTSPURL.parse(url).url.label == url)
    }

    @Test func credentials_inAnyDescription_areRedacted() {
        let credentials = Credentials(user: "admin", password: "secret")
        var dumped = ""
        dump([credentials], to: &dumped)
        for text in [
            "\(credentials)", String(reflecting: credentials), String(describing: Optional(credentials)), dumped,
        ] {
            #expect(!text.contains("secret") && !text.contains("admin"))
        }
    }

    @Test func transport_answered_usesWhatTheCameraChose() {
        let tcp = RTSPTransport.interleaved(rtp: 0, rtcp: 1)
        #expect(tcp.answered(by: "RTP/AVP/TCP;unicast;interleaved=4-5;ssrc=1234") == .interleaved(rtp: 4, rtcp: 5))
        #expect(tcp.answered(by: "RTP/AVP/TCP;unicast;interleaved=2") == .interleaved(rtp: 2, rtcp: 3))
        #expect(tcp.answered(by: nil) == tcp)
        #expect(tcp.answered(by: "RTP/AVP/UDP;unicast;client_port=1-2;server_port=3-4") == nil)
        let udp = RTSPTransport.datagrams(client: 5000, server: nil, source: nil)
        #expect(
            udp.answered(by: "RTP/AVP;unicast;source=10.0.0.2;client_port=5000-5001;server_port=6970-6971")
                == .datagrams(client: 5000, server: 6970, source: "10.0.0.2"))
        #expect(udp.request == "RTP/AVP;unicast;client_port=5000-5001")
    }

    @Test func request_withLineEndsInItsValues_staysOneMessage() {
        var headers = RTSPHeaders()
        headers.add("CSeq", "1\r\nEvil: 1")
        let text = String(decoding: RTSPRequest("PLAY", "rtsp://a\r\n/b", headers: headers).bytes, as: UTF8.self)
        #expect(text == "PLAY rtsp://a/b RTSP/1.0\r\nCSeq: 1Evil: 1\r\n\r\n")
    }
}
