import MediaTypes
import RTSP
import TestSupport
import Testing

@Suite struct RTSPSessionTests {
    private let challenge = ("WWW-Authenticate", "Digest realm=\"cam\", nonce=\"one\"")

    private func options(_ transport: SessionOptions.Transport, ports: [UInt16] = [5000, 5002]) -> SessionOptions {
        var options = SessionOptions()
        options.transport = transport
        options.clientPorts = ports
        return options
    }

    @Test func session_ordinaryCamera_playsBothStreams() throws {
        var camera = try CameraConversation()
        let first = camera.request()
        #expect(first?.method == "OPTIONS" && first?.target == "rtsp://10.0.0.2/live")
        camera.answer(first, 200, [("Public", "DESCRIBE, SETUP, PLAY, TEARDOWN")])
        let describe = camera.request()
        #expect(describe?.method == "DESCRIBE" && describe?.headers["Accept"] == "application/sdp")
        camera.answer(describe, 200, [("Content-Base", "rtsp://10.0.0.2/live/")], body: CameraConversation.description)
        let video = camera.request()
        #expect(video?.method == "SETUP" && video?.target == "rtsp://10.0.0.2/live/track1")
        #expect(video?.headers["Transport"] == "RTP/AVP/TCP;unicast;interleaved=0-1")
        camera.answer(video, 200, [("Session", "42;timeout=30"), ("Transport", "RTP/AVP/TCP;interleaved=0-1")])
        let audio = camera.request()
        #expect(audio?.target == "rtsp://10.0.0.2/live/track2" && audio?.headers["Session"] == "42")
        camera.answer(audio, 200, [("Session", "42;timeout=30"), ("Transport", "RTP/AVP/TCP;interleaved=4-5")])
        let play = camera.request()
        #expect(play?.method == "PLAY" && play?.target == "rtsp://10.0.0.2/live/")
        #expect(camera.ready.first?.map(\.format.encoding) == ["H264", "PCMU"])
        camera.answer(play)
        #expect(camera.isPlaying && camera.ended == nil)
        camera.take(camera.session.receive([0x24, 4, 0, 2, 0x80, 0, 0x24, 1, 0, 1, 0x81], at: 0))
        #expect(camera.packets.map(\.stream) == [1, 0] && camera.packets.map(\.isControl) == [false, true])
        #expect(camera.session.interleaved([9], stream: 1) == [0x24, 5, 0, 1, 9])
    }

    @Test func session_beginningsInTheResponse_areThoseOfTheStreams() throws {
        var camera = try CameraConversation()
        while let request = camera.request() {
            switch request.method {
            case "DESCRIBE": camera.answer(request, 200, [], body: CameraConversation.description)
            case "PLAY":
                let audio = "url=rtsp://10.0.0.2/live/track2;seq=7;rtptime=160"
                let video = "url=rtsp://10.0.0.2/live/track1;seq=65535;rtptime=4294967295"
                camera.answer(request, 200, [("RTP-Info", "\(audio),\(video)")])
            default: camera.answer(request, 200, [("Session", "42")])
            }
        }
        let beginnings = try #require(camera.beginnings)
        #expect(beginnings.map { $0?.sequence } == [65_535, 7])
        #expect(beginnings.map { $0?.time } == [4_294_967_295, 160])
    }

    @Test func session_noBeginningsInTheResponse_playsWithoutThem() throws {
        var camera = try CameraConversation()
        camera.play()
        let beginnings = try #require(camera.beginnings)
        #expect(beginnings.count == 2 && beginnings.allSatisfy { $0 == nil })
    }

    @Test func session_challenge_isAnsweredWithoutThePasswordInAnyRequest() throws {
        var camera = try CameraConversation()
        let first = camera.request()
        #expect(first?.headers["Authorization"] == nil)
        camera.answer(first, 401, [challenge])
        let second = camera.request()
        #expect(second?.method == "OPTIONS" && second?.headers["Authorization"]?.contains("nonce=\"one\"") == true)
        camera.answer(second)
        let describe = camera.request()
        #expect(describe?.headers["Authorization"]?.contains("uri=\"rtsp://10.0.0.2/live\"") == true)
        for request in [first, second, describe] {
            let text = String(decoding: request?.bytes ?? [], as: UTF8.self)
            #expect(!text.isEmpty && !text.contains("secret"))
        }
    }

    @Test func session_wrongPassword_endsAfterOneAttempt() throws {
        var camera = try CameraConversation()
        camera.answer(camera.request(), 401, [challenge])
        camera.answer(camera.request(), 401, [("WWW-Authenticate", "Digest realm=\"cam\", nonce=\"two\"")])
        let error = try #require(camera.ended ?? nil)
        #expect(error.code == .notPermitted && !error.description.contains("secret"))
        #expect(camera.request() == nil)
    }

    @Test(arguments: [nil, "Basic realm=\"cam\""] as [String?])
    func session_refusedAnswerWithoutAUsableChallenge_isAWrongPassword(next: String?) throws {
        var camera = try CameraConversation()
        camera.answer(camera.request(), 401, [challenge])
        camera.answer(camera.request(), 401, next.map { [("WWW-Authenticate", $0)] } ?? [])
        let error = try #require(camera.ended ?? nil)
        #expect(error.code == .notPermitted && error.underlying == .other("RTSP", 401))
        #expect(camera.request() == nil)
    }

    @Test func session_staleNonce_isAnsweredOnceMore() throws {
        var camera = try CameraConversation()
        camera.answer(camera.request(), 401, [challenge])
        let stale = ("WWW-Authenticate", "Digest realm=\"cam\", nonce=\"two\", stale=true")
        camera.answer(camera.request(), 401, [stale])
        let third = camera.request()
        #expect(third?.headers["Authorization"]?.contains("nonce=\"two\"") == true)
        camera.answer(third, 401, [stale])
        #expect(camera.ended != nil)
    }

    @Test func session_withoutCredentials_saysWhatIsMissing() throws {
        var camera = try CameraConversation("rtsp://10.0.0.2/live")
        camera.answer(camera.request(), 401, [challenge])
        #expect((camera.ended ?? nil)?.wayOut.contains("camera-credentials") == true)
    }

    @Test func session_redirect_followsWithoutCredentialsToAnotherHost() throws {
        var camera = try CameraConversation()
        camera.answer(camera.request(), 401, [challenge])
        camera.answer(camera.request(), 302, [("Location", "rtsp://user:x@10.0.0.9:8554/other")])
        #expect(camera.connections.map(\.description).last == "rtsp://10.0.0.9:8554/other" && camera.disconnects == 1)
        camera.take(camera.session.connected(at: 0))
        let next = camera.request()
        #expect(next?.target == "rtsp://10.0.0.9:8554/other" && next?.headers["Authorization"] == nil)
    }

    @Test func session_redirectToTLS_isFollowedWithoutDatagrams() throws {
        var camera = try CameraConversation("rtsp://10.0.0.2/live", options(.automatic))
        camera.answer(camera.request(), 301, [("Location", "rtsps://10.0.0.2/live")])
        #expect(camera.connections.map(\.port) == [554, 322])
        camera.take(camera.session.connected(at: 0))
        camera.answer(camera.request())
        camera.answer(camera.request(), body: CameraConversation.description)
        #expect(camera.request()?.headers["Transport"] == "RTP/AVP/TCP;unicast;interleaved=0-1")
    }

    @Test func session_redirectFromTLS_isRefusedWithoutAnotherConnection() throws {
        var camera = try CameraConversation("rtsps://admin:secret@10.0.0.2/live")
        camera.answer(camera.request(), 301, [("Location", "rtsp://10.0.0.2/live")])
        let error = try #require(camera.ended ?? nil)
        #expect(error.code == .notPermitted && error.wayOut.contains("rtsp://"))
        #expect(camera.connections.count == 1 && camera.request() == nil)
    }

    @Test func session_datagramsWithTLS_areRefusedWithoutAConnection() throws {
        var session = RTSPSession(
            try RTSPURL.parse("rtsps://10.0.0.2/live").url, credentials: nil, options: options(.datagrams), random: 1)
        let errors = session.start().compactMap { action -> MediaError? in
            if case .event(.ended(let error)) = action { return error }
            return nil
        }
        #expect(errors.map(\.code) == [.invalidSettings] && errors[0].reason.contains("not encrypted"))
    }

    @Test func session_endlessRedirects_areRefused() throws {
        var camera = try CameraConversation()
        for _ in 0..<3 {
            camera.answer(camera.request(), 301, [("Location", "rtsp://10.0.0.2/live")])
            camera.take(camera.session.connected(at: 0))
        }
        #expect(camera.ended == nil)
        camera.answer(camera.request(), 301, [("Location", "rtsp://10.0.0.2/live")])
        #expect(camera.ended != nil && camera.connections.count == 4)
    }

    @Test func session_keepAlive_usesTheMethodThatTheCameraSupports() throws {
        var camera = try CameraConversation()
        camera.play()
        for _ in 0..<30 {
            camera.advance(seconds: 1)
            camera.take(camera.session.receive([0x24, 0, 0, 1, 0x80], at: camera.now))
        }
        let first = camera.request()
        #expect(first?.method == "GET_PARAMETER" && first?.headers["Session"] == "42")
        camera.answer(first, 501)
        for _ in 0..<30 {
            camera.advance(seconds: 1)
            camera.take(camera.session.receive([0x24, 0, 0, 1, 0x80], at: camera.now))
        }
        let second = camera.request()
        #expect(second?.method == "OPTIONS")
        camera.answer(second, 454)
        #expect((camera.ended ?? nil)?.code == .deviceLost)
    }

    @Test func session_unansweredKeepAlive_doesNotEndIt() throws {
        var camera = try CameraConversation()
        camera.play()
        for _ in 0..<100 {
            camera.advance(seconds: 1)
            camera.take(camera.session.receive([0x24, 0, 0, 1, 0x80], at: camera.now))
        }
        #expect(camera.ended == nil)
    }

    @Test func session_silentCamera_isLost() throws {
        var camera = try CameraConversation()
        camera.play()
        #expect(camera.session.deadline == 10 * CameraConversation.second)
        camera.advance(seconds: 10)
        let error = try #require(camera.ended ?? nil)
        #expect(error.code == .deviceLost && error.reason == "no video came for 10 s")
        #expect(camera.request()?.method == "TEARDOWN" && camera.disconnects == 1)
    }

    @Test func session_audioWithoutVideo_isLost() throws {
        var camera = try CameraConversation()
        camera.play()
        for _ in 0..<11 {
            camera.take(camera.session.receive([0x24, 2, 0, 1, 0x80], at: camera.now))
            camera.advance(seconds: 1)
        }
        #expect(camera.packets.count > 9 && (camera.ended ?? nil)?.code == .deviceLost)
    }

    @Test func session_noAnswer_endsAfterTheTimeout() throws {
        var camera = try CameraConversation()
        camera.advance(seconds: 9)
        #expect(camera.ended == nil)
        camera.advance(seconds: 1)
        #expect((camera.ended ?? nil)?.reason == "it did not answer OPTIONS")
    }

    @Test func session_noDatagram_fallsBackToTCP() throws {
        var camera = try CameraConversation("rtsp://10.0.0.2/live", options(.automatic))
        let udp = "RTP/AVP;unicast;client_port=5000-5001;server_port=6000-6001"
        camera.play(transport: [udp, udp])
        #expect(camera.isPlaying)
        camera.advance(seconds: 4)
        camera.answer(camera.request())
        #expect(camera.connections.count == 2 && camera.disconnects == 1 && camera.notices.count == 1)
        camera.take(camera.session.connected(at: camera.now))
        camera.play()
        #expect(camera.ready.last?.first?.transport == .interleaved(rtp: 0, rtcp: 1))
        #expect(camera.ready.first?.first?.transport == .datagrams(client: 5000, server: 6000, source: nil))
    }

    @Test func session_datagramsArrive_staysWithThem() throws {
        var camera = try CameraConversation("rtsp://10.0.0.2/live", options(.automatic))
        camera.play(transport: ["RTP/AVP;unicast;server_port=6000-6001", "RTP/AVP;unicast;server_port=6002-6003"])
        camera.session.packetArrived(stream: 0, at: camera.now)
        camera.advance(seconds: 5)
        #expect(camera.connections.count == 1 && camera.notices.isEmpty)
    }

    @Test func session_refusedDatagrams_useTCPInTheSameConnection() throws {
        var camera = try CameraConversation("rtsp://10.0.0.2/live", options(.automatic))
        camera.answer(camera.request())
        camera.answer(camera.request(), body: CameraConversation.description)
        camera.answer(camera.request(), 461)
        #expect(camera.request()?.headers["Transport"] == "RTP/AVP/TCP;unicast;interleaved=0-1")
        #expect(camera.connections.count == 1)
        #expect(camera.notices == ["the camera refuses UDP (RTSP 461: Reason); using TCP"])
    }

    @Test func session_anotherTransportThanDatagrams_isNamedAsTheCause() throws {
        var camera = try CameraConversation("rtsp://10.0.0.2/live", options(.automatic))
        camera.answer(camera.request())
        camera.answer(camera.request(), body: CameraConversation.description)
        camera.answer(camera.request(), 200, [("Session", "1"), ("Transport", "RTP/AVP/TCP;interleaved=0-1")])
        #expect(camera.notices == ["the camera answered UDP with RTP/AVP/TCP;interleaved=0-1; using TCP"])
    }

    @Test func session_refusedAudio_playsVideoAlone() throws {
        var camera = try CameraConversation()
        camera.answer(camera.request())
        camera.answer(camera.request(), body: CameraConversation.description)
        camera.answer(camera.request(), 200, [("Session", "1")])
        camera.answer(camera.request(), 500)
        #expect(camera.request()?.method == "PLAY" && camera.ready.first?.count == 1 && camera.notices.count == 1)
    }

    @Test func session_unsupportedVideo_saysWhy() throws {
        var camera = try CameraConversation()
        camera.answer(camera.request())
        camera.answer(camera.request(), body: "m=video 0 RTP/AVP 96\na=rtpmap:96 VP8/90000\n")
        let error = try #require(camera.ended ?? nil)
        #expect(error.code == .unsupported && error.reason.contains("VP8 is not supported"))
    }

    @Test func session_longTextsOfTheCamera_areShortenedInItsErrors() throws {
        let long = String(repeating: "x", count: 5000)
        for body in ["m=audio 0 \(long) 0\n", "m=video 0 RTP/AVP 96\na=rtpmap:96 \(long)/90000\n"] {
            var camera = try CameraConversation()
            camera.answer(camera.request())
            camera.answer(camera.request(), body: body)
            #expect((camera.ended ?? nil).map { $0.description.count < 800 } == true)
            #expect(camera.notices.allSatisfy { $0.count < 200 })
        }
        var camera = try CameraConversation()
        camera.answer(camera.request(), 401, [("WWW-Authenticate", long)])
        #expect((camera.ended ?? nil).map { $0.description.count < 400 } == true)
    }

    @Test(arguments: [(404, MediaError.Code.notFound), (403, .notPermitted), (453, .busy), (500, .ioFailure)])
    func session_refusedDescription_hasTheStatus(status: Int, code: MediaError.Code) throws {
        var camera = try CameraConversation()
        camera.answer(camera.request())
        camera.answer(camera.request(), status)
        let error = try #require(camera.ended ?? nil)
        #expect(error.code == code && error.underlying == .other("RTSP", Int32(status)))
    }

    @Test func session_stop_tearsDownAndWaitsBriefly() throws {
        var camera = try CameraConversation()
        camera.play()
        camera.take(camera.session.stop(at: camera.now))
        #expect(camera.request()?.method == "TEARDOWN" && camera.ended == nil)
        camera.advance(seconds: 1)
        #expect(camera.ended == .some(.none) && camera.disconnects == 1)
        #expect(camera.session.stop(at: camera.now).isEmpty && camera.session.deadline == nil)
    }

    @Test func session_requestsOfTheCamera_areAnswered() throws {
        var camera = try CameraConversation()
        camera.play()
        camera.take(camera.session.receive(Array("OPTIONS * RTSP/1.0\r\nCSeq: 5\r\n\r\n".utf8), at: 0))
        camera.take(camera.session.receive(Array("RECORD * RTSP/1.0\r\nCSeq: 6\r\n\r\n".utf8), at: 0))
        camera.take(camera.session.receive(Array("TEARDOWN * RTSP/1.0\r\nCSeq: 7\r\n\r\n".utf8), at: 0))
        #expect(camera.replies.map(\.status) == [200, 501, 200])
        #expect(camera.replies.map { $0.headers["CSeq"] } == ["5", "6", "7"])
        #expect((camera.ended ?? nil)?.reason == "it ended the session")
    }

    @Test func session_closedConnection_isAnErrorOnce() throws {
        var camera = try CameraConversation()
        camera.take(camera.session.disconnected(at: 0))
        camera.take(camera.session.disconnected(at: 0))
        #expect(camera.events.count == 1 && (camera.ended ?? nil)?.reason == "it closed the connection")
    }

    @Test(arguments: 0..<60) func session_randomAnswers_neverCrashAndEndAtMostOnce(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var camera = try CameraConversation("rtsp://a:b@10.0.0.2/live", options(.automatic))
        let statuses = [200, 200, 200, 200, 401, 302, 404, 461, 100, 454]
        for _ in 0..<60 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: camera.advance(seconds: Double.random(in: 0..<12, using: &random))
            case 1: camera.take(camera.session.connected(at: camera.now))
            case 2: camera.take(camera.session.receive([0x24, 0, 0, 2, 0x80, 96], at: camera.now))
            case 3:
                let bytes = (0..<20).map { _ in UInt8.random(in: 0...255, using: &random) }
                camera.take(camera.session.receive(bytes, at: camera.now))
            default:
                let headers = [
                    challenge, ("Location", "rtsp://10.0.0.2/x"), ("Session", "1"), ("Transport", "RTP/AVP;unicast"),
                ]
                let status = statuses.randomElement(using: &random) ?? 200
                camera.answer(camera.request(), status, headers, body: CameraConversation.description)
            }
        }
        camera.take(camera.session.stop(at: camera.now))
        camera.advance(seconds: 20)
        let ends = camera.events.filter { if case .ended = $0 { true } else { false } }
        #expect(ends.count == 1)
    }
}
