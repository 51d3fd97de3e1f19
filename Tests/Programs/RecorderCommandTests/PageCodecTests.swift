import Foundation
import TestSupport
import Testing

/// A camera with HEVC on the page in real browsers. Those that play it play it; the others show stills and say why.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PageCodecTests {
    /// The result of Tests/Judges/page_codecs.py.
    private struct Sight: Decodable {
        struct Place: Decodable {
            let words: String
            let still: Int
            let plays: Bool
        }

        let supported: Bool
        let live: Place
        let file: Place
        let streams: [String]
        let caught: [String]
    }

    @Test(arguments: ["chromium", "firefox"])
    func page_ofHEVC_playsOrSaysThatTheBrowserCannot(browser: String) async throws {
        let place = try TemporaryDirectory()
        let server = try CameraServer(in: place)
        try await Command.inDirectory { command in
            try await PageVisitor.add(to: command)
            let start = try await command.run(
                "start", "yard", "--camera", server.url("h265"), "--microphone", "none")
            #expect(start.exitCode == 0, "\(start.errors)")
            let split = try await command.run("split", "yard")
            #expect(split.exitCode == 0, "\(split.errors)")
            try await PageVisitor.serving(command) { _, address in
                let sight: Sight = try await PageVisitor.judge(
                    command, "page_codecs.py", [browser, address, "yard"] + PageVisitor.words, within: 280)
                #expect(sight.live.plays == sight.supported && sight.file.plays == sight.supported)
                if sight.supported {
                    #expect(sight.live.words.isEmpty && sight.live.still == 0 && sight.streams == ["main"])
                } else {
                    #expect(sight.live.words == "This browser cannot play HEVC." && sight.live.still == 320)
                    #expect(sight.streams.isEmpty, "a stream that is not played is received")
                    #expect(sight.file.words == "This browser cannot play HEVC. Download the file instead.")
                }
                #expect(sight.caught.isEmpty, "\(sight.caught)")
            }
            let stop = try await command.run("stop", "yard")
            #expect(stop.exitCode == 0, "\(stop.errors)")
            withExtendedLifetime(server) {}
        }
    }
}
