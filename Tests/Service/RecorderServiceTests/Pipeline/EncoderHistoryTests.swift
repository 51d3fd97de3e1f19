import AssetIO
import FakeDevices
import MediaTypes
import Testing

@testable import RecorderService

/// The ledger of a track over several encoders.
@Suite struct EncoderHistoryTests {
    private let format = FakeSource.camera().format

    @Test func ledger_currentEncoder_countsOnceBeforeAndAfterItsBeginning() {
        var history = EncoderHistory()
        let encoder = FakeEncoder(format)
        encoder.recordLoss(3, cause: .device)
        #expect(history.ledger(with: encoder).captured == 3 && history.ledger(with: nil).captured == 0)
        let begun = history.begin(encoder)
        #expect(begun.number == 1 && begun.predecessors.isEmpty && history.count == 1)
        #expect(history.ledger(with: encoder).captured == 3 && history.ledger(with: nil).captured == 3)
        let ended = history.end(1)
        let endedAgain = history.end(1)
        #expect(ended === encoder && endedAgain == nil)
        #expect(history.ledger(with: nil).captured == 3 && history.ledger(with: nil)[dropped: .device] == 3)
    }

    @Test func begin_severalEncoders_returnsThoseThatHaveNotEnded() {
        var history = EncoderHistory()
        let encoders = (0..<3).map { _ in FakeEncoder(format) }
        _ = history.begin(encoders[0])
        _ = history.begin(encoders[1])
        _ = history.end(1)
        let begun = history.begin(encoders[2])
        #expect(begun.number == 3 && begun.predecessors.count == 1 && begun.predecessors.first === encoders[1])
        history.forget(2)
        let forgotten = history.end(2)
        #expect(forgotten == nil && history.count == 3)
    }

    @Test func takeLosses_severalSources_returnsEachDropOnce() {
        var history = EncoderHistory()
        let (old, new) = (FakeEncoder(format), FakeEncoder(format))
        _ = history.begin(old)
        old.recordLoss(3, cause: .device)
        history.lose(2, .encoder)
        new.recordLoss(5, cause: .paused)
        let first = history.takeLosses(with: new)
        #expect(first.map { $0.cause } == [.device, .encoder, .paused] && first.map { $0.count } == [3, 2, 5])
        let again = history.takeLosses(with: new)
        _ = history.begin(new)
        _ = history.end(1)
        let afterTheEnd = history.takeLosses(with: new)
        #expect(again.isEmpty && afterTheEnd.isEmpty)
        new.recordLoss(1, cause: .paused)
        let second = history.takeLosses(with: nil)
        #expect(second.map { $0.cause } == [.paused] && second.map { $0.count } == [1])
        #expect(history.ledger(with: new).leftOut == 11)
    }
}
