import Foundation
import MediaTypes
import RecorderControl
import RecorderStorage
import Testing

@testable import WebService

@Suite struct PublicWordsTests {
    private var status: RecordingStatus {
        var status = RecordingStatus(name: "front", state: .recording)
        status.file = "/srv/Lecture Hall/2026/front.mov"
        status.copies = CopyAccount(remote: "nas:lectures/front", state: .waiting)
        return status
    }

    @Test(arguments: [
        ("cannot write /srv/Lecture Hall/2026/front.mov: disk full", "cannot write front.mov: disk full"),
        ("cannot open “/home/anna/keys/nas.key” (EACCES)", "cannot open “nas.key” (EACCES)"),
        ("cannot copy to nas:lectures/front: no route", "cannot copy to the remote: no route"),
        ("30 of 60 frames/s, 3/4 of them late", "30 of 60 frames/s, 3/4 of them late"),
        ("camera /dev/video0 is away", "camera video0 is away"),
    ])
    func message_withPathOrRemote_omitsThem(message: String, shown: String) {
        #expect(PublicWords(status).text(message) == shown)
    }

    @Test(arguments: [
        (
            "cannot create /work/videos/pre/13-38.mov: there is no directory /work/videos/pre",
            "cannot create 13-38.mov: there is no directory pre"
        ),
        ("create it with `mkdir -p /srv/videos/pre`", "create it with `mkdir -p pre`"),
        (
            "no answer within 10 s; see its log: /home/a/.local/state/recorder/pre.log",
            "no answer within 10 s; see its log: pre.log"
        ),
        ("cannot open /srv/my videos/x.mov, /srv/my videos/y.mov", "cannot open x.mov, y.mov"),
        ("cannot copy /a/b to /c/d (EIO)", "cannot copy b to d (EIO)"),
        ("see https://example.org/a/b and 3/4", "see https://example.org/a/b and 3/4"), ("in /srv", "in /srv"),
        ("", ""),
    ])
    func textWithPaths_ofAnyDirectory_keepsTheirNames(text: String, shown: String) {
        #expect(PublicWords.withoutPaths(text) == shown)
    }

    @Test func error_onThePage_namesNoDirectory() {
        let error = MediaError(
            .notFound, "cannot create /srv/videos/a.mov", reason: "there is no directory /srv/videos",
            wayOut: "create it with `mkdir -p /srv/videos`")
        let answer = ControlError.page(error)
        #expect(answer.status == .notFound)
        #expect(answer.body.error.message == "cannot create a.mov: there is no directory videos")
        #expect(answer.body.error.wayOut == "create it with `mkdir -p videos`")
    }

    @Test func badRequest_onThePage_namesThePagesDescription() {
        #expect(ControlError.badRequest("no").onPage.body.error.wayOut.hasPrefix("docs/reference/web-openapi.yaml"))
        #expect(ControlError.badRequest("no", wayOut: "try again").onPage.body.error.wayOut == "try again")
    }

    @Test func watchedRecorder_warning_namesNoOption() {
        var status = status
        status.warning = "frames dropped; choose a faster --preset, a smaller --size or a lower --frame-rate — 3 -- 4"
        let watched = WatchedRecorder(number: 1, name: "front", isRunning: true, status: status)
        #expect(
            watched.status?.warning
                == "frames dropped; choose a faster preset, a smaller size or a lower frame rate — 3 -- 4")
    }

    @Test func watchedRecorder_everyText_namesNoDirectory() throws {
        var status = status
        status.error = "cannot write /srv/Lecture Hall/2026/front.mov"
        status.warning = "/srv/Lecture Hall/2026 is nearly full; see /srv/Lecture Hall/2026/front.mov"
        status.copies?.error = "nas:lectures/front does not answer"
        let watched = WatchedRecorder(number: 1, name: "front", isRunning: true, status: status)
        let text = String(decoding: try JSONEncoder().encode(watched), as: UTF8.self)
        #expect(!text.contains("Lecture") && !text.contains("nas:"), "\(text)")
    }
}
