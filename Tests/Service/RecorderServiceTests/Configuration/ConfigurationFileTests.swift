import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The valid contents of a configuration file, and the errors for invalid ones.
@Suite(.timeLimit(.minutes(10))) struct ConfigurationFileTests {
    private func assignments(_ text: String) throws -> [String] {
        try ConfigurationFile.parse(text, path: "f").map { "\($0.setting.key) \($0.text) \($0.origin)" }
    }

    @Test func parse_anyText_keepsItUnchanged() throws {
        let text = """
            # the front door
            camera: "/dev/video0"
            frame-rate: 29.970
            duration: 1:30          # not 90, not a date
            align: off
            control: {exposure_auto: 1, focus_absolute: 030}

            hook:
              start: echo a && echo "b" &
              segment: |
                rsync "$RECORDER_FILE" nas:
              stop: ""
            """
        #expect(
            try assignments(text) == [
                "camera /dev/video0 f:2", "frame-rate 29.970 f:3", "duration 1:30 f:4", "align off f:5",
                "control exposure_auto=1 f:6", "control focus_absolute=030 f:6",
                "hook start=echo a && echo \"b\" & f:9",
                "hook segment=rsync \"$RECORDER_FILE\" nas:\n f:10", "hook stop= f:12",
            ])
    }

    @Test(arguments: ["", "\n\n", "# nothing\n", "---\n", "~", "\u{FEFF}", "{}", "--- # x\n...\n"])
    func parse_emptyFile_setsNothing(text: String) throws {
        #expect(try assignments(text).isEmpty)
    }

    /// The text, the prefix of the one-line error, and a part of that error.
    private static let wrong: [(String, String, String)] = [
        ("camera: test\nsegmant: 10m\n", "f:2: ", "did you mean “segment”?"),
        ("frame_rate: 30", "f:1: ", "did you mean “frame-rate”?"),
        ("Camera: test", "f:1: ", "did you mean “camera”?"),
        ("weather: fine", "f:1: ", "unknown key “weather”"),
        ("camera: [a, b]", "f:1: ", "one value"),
        ("camera: {a: b}", "f:1: ", "one value"),
        ("align: [true]", "f:1: ", "one value"),
        ("\n\nhook: ls\n", "f:3: ", "entries"),
        ("hook: [start, stop]", "f:1: ", "entries"),
        ("hook:\n  start: [a]\n", "f:2: ", "one value"),
        ("hook: {[a]: b}", "f:1: ", "one value"),
        ("camera:\nsize: 1x1\n", "f:1: ", "“camera” has no value"),
        ("hook:\n  start:\n", "f:2: ", "“start” has no value"),
        ("size: null", "f:1: ", "no value"),
        ("camera: test\nsize: 2x2\ncamera: none\n", "f:1: ", "“camera” occurs twice"),
        ("hook: {stop: a, stop: b}", "f:1: ", "“stop” occurs twice"),
        ("camera: test\n\tsize: 1x1\n", "f:2", "spaces"),
        ("hook:\n\tstart: a\n", "f:2", "spaces"),
        ("camera: \"test\n", "f:", "quote"),
        ("camera: [test\n", "f:", "bracket"),
        ("- camera\n", "f:1: ", "not a valid configuration"),
        ("camera\n", "f:1: ", "not a valid configuration"),
        ("camera: test\n---\nsize: 1x1\n", "f:2", "one document"),
        ("? [a]\n: b\n", "f:1: ", "one word"),
        ("output: movies/a.mov", "f:1: ", "absolute path"),
        ("camera: a\u{0}b", "f:1", "text"),
        ("camera: \"\\uD800\"", "f:1", "escape"),
        ("a: &x [1]\nb: *x\n", "f:1: ", "anchors"),
        ("camera: *x\n", "f:1", "aliases"),
        ("<<: {camera: test}", "f:1: ", "unknown key"),
        ("!!binary camera: test\nx: y", "f:2: ", "unknown key"),
    ]

    @Test(arguments: wrong) func parse_invalidText_reportsLineAndFix(text: String, place: String, wayOut: String) {
        do throws(MediaError) {
            _ = try ConfigurationFile.parse(text, path: "f")
            Issue.record("taken: \(text)")
        } catch {
            #expect(error.description.hasPrefix(place), "\(error)")
            #expect(error.description.contains(wayOut), "\(error)")
            #expect(!error.description.contains("\n"))
            #expect(error.description.count < 300)
        }
    }

    @Test func parse_billionLaughs_isRefused() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...12 {
            text +=
                "a\(level): &a\(level) [" + Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
                + "]\n"
        }
        #expect(throws: MediaError.self) { try ConfigurationFile.parse(text + "? *a12\n: x\n", path: "f") }
    }

    @Test(arguments: [
        "a: &b c", "&b a: c", "- &b c", "[&b c]", "{a: &b c}", "{\"a\":&b c}", "a:\n  &b c", "a: !!str &b c",
        "--- &b\n",
        "a: ! &b c", "a:\r\n&b c", "? &b c", "[?&b c]", "- - &b c",
    ])
    func firstAnchor_anchor_isFound(text: String) {
        #expect(ConfigurationText.firstAnchor(text) != nil)
    }

    @Test(arguments: [
        "a: b & c", "a: b && c", "a: b &c", "a: x 2>&1", "a: 'b&c'", "a: b& c", "&", "a: &", "a: b &", "a: b -&c",
        "a: rtsp://10.0.0.20/camera?&channel=1",
    ])
    func firstAnchor_shellAmpersand_isIgnored(text: String) {
        #expect(ConfigurationText.firstAnchor(text) == nil)
    }

    @Test(arguments: ["[", "{a: ", "a: [", "- ", "? "])
    func parse_deepNesting_fails(bracket: String) {
        let text = String(repeating: bracket, count: 900_000 / bracket.utf8.count)
        #expect(throws: MediaError.self) { try ConfigurationFile.parse(text, path: "f") }
    }

    @Test func parse_noise_givesSettingsOrAnErrorWithTheFile() {
        var random = SeededRandom(seed: 1)
        let words = [
            "camera", ": ", "\n", "  ", "- ", "[", "]", "{", "}", "\"", "'", "|", ">", "#", "&a", "*a", "!", "%", "\t",
        ]
        var (accepted, refused) = (0, 0)
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 1...40, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }
            .joined()
            switch Result(catching: { () throws(MediaError) in try ConfigurationFile.parse(text, path: "f") }) {
            case .success(let assignments):
                // No other word is a setting.
                #expect(assignments.allSatisfy { $0.setting.key == "camera" }, "\(text.debugDescription)")
                accepted += 1
            case .failure(let error):
                let isOfTheFile = error.action.hasPrefix("f:") || error.action == "cannot use f"
                #expect(error.code == .invalidSettings && isOfTheFile, "\(error) for \(text.debugDescription)")
                refused += 1
            }
        }
        #expect(accepted > 0 && refused > 0)
    }

    @Test func assignments_notAPlainTextFile_areRefused() throws {
        let directory = try TemporaryDirectory()
        func error(_ name: String, _ data: Data) throws -> String {
            try data.write(to: directory.file(name))
            do throws(MediaError) {
                _ = try ConfigurationFile.assignments(directory.path(name))
                return ""
            } catch { return error.description }
        }
        #expect(
            try error("a", Data("camera: test\nsize: \u{FF}".utf8.dropLast()) + [0xFF]).contains(
                "a:2: it is not UTF-8"))
        #expect(try error("b", Data(count: 10_000_000)).contains("larger than a megabyte"))
        #expect(try error("c", Data(repeating: 0x20, count: 1_000_000)) == "")
        #expect(mkfifo(directory.path("d"), 0o600) == 0)
        #expect(throws: MediaError.self) { try ConfigurationFile.assignments(directory.path("d")) }
        #expect(throws: MediaError.self) { try ConfigurationFile.assignments(directory.url.path) }
        _ = try error("e", Data("camera: test\n".utf8))
        chmod(directory.path("e"), 0o666)
        #expect(throws: MediaError.self) { try ConfigurationFile.assignments(directory.path("e")) }
        #expect(try ConfigurationFile.assignments(directory.path("missing"))?.count == nil)
    }
}
