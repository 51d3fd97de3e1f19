import Dispatch
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of when the block of `requestMediaDataWhenReady` is called, and when it is not.
@Suite struct MediaDataRequestTests {
    private let queue = DispatchQueue(label: "client")

    @Test func request_isCalledUntilTheInputIsFinished() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        let calls = Locked(0)
        try video.requestMediaDataWhenReady(on: queue) { [queue] in
            dispatchPrecondition(condition: .onQueue(queue))
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            #expect(video.isReadyForMoreMediaData)
            _ = try? video.append(WriterFixture.frame(number))
            if number == 20 { video.markAsFinished() }
        }
        try fixture.writer.startWriting()
        queue.sync {}
        #expect(calls.withLock { $0 } == 0)
        try fixture.writer.startSession(atSourceTime: WriterFixture.start)
        // One frame per call: twenty calls, and not one more.
        #expect(eventually { calls.withLock { $0 } == 20 })
        try await fixture.writer.finishWriting()
        for _ in 0..<3 { queue.sync {} }
        #expect(calls.withLock { $0 } == 20 && video.ledger.written == 20)
    }

    @Test func request_inputNotReady_isNotCalled() throws {
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        let audio = try fixture.addPullAudio()
        let calls = Locked(0)
        try fixture.begin()
        #expect(try video.append(WriterFixture.frame(40)))
        try video.requestMediaDataWhenReady(on: queue) {
            calls.withLock { $0 += 1 }
            while video.isReadyForMoreMediaData { _ = try? video.append(WriterFixture.frame(80)) }
        }
        for _ in 0..<3 { queue.sync {} }
        #expect(calls.withLock { $0 } == 0)
        for block in 0..<11 { #expect(try audio.append(WriterFixture.audio(block))) }
        #expect(eventually { calls.withLock { $0 } == 1 })
        for _ in 0..<3 { queue.sync {} }
        #expect(calls.withLock { $0 } == 1 && video.ledger.captured == 2)
        fixture.writer.cancelWriting()
        for _ in 0..<3 { queue.sync {} }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func request_secondOne_throws() throws {
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        try video.requestMediaDataWhenReady(on: queue) {}
        #expect(code { try video.requestMediaDataWhenReady(on: queue) {} } == .invalidState)
        fixture.writer.cancelWriting()
        let late = try WriterFixture()
        let finished = try late.addPullVideo()
        try late.begin()
        finished.markAsFinished()
        #expect(code { try finished.requestMediaDataWhenReady(on: queue) {} } == .invalidState)
        late.writer.cancelWriting()
    }

    @Test func request_writerFails_isCalledOnceMore() async throws {
        let fixture = try WriterFixture {
            $0.openFile = { path throws(MediaError) in try FaultyDisk(path, failingWrite: 1) }
        }
        let video = try fixture.addPullVideo()
        let seen = Locked<[Bool]>([])
        let number = Locked(0)
        try fixture.begin()
        let writer = fixture.writer
        try video.requestMediaDataWhenReady(on: queue) {
            let isReady = video.isReadyForMoreMediaData
            if !isReady { seen.withLock { $0.append(writer.status == .failed) } }
            while video.isReadyForMoreMediaData {
                _ = try? video.append(
                    WriterFixture.frame(
                        number.withLock { number in
                            number += 1
                            return number
                        }))
            }
        }
        #expect(eventually { seen.withLock { $0.last } == true })
        for _ in 0..<3 { queue.sync {} }
        #expect(seen.withLock { $0.filter { $0 }.count } == 1)
    }

    @Test func request_writerEnds_isNotCalledAgain() async throws {
        for cancels in [false, true] {
            let fixture = try WriterFixture()
            let video = try fixture.addPullVideo()
            let calls = Locked(0)
            try fixture.begin()
            try video.requestMediaDataWhenReady(on: queue) {
                let number = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                _ = try? video.append(WriterFixture.frame(number))
            }
            #expect(eventually { calls.withLock { $0 } > 5 })
            if cancels { fixture.writer.cancelWriting() } else { try await fixture.writer.finishWriting() }
            queue.sync {}
            let atEnd = calls.withLock { $0 }
            for _ in 0..<5 { queue.sync {} }
            #expect(calls.withLock { $0 } == atEnd)
        }
    }
}
