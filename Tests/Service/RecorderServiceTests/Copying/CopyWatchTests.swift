import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The status of a recorder's uploads.
@Suite struct CopyWatchTests {
    private let bench: CopyBench
    private let clock = ManualClock(nanoseconds: 1)

    init() throws { bench = try CopyBench() }

    @Test func uploadStatus_noRemote_isAbsent() {
        #expect(bench.account(CopySettings()) == nil)
    }

    @Test func uploadStatus_copierNotRunning_includesTheBacklog() throws {
        let settings = try bench.settings()
        try bench.record("a.mov", bytes: 100)
        try bench.record("b.mov", bytes: 50)
        let account = try #require(bench.account(settings))
        #expect(account.state == .notRunning)
        #expect(account.backlog?.files == 2)
        #expect(account.backlog?.bytes == 150)
        #expect(account.backlog?.oldest != nil)
        #expect(
            account.text(of: "front").hasPrefix(
                "copies to \(bench.there): no copy process is running; start `recorder copy front` · 2 files to copy (150 B"
            ))
        bench.copyAll(settings)
        #expect(bench.account(settings)?.backlog?.files == 0)
        #expect(bench.account(settings)?.lastCopied != nil)
    }

    @Test func uploadStatus_copierEnded_isNotSending() throws {
        var state = CopierState()
        state.state = .sending
        state.sending = .init(file: "/a.mov", bytes: 60_000_000, sent: 12_000_000)
        state.error = "it does not answer"
        state.store(at: bench.runtime.copierState(bench.front))
        let settings = try bench.settings()
        let left = try #require(bench.account(settings))
        #expect(left.state == .notRunning && left.sending == nil)
        // The last report of a copier that has ended may name the reason.
        #expect(left.error == "it does not answer")
        let lock = try InstanceLock(bench.runtime.copierLock(bench.front)) { _ in
            MediaError(.busy, "cannot copy", reason: "another does")
        }
        let account = try #require(bench.account(settings))
        #expect(account.state == .sending)
        #expect(account.text(of: "front").contains("sending /a.mov (12.0 MB of 60.0 MB)"))
        withExtendedLifetime(lock) {}
    }

    @Test func uploadStatus_copierInAnotherRuntimeDirectory_isSending() throws {
        let other = RuntimeDirectory(path: bench.directory.path("other"))
        try other.prepare()
        var state = CopierState()
        state.state = .sending
        state.sending = .init(file: "/a.mov", bytes: 60_000_000, sent: 12_000_000)
        state.store(at: other.copierState(bench.front))
        try bench.record("a.mov")
        let lock = try InstanceLock(bench.state.copier(bench.front), runtime: other) { _ in
            MediaError(.busy, "cannot copy", reason: "another does")
        }
        #expect(bench.account(try bench.settings())?.state == .sending)
        withExtendedLifetime(lock) {}
    }

    @Test func uploadStatus_askedOften_readsTheDiskTwiceASecond() throws {
        let watch = CopyWatch(bench.front, in: bench.state, runtime: bench.runtime, clock: clock)
        let settings = try bench.settings()
        #expect(watch.account(settings)?.backlog?.files == 0)
        try bench.record("a.mov")
        #expect(watch.account(settings)?.backlog?.files == 0)
        clock.advance(by: 500_000_000)
        #expect(watch.account(settings)?.backlog?.files == 1)
    }
}
