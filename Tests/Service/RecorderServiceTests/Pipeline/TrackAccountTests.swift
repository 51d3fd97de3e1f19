import MediaTypes
import RealTime
import Testing

@testable import RecorderService

/// The account of one track of a recording: every frame is counted once, whatever happens to its file.
@Suite struct TrackAccountTests {
    private let account = TrackAccount()

    @Test func lose_noFileHasTheTrack_countsInTheNextOneOnly() {
        let first = account.begin(1)
        first.enter(10)
        account.lose(3, .device, in: nil)
        account.lose(2, .encoder, in: nil)
        #expect(account.unassigned.captured == 5 && first.ledger.captured == 10)
        let second = account.begin(2)
        account.assignLosses(to: 2)
        account.assignLosses(to: 2)
        #expect(account.unassigned == Ledger() && second.ledger.captured == 5)
        #expect(second.ledger[dropped: .device] == 3 && second.ledger[dropped: .encoder] == 2)
        #expect(account.ledger.captured == 15 && account.ledger.leftOut == 5)
    }

    @Test func lose_noFileFollows_countsInTheRecordingAlone() {
        let file = account.begin(1)
        account.lose(4, .paused, in: nil)
        #expect(file.ledger == Ledger() && account.ledger[dropped: .paused] == 4 && account.ledger.pending == 0)
    }

    @Test func close_framesThatAreNotWritten_areDroppedByTheDisk() {
        let file = account.begin(1)
        file.enter(10, isEased: true)
        file.recordWritten(6)
        account.lose(1, .corrupt, in: 1)
        #expect(file.ledger.pending == 4 && file.ledger[dropped: .disk] == 0)
        file.close()
        // A packet that was on its way, and a write that the disk reports too late.
        file.enter(5)
        file.recordWritten(4)
        #expect(file.ledger.captured == 16 && file.ledger.written == 6 && file.ledger.eased == 10)
        #expect(file.ledger[dropped: .disk] == 9 && file.ledger[dropped: .corrupt] == 1 && file.ledger.pending == 0)
    }

    @Test func enter_easedFramesWhileOthersRead_neverExceedTheCapturedOnes() throws {
        let file = account.begin(1)
        let entering = try NamedThread("enter") {
            for _ in 0..<100_000 { file.enter(1, isEased: true) }
        }
        var ledger = Ledger()
        while ledger.captured < 100_000 {
            ledger = file.ledger
            guard ledger.eased <= ledger.captured else { break }
        }
        entering.join()
        #expect(ledger.eased <= ledger.captured && file.ledger.eased == 100_000)
    }

    @Test func release_framesOfAFailedFile_countInTheNextOne() {
        let (first, second) = (account.begin(1), account.begin(2))
        first.enter(10, isEased: true)
        first.recordWritten(8)
        first.close()
        var part = Ledger()
        (part.captured, part.written, part.eased) = (5, 3, 5)
        first.release(part)
        second.enter(5, isEased: true)
        second.recordWritten(5)
        #expect(first.ledger.captured == 5 && first.ledger.written == 5 && first.ledger.leftOut == 0)
        #expect(account.ledger.captured == 10 && account.ledger.written == 10 && account.ledger.eased == 10)
    }

    @Test func settle_file_keepsItsSumOnce() {
        let file = account.begin(1)
        file.enter(10)
        file.recordWritten(10)
        account.lose(2, .disk, in: 1)
        account.settle(1)
        account.settle(1)
        #expect(account.ledger.captured == 12 && account.ledger.written == 10)
        // A drop that arrives too late for the file is still one of the recording.
        account.lose(3, .queue, in: 1)
        #expect(account.ledger.captured == 15 && account.ledger[dropped: .queue] == 3 && account.ledger.pending == 0)
    }

    @Test func accounts_settledFile_keepsBothTracks() {
        let accounts = TrackAccounts()
        let parts = accounts.begin(1)
        parts[.video].enter(1)
        parts[.audio].enter(1024)
        parts.close()
        accounts.settle(1)
        #expect([MediaType.video, .audio].map { accounts[$0].ledger.captured } == [1, 1024])
        #expect([MediaType.video, .audio].map { accounts[$0].ledger[dropped: .disk] } == [1, 1024])
    }

    /// An encoder, a disk and a failing file change the counts while the status reads them.
    @Test func ledger_readWhileThreadsCount_neverHasMoreThanCaptured() throws {
        let account = TrackAccount()
        let file = account.begin(1)
        let rounds: Int64 = 20_000
        let (isOver, isWrong) = (Locked(false), Locked(false))
        let encoding = try NamedThread("encode") {
            for round in 0..<rounds {
                file.enter(1)
                if round % 10 == 0 { account.lose(1, .encoder, in: round % 20 == 0 ? 1 : nil) }
                if round % 100 == 0 { account.assignLosses(to: 1) }
            }
        }
        let writing = try NamedThread("write") {
            var written: Int64 = 0
            while written < rounds / 2 {
                // Only what has entered can be written.
                let ledger = file.ledger
                let ready = min(ledger.captured - ledger.leftOut, rounds / 2) - written
                file.recordWritten(ready)
                written += ready
            }
            file.close()
        }
        let reading = try NamedThread("read") {
            while !isOver.withLock({ $0 }) {
                if account.ledger.pending < 0 || file.ledger.pending < 0 { isWrong.withLock { $0 = true } }
            }
        }
        for thread in [encoding, writing] { thread.join() }
        isOver.withLock { $0 = true }
        reading.join()
        let ledger = account.ledger
        #expect(!isWrong.withLock { $0 })
        #expect(ledger.captured == rounds + rounds / 10 && ledger.pending == 0)
        #expect(ledger.written == rounds / 2 && ledger[dropped: .disk] == rounds / 2)
        #expect(ledger[dropped: .encoder] == rounds / 10)
    }
}
