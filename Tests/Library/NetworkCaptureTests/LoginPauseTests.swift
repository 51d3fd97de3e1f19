import MediaTypes
import RTSP
import Testing

@testable import NetworkCapture

@Suite struct LoginPauseTests {
    private let login = Credentials(user: "admin", password: "a")
    private let refusal = MediaError(.notPermitted, "a", reason: "b", underlying: .other("RTSP", 401))

    @Test func pause_refusedCredentials_areSentLessAndLessOften() {
        var pause = LoginPause()
        var attempts = 0
        for second in Int64(0)..<600 {
            let now = second * 1_000_000_000
            guard pause.refusal(of: login, at: now) == nil else { continue }
            attempts += 1
            pause.failed(refusal, with: login, at: now)
        }
        // At 0, 10, 30, 70, 150 and 310 s.
        #expect(attempts == 6)
    }

    @Test func pause_otherCredentials_areSentAtOnce() {
        var pause = LoginPause()
        pause.failed(refusal, with: login, at: 0)
        #expect(pause.refusal(of: login, at: 1) == refusal)
        #expect(pause.refusal(of: Credentials(user: "admin", password: "b"), at: 1) == nil)
    }

    @Test(arguments: [401, 403] as [Int32]) func pause_refusal_begins(status: Int32) {
        var pause = LoginPause()
        let error = MediaError(.notPermitted, "a", reason: "b", underlying: .other("RTSP", status))
        pause.failed(error, with: login, at: 0)
        #expect(pause.refusal(of: login, at: 1) != nil)
    }

    @Test func pause_otherErrors_beginNone() {
        var pause = LoginPause()
        pause.failed(MediaError(.notFound, "a", reason: "b", underlying: .other("RTSP", 404)), with: login, at: 0)
        #expect(pause.refusal(of: login, at: 1) == nil)
        pause.failed(MediaError(.deviceLost, "a", reason: "b"), with: login, at: 0)
        #expect(pause.refusal(of: login, at: 1) == nil)
        pause.failed(refusal, with: nil, at: 0)
        #expect(pause.refusal(of: nil, at: 1) == nil)
    }
}
