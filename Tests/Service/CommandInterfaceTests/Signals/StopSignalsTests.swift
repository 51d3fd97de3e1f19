import Glibc
import Testing

@testable import CommandInterface

@Suite struct StopSignalsTests {
    @Test func signals_secondInterruptSoonAfter_quits() {
        var signals = StopSignals()
        let calm = [
            (SIGTERM, Int64(0)), (SIGTERM, 1), (SIGHUP, 2), (SIGINT, 3), (SIGINT, 5_000_000_004),
            (SIGINT, 10_000_000_004),
        ]
        let calmActions = calm.map { signals.receive($0.0, at: $0.1) }
        #expect(calmActions == [.finish, .nothing, .nothing, .nothing, .nothing, .quit])
        signals = StopSignals()
        let hasty = [(SIGINT, Int64(0)), (SIGINT, 4_999_999_999)].map { signals.receive($0.0, at: $0.1) }
        #expect(hasty == [.finish, .quit])
    }

    @Test func signals_hangupOfAService_reloads() {
        var signals = StopSignals(reloadsOnHangup: true)
        let actions = [SIGHUP, SIGHUP, SIGTERM, SIGHUP].map { signals.receive($0, at: 0) }
        // No reload while the file is being finalized.
        #expect(actions == [.reload, .reload, .finish, .nothing])
    }
}
