import RTSP
import Testing

@Suite struct AuthenticatorTests {
    private let credentials = Credentials(user: "Mufasa", password: "Circle Of Life")

    @Test func challenges_severalInOneHeader_areTakenApart() {
        let all = AuthenticationChallenge.parse(
            "Digest realm=\"a, b\", nonce = xyz , qop=\"auth,auth-int\", Basic realm=\"c\\\"d\",")
        #expect(all.map(\.scheme) == ["Digest", "Basic"])
        #expect(all.first?["realm"] == "a, b")
        #expect(all.first?["nonce"] == "xyz")
        #expect(all.first?["qop"] == "auth,auth-int")
        #expect(all.last?["realm"] == "c\"d")
    }

    @Test(arguments: ["", ",,,", "=", "\"", "Digest realm=\"", "a=b", "Digest =x", "Digest\t\"\"\"=,="])
    func challenges_oddText_neverCrashes(_ text: String) {
        _ = AuthenticationChallenge.parse(text)
    }

    // The example of RFC 2617, 3.5, but for a leading zero of the client's nonce; computed with Python's hashlib.
    @Test func digest_MD5WithQuality_matchesAnotherImplementation() {
        var authenticator = Authenticator(credentials, random: 0x0a4f_113b)
        let header = """
            Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
            opaque="5ccc069c403ebaf9f0171e9517f40e41"
            """
        #expect(authenticator.accept([header]) == .answerable)
        let answer = authenticator.answer(method: "GET", target: "/dir/index.html")
        #expect(answer?.contains("cnonce=\"a4f113b\"") == true)
        #expect(answer?.contains("response=\"593a50ce929b8a6fea3b3dfd98e1141b\"") == true)
        #expect(answer?.contains("nc=00000001") == true)
        #expect(answer?.contains("opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"") == true)
        #expect(authenticator.answer(method: "GET", target: "/dir/index.html")?.contains("nc=00000002") == true)
    }

    @Test func digest_MD5WithoutQuality_hasTheFormOfCameras() {
        var authenticator = Authenticator(Credentials(user: "admin", password: "12345"), random: 1)
        #expect(authenticator.accept(["Digest realm=\"cam\", nonce=\"abc\", stale=\"FALSE\""]) == .answerable)
        let answer = authenticator.answer(method: "DESCRIBE", target: "rtsp://10.0.0.2/1")
        #expect(
            answer
                == "Digest username=\"admin\", realm=\"cam\", nonce=\"abc\", uri=\"rtsp://10.0.0.2/1\", response=\"f063804685a2121f99cf2cbe673779d6\""
        )
        #expect(!authenticator.isStale)
    }

    @Test func digest_SHA256BesideMD5AndBasic_isPreferred() {
        var authenticator = Authenticator(credentials, random: 255)
        let headers = [
            "Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"n\", algorithm=MD5",
            "Digest realm=\"x\", nonce=\"n\", algorithm=SHA-256, qop=\"auth\"",
        ]
        #expect(authenticator.accept(headers) == .answerable)
        let answer = authenticator.answer(method: "PLAY", target: "rtsp://h/")
        #expect(answer?.contains("algorithm=SHA-256") == true)
        #expect(
            answer?.contains("response=\"985f44341334c3552ed785f263c38abe8be0df85370f330633dcb3f0d8f39987\"") == true)
    }

    @Test func basic_alone_isAnswered() {
        var authenticator = Authenticator(Credentials(user: "Aladdin", password: "open sesame"), random: 1)
        #expect(authenticator.accept(["Basic realm=\"WallyWorld\""]) == .answerable)
        #expect(authenticator.answer(method: "GET", target: "/") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test func basic_afterDigest_isRefused() {
        var authenticator = Authenticator(credentials, random: 1)
        _ = authenticator.accept(["Digest realm=\"x\", nonce=\"n\""])
        #expect(authenticator.accept(["Basic realm=\"x\""]) == .unsupported(["Basic"]))
        #expect(authenticator.answer(method: "GET", target: "/") == nil)
    }

    @Test func challenge_unsupportedOrWithoutCredentials_isReported() {
        var authenticator = Authenticator(credentials, random: 1)
        #expect(
            authenticator.accept(["Digest realm=\"x\", nonce=\"n\", algorithm=SHA-512-256", "Bearer"])
                == .unsupported(["Digest", "Bearer"]))
        var anonymous = Authenticator(nil, random: 1)
        #expect(anonymous.accept(["Basic realm=\"x\""]) == .needsCredentials)
    }

    @Test func digest_staleNonce_isKnown() {
        var authenticator = Authenticator(credentials, random: 1)
        _ = authenticator.accept(["Digest realm=\"x\", nonce=\"n2\", stale=true"])
        #expect(authenticator.isStale)
    }
}
