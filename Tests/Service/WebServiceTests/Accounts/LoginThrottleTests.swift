import Testing

@testable import WebService

/// The delay after wrong passwords, which other names or other clients cannot avoid.
@Suite struct LoginThrottleTests {
    @Test func attempts_afterTheFreeOnes_areDelayed() {
        var throttle = LoginThrottle(now: 0)
        for _ in 0..<5 {
            #expect(throttle.delay("ann", now: 0) == nil)
            throttle.begin("ann", now: 0)
        }
        #expect(throttle.delay("ann", now: 0) == 10)
        #expect(throttle.delay("ann", now: 4) == 6)
        #expect(throttle.delay("ben", now: 4) == nil)
        #expect(throttle.delay("ann", now: 10) == nil)
    }

    @Test func attempts_successful_doNotCount() {
        var throttle = LoginThrottle(now: 0)
        for _ in 0..<200 {
            #expect(throttle.delay("ann", now: 0) == nil)
            throttle.begin("ann", now: 0)
            throttle.succeed("ann")
        }
    }

    @Test func attempts_manyNames_areLimitedTogether() {
        var throttle = LoginThrottle(now: 0)
        var tried = 0
        for index in 0..<100_000 where throttle.delay("name\(index)", now: 60) == nil {
            throttle.begin("name\(index)", now: 60)
            tried += 1
        }
        #expect(tried == 60)
    }

    @Test func attempts_clockGoesBack_stayDelayed() {
        var throttle = LoginThrottle(now: 100)
        for _ in 0..<5 { throttle.begin("ann", now: 100) }
        #expect(throttle.delay("ann", now: 50) == 10)
    }
}
