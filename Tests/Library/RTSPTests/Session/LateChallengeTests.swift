import MediaTypes
import RTSP
import Testing

/// A camera that asks for a password only while it plays.
@Suite struct LateChallengeTests {
    private let challenge = ("WWW-Authenticate", "Digest realm=\"cam\", nonce=\"one\"")

    /// Plays until the first keep-alive, and returns its request.
    private func keepAlive(_ camera: inout CameraConversation) -> RTSPRequest? {
        camera.play()
        for _ in 0..<30 {
            camera.advance(seconds: 1)
            camera.take(camera.session.receive([0x24, 0, 0, 1, 0x80], at: camera.now))
        }
        return camera.request()
    }

    @Test func keepAlive_challenged_isAnsweredWithTheNonce() throws {
        var camera = try CameraConversation()
        let sent = keepAlive(&camera)
        let first = try #require(sent)
        #expect(first.method == "GET_PARAMETER" && first.headers["Authorization"] == nil)
        camera.answer(first, 401, [challenge])
        let answer = camera.request()
        let second = try #require(answer)
        #expect(second.method == first.method)
        #expect(second.headers["Authorization"]?.contains("nonce=\"one\"") == true)
        camera.answer(second)
        #expect(camera.ended == nil)
    }

    @Test func keepAlive_challengedWithoutAPassword_saysWhatIsMissing() throws {
        var camera = try CameraConversation("rtsp://10.0.0.2/live")
        let sent = keepAlive(&camera)
        try #require(sent != nil)
        camera.answer(sent, 401, [challenge])
        let error = try #require(camera.ended ?? nil)
        #expect(error.code == .notPermitted && error.wayOut.contains("camera-credentials"))
    }
}
