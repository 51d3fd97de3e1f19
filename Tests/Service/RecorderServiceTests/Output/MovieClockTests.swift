import MediaTypes
import Testing

@testable import RecorderStorage

@Suite struct MovieClockTests {
    private let plain = MovieClock(begin: 1000, duration: 60, pauses: [])
    /// A recording of 10 s, 100 s of pause, 20 s, 5 s of pause, 30 s.
    private let paused = MovieClock(
        begin: 1000, duration: 60, pauses: [.init(time: 10, duration: 100), .init(time: 30, duration: 5)])

    @Test func clock_noPauses_followsWallTime() {
        #expect(plain.end == 1060 && plain.time(at: 1012.5) == 12.5 && plain.moment(of: 12.5) == 1012.5)
        #expect(plain.ranges == [1000...1060])
    }

    @Test func time_outsideTheRecording_isItsBeginningOrEnd() {
        #expect(plain.time(at: -5) == 0 && plain.time(at: 1e12) == 60)
        #expect(paused.time(at: 0) == 0 && paused.time(at: 1e12) == 60)
    }

    @Test func clock_pauses_addWallTime() {
        #expect(paused.end == 1165)
        #expect(paused.moment(of: 9) == 1009 && paused.moment(of: 10) == 1110 && paused.moment(of: 31) == 1136)
        #expect(paused.ranges == [1000...1010, 1110...1130, 1135...1165])
    }

    @Test func time_withinAPause_isWhereTheMovieContinues() {
        #expect(paused.time(at: 1010) == 10 && paused.time(at: 1050) == 10 && paused.time(at: 1110) == 10)
        #expect(paused.time(at: 1132) == 30)
    }

    @Test(arguments: [0, 3.25, 9.99, 10.01, 29.5, 45, 60]) func time_roundTrip_isEqual(time: Double) {
        #expect(abs(paused.time(at: paused.moment(of: time)) - time) < 1e-9)
    }

    @Test func clock_invalidPauses_staysWithinTheMovie() {
        let odd = MovieClock(
            begin: 0, duration: 5,
            pauses: [.init(time: 0, duration: 3), .init(time: 0, duration: 0), .init(time: 90, duration: 1e9)])
        #expect(odd.ranges.allSatisfy { $0.lowerBound >= 0 } && odd.time(at: 4) == 1 && odd.time(at: 1e18) <= 5)
    }
}
