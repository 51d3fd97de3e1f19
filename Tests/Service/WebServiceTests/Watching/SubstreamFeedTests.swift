import NIOCore
import RecorderControl
import RecorderStorage
import TestSupport
import Testing

@testable import WebService

/// A page may watch the main stream and the sub-stream of a recorder, one or both.
@Suite(.timeLimit(.minutes(10))) struct SubstreamFeedTests {
    /// Reads messages until one contains these words.
    private func read(_ viewer: Viewer, until words: String) async throws -> String {
        var text = ""
        while !text.contains(words) {
            text += String(decoding: try #require(await viewer.next()).readableBytesView, as: UTF8.self)
        }
        return text
    }

    @Test func page_choosesTheSubstream_getsItBesideTheMainStream() async throws {
        try await WebFixture.run { web in
            try await FakeRecorder.run(in: web.runtime) { recorder in
                let viewer = try #require(web.watch.enter("page", choosing: ["front"]))
                try await waitUntil { recorder.watcherCount == 1 }
                #expect(recorder.smallWatcherCount == 0)
                recorder.movie(0)
                let main = try await read(viewer, until: #""stream":"main""#)
                #expect(main.contains(#""name":"front""#))
                #expect(web.watch.choose(["front"], small: ["front"], for: "page"))
                try await waitUntil { recorder.smallWatcherCount == 1 }
                recorder.smallMovie(0)
                let both = try await read(viewer, until: #""stream":"sub""#)
                #expect(both.contains(#""name":"front""#) && recorder.watcherCount == 1)
                web.watch.leave(viewer)
            }
        }
    }

    @Test func page_choosesARecorderThatStartsLater_getsItsStream() async throws {
        try await WebFixture.run { web in
            let viewer = try #require(web.watch.enter("page", choosing: ["late"]))
            try await FakeRecorder.run("late", in: web.runtime) { recorder in
                try await waitUntil { recorder.watcherCount == 1 }
                web.watch.leave(viewer)
            }
        }
    }

    @Test func page_choosesWhileItLeaves_keepsNoStreamOpen() async throws {
        try await WebFixture.run { web in
            try await FakeRecorder.run(in: web.runtime) { recorder in
                let watch = web.watch
                let first = try #require(watch.enter("first", choosing: ["front"]))
                try await waitUntil { recorder.watcherCount == 1 }
                for number in 0..<1000 {
                    let viewer = try #require(watch.enter("page-\(number)", choosing: []))
                    await withTaskGroup(of: Void.self) { group in
                        group.addTask { _ = watch.choose(["front"], for: viewer.id) }
                        group.addTask { watch.leave(viewer) }
                    }
                }
                watch.leave(first)
                try await waitUntil { recorder.watcherCount == 0 }
            }
        }
    }

    /// The last viewer left, and another one came before the cancelled task had ended.
    @Test func feed_cancelledTaskFails_keepsTheNewStream() async throws {
        try await WebFixture.run { web in
            try await FakeRecorder.run(in: web.runtime) { recorder in
                let client = ControlClient(try RecordingName(parsing: "front"), in: web.runtime, looksOnly: true)
                let feed = RecorderFeed(client, of: WatchedStream(name: "front", kind: .main), number: 1)
                let viewers = ["first", "second"].map { Viewer(id: $0, limit: 1 << 20) }
                feed.add(viewers[0])
                try await waitUntil { recorder.watcherCount == 1 }
                recorder.movie(0)
                _ = try await read(viewers[0], until: "mdat")
                let old = Task {
                    // Ends when it is cancelled.
                    try? await Task.sleep(for: .seconds(600))
                    feed.lose("the old stream ended")
                }
                old.cancel()
                await old.value
                feed.add(viewers[1])
                let message = try #require(await viewers[1].next())
                let text = String(decoding: message.readableBytesView, as: UTF8.self)
                #expect(text.contains("mdat") && !text.contains("the old stream ended"), "\(text)")
                for viewer in viewers { feed.remove(viewer) }
            }
        }
    }

    @Test func watchRequest_substream_isPassedOn() async throws {
        try await WebFixture.run { web in
            try await FakeRecorder.run(in: web.runtime) { recorder in
                let ann = try await web.cookie("ann")
                let connection = try RawConnection(web.socket)
                try connection.send("GET /api/watch?small=front HTTP/1.1\r\nHost: lab.example\r\n\(ann)\r\n")
                try await waitUntil { recorder.smallWatcherCount == 1 }
                #expect(recorder.watcherCount == 0)
                recorder.smallMovie(0)
                #expect(try connection.read(until: "mdat").contains(#""stream":"sub""#))
            }
        }
    }

    @Test func watchRequest_tooManySubstreams_isRefused() async throws {
        try await WebFixture.run { web in
            let ann = try await web.cookie("ann")
            let many = "[" + Array(repeating: "\"a\"", count: 300).joined(separator: ",") + "]"
            let body = #"{"recorders":[],"small":\#(many)}"#
            #expect(try web.send("POST", "/api/watch/x", headers: ann, body).status == 400)
            let unknown = try web.send("POST", "/api/watch/x", headers: ann, #"{"recorders":[],"small":["front"]}"#)
            #expect(unknown.status == 404)
        }
    }
}
