import Foundation
import Glibc
import RealTime
import TestSupport
import Testing

/// The page's server with real recorders: one that dies, and two users who want the same at once.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PageAndRecordersTests {
    /// The page's server on a Unix socket, with an operator who is logged in.
    private struct Page {
        let socket: String
        let cookie: String

        func send(_ method: String, _ path: String, _ body: String = "") throws -> RawAnswer {
            let connection = try RawConnection(socket)
            try connection.send(
                "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nCookie: \(cookie)\r\n"
                    + "Connection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return try RawAnswer(connection.readToEnd())
        }
    }

    private func serve(_ command: Command, _ body: (Page) async throws -> Void) async throws {
        let (state, socket) = (command.path("state"), command.path("web"))
        let add = try command.start(
            program: "/bin/sh",
            ["-c", "echo correct horse | \(command.executablePath) web user add ann --role operator --state \(state)"])
        let added = try await add.result()
        #expect(added.exitCode == 0, "\(added.errors)")
        let web = try command.start(["web", "--socket", socket, "--state", state])
        try await waitUntil { web.output.contains("Serving at ") }
        let login = try Page(socket: socket, cookie: "").send(
            "POST", "/api/login", #"{"user":"ann","password":"correct horse"}"#)
        let cookie = try #require(login.headers["set-cookie"]).prefix { $0 != ";" }
        let result: Result<Void, any Error>
        do { result = .success(try await body(Page(socket: socket, cookie: String(cookie)))) } catch {
            result = .failure(error)
        }
        web.send(SIGTERM)
        let end = try await web.result()
        #expect(end.exitCode == 0, "\(end.errors)")
        try result.get()
    }

    /// Starts a recording of the test sources.
    private func start(_ command: Command, _ words: String...) async throws {
        let start = try await command.run(
            ["start", "front", "--camera", "test", "--microphone", "test", "--size", "320x240"] + words)
        #expect(start.exitCode == 0, "\(start.errors)")
    }

    @Test func page_recorderDies_reportsItAndShowsItAfterARestart() async throws {
        try await Command.inDirectory { command in
            try await start(command, "--output", "a.mov")
            try await serve(command) { page in
                let viewer = try RawConnection(page.socket)
                try viewer.send(
                    "GET /api/watch?recorders=front HTTP/1.1\r\nHost: localhost\r\nCookie: \(page.cookie)\r\n\r\n")
                // Reads until the text contains these words, and keeps the text after them.
                var text = ""
                func read(until words: String...) throws {
                    let end = ContinuousClock.now + .seconds(30)
                    while !words.allSatisfy(text.contains) {
                        try #require(ContinuousClock.now < end, "\(words) did not come")
                        let part = try viewer.read()
                        try #require(!part.isEmpty, "the connection ended before \(words)")
                        text += String(decoding: part, as: UTF8.self)
                    }
                    text = ""
                }
                try read(until: "ftyp", "mdat", #""state":"recording""#)
                let lock = try String(contentsOfFile: command.path("run/recorder/front.lock"), encoding: .utf8)
                let process = try #require(Int32(lock.trimmingCharacters(in: .whitespacesAndNewlines)))
                #expect(kill(process, SIGKILL) == 0)
                try read(until: #""reason":"#, #""state":"died""#)
                let gone = try page.send("POST", "/api/recorders/front/stop")
                #expect(gone.status == 404 && gone.body.contains("not recording"), "\(gone.body)")
                #expect(try page.send("GET", "/api/recorders/front/snapshot").status == 404)

                // The next start finalizes the unfinished file, and the same connection shows the recorder again.
                try await start(command, "--output", "b.mov")
                try read(until: "ftyp", "mdat", #""state":"recording""#)
                #expect(try page.send("POST", "/api/recorders/front/stop").status == 200)
                #expect(command.files(in: "work").filter { $0.hasSuffix(".mov") } == ["a.mov", "b.mov"])
            }
        }
    }

    @Test func page_simultaneousStops_stopOnceAndReportToTheOthers() async throws {
        try await Command.inDirectory { command in
            try await serve(command) { page in
                for round in 0..<3 {
                    try await start(command, "--output", "\(round).mov")
                    let answers = Locked([RawAnswer]())
                    for _ in 0..<8 {
                        Thread {
                            let answer = try? page.send("POST", "/api/recorders/front/stop")
                            answers.withLock { $0 += [answer].compactMap(\.self) }
                        }.start()
                    }
                    try await waitUntil { answers.withLock { $0.count } == 8 }
                    let all = answers.withLock { $0 }
                    let done = all.filter { $0.status == 200 }
                    #expect(!done.isEmpty)
                    // Requests that arrived while it ended report the same end, or that nothing is recording.
                    #expect(done.allSatisfy { $0.body.contains(#""file":"\#(round).mov""#) }, "\(all.map(\.body))")
                    let others = all.filter { $0.status != 200 }
                    #expect(others.allSatisfy { [404, 409].contains($0.status) }, "\(others.map(\.body))")
                    #expect(others.allSatisfy { $0.body.contains("wayOut") })
                    let info = try await command.run("info", "\(round).mov", "--json")
                    #expect(info.exitCode == 0 && info.output.contains(#""health":"whole""#), "\(info.output)")
                }
            }
        }
    }
}
