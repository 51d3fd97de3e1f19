import NIOCore
import RecorderControl
import RecorderStorage
import TestSupport
import Testing

@testable import WebService

/// The states of recorders on a page.
@Suite(.timeLimit(.minutes(10))) struct RecorderWatchTests {
    /// Reads messages until one contains these words.
    private func read(_ viewer: Viewer, until words: String) async throws -> String {
        var text = ""
        while !text.contains(words) {
            text += String(decoding: try #require(await viewer.next()).readableBytesView, as: UTF8.self)
        }
        return text
    }

    @Test func recorderThatHangs_delaysNoOther() async throws {
        try await WebFixture.run { web in
            let watch = RecorderWatch(web.runtime, recorded: { [] }, patience: .seconds(600))
            let silent = try SilentRecorder("a-silent-one", in: web.runtime, isLive: true)
            try await FakeRecorder.run(in: web.runtime) { _ in
                let viewer = try #require(watch.enter("page", choosing: []))
                // Before the query of the other one has failed, after seconds.
                let text = try await read(viewer, until: #""name":"front""#)
                #expect(!text.contains("a-silent-one"), "\(text)")
                watch.leave(viewer)
            }
            withExtendedLifetime(silent) {}
        }
    }

    @Test func recorderThatHangs_isUnreachable() async throws {
        try await WebFixture.run { web in
            let watch = RecorderWatch(web.runtime, recorded: { [] }, patience: .zero)
            let silent = try SilentRecorder("silent", in: web.runtime, isLive: true)
            let viewer = try #require(watch.enter("page", choosing: []))
            let text = try await read(viewer, until: #""name":"silent""#)
            #expect(text.contains(#""state":"unreachable""#), "\(text)")
            watch.leave(viewer)
            withExtendedLifetime(silent) {}
        }
    }
}
