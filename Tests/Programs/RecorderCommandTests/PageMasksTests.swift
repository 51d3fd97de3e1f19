import CommandInterface
import Foundation
import MediaTypes
import TestSupport
import Testing

/// The page's editor of masks in real browsers: the recorder accepts its texts.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PageMasksTests {
    /// The result of Tests/Judges/page_masks.py.
    private struct Sight: Decodable {
        struct Texts: Decodable {
            let file: String
            let options: String
        }

        let drawn: [String: Texts]
        let styles: [String: Texts]
        let copied: String
        let removed: String
        let cancelled: String
        let said: [String: String]
        let focus: [String?]
        let roles: [String]
        let nameless: [String]
        let wide: [String]
        let foreign: [String]
        let errors: [String]
    }

    /// The result of `recorder config show --json`.
    private struct Shown: Decodable {
        struct Line: Decodable {
            let key: String
            let value: String?
        }

        let settings: [Line]

        func values(_ key: String) -> [String] { settings.filter { $0.key == key }.compactMap(\.value) }
    }

    private static let rectangle = "20,20 60,20 60,70 20,70"
    private static let dragged = "20,20 60,20 65,80 20,70"
    private static let triangle = "0,0 30,0 30,40"
    private static let quadrangle = "75,10 95,10 90,40 75,30"
    /// The rectangle and the quadrangle, each without one corner.
    private static let (rest, restOfQuadrangle) = ("20,20 65,80 20,70", "78,15 95,10 90,40")
    private static let steps = [
        "mouse": [rectangle], "drag": [dragged], "keyboard": [dragged, triangle],
        "touch": [dragged, triangle, quadrangle],
        "corner": ["20,20 62,25 65,80 20,70", triangle, quadrangle],
        "cornerRemoved": [rest, triangle, quadrangle], "refused": [rest, triangle, quadrangle],
        "swipe": [rest, triangle, "78,15 95,10 90,40 75,30"], "remove": [rest, triangle, restOfQuadrangle],
    ]

    @Test(arguments: ["chromium", "firefox"])
    func editor_masksDrawnInABrowser_areAcceptedByTheRecorder(browser: String) async throws {
        try await Command.inDirectory { command in
            let start = try await command.run("start", "front", "--camera", "test", "--size", "320x240")
            #expect(start.exitCode == 0, "\(start.errors)")
            let web = try command.start(["web", "--open", "--state", command.path("state")])
            try await waitUntil { web.output.contains("/open?") }
            let address = try #require(web.output.split(whereSeparator: \.isWhitespace).last)
            let sight: Sight = try await PageVisitor.judge(
                command, "page_masks.py", [browser, String(address), "front"])
            web.send(SIGTERM)
            _ = try await web.result()
            #expect(sight.drawn.count == Self.steps.count)
            for (step, texts) in sight.drawn {
                try await judge(texts, are: Self.steps[step] ?? [], style: "black", command, step)
            }
            let all = try #require(Self.steps["remove"])
            for (entered, style) in ["#8090a0": "#8090a0", "33": "pixelate:34"] {
                try await judge(try #require(sight.styles[entered]), are: all, style: style, command, entered)
            }
            #expect(sight.copied == sight.styles["33"]?.options)
            let rest = try await shown(options: sight.removed, command)
            try judge(rest.values("mask"), are: [Self.rest, Self.restOfQuadrangle], "removed")
            #expect(sight.cancelled == sight.removed)
            #expect(sight.said["corners"]?.hasSuffix("New corners: 4. Masks: 0.") == true, "\(sight.said)")
            #expect(sight.said["keyboard"] == "30,40 %. New corners: 0. Masks: 2.")
            let beginnings = [
                "drag": "Corner 3 of 4: ", "corner": "Corner 2 of 4: ", "cornerRemoved": "Corner 2 of 3: ",
                "refused": "A mask needs ", "before": "Corner 1 of 3: ", "swipe": "Corner 1 of 4: ",
                "clicked": "Corner 4 of 4: ", "remove": "Corner 1 of 3: ",
            ]
            for (step, text) in beginnings {
                #expect(sight.said[step]?.hasPrefix(text) == true, "\(step): \(sight.said)")
            }
            #expect(sight.said["letGo"]?.hasSuffix("New corners: 0. Masks: 3.") == true, "\(sight.said)")
            #expect(sight.focus.prefix(2) == ["button", "true"] && sight.focus.last??.hasPrefix("Mask 20") == true)
            #expect(sight.roles == ["button", "button", "button"])
            let faults = sight.foreign + sight.nameless + sight.wide + sight.errors
            #expect(faults.isEmpty, "\(faults)")
        }
    }

    /// Expects both texts to state these masks and this style.
    private func judge(
        _ texts: Sight.Texts, are masks: [String], style: String, _ command: Command, _ step: String
    ) async throws {
        let file = command.path("work/masks.yaml")
        try Data((texts.file + "\n").utf8).write(to: URL(fileURLWithPath: file))
        let show = try await command.run("config", "show", "front", "--json", "--config", file)
        #expect(show.exitCode == 0, "\(step): \(show.errors)")
        let ofFile = try JSONDecoder().decode(Shown.self, from: Data(show.output.utf8))
        for shown in [ofFile, try await shown(options: texts.options, command)] {
            #expect(shown.values("mask-style") == [style], "\(step)")
            try judge(shown.values("mask"), are: masks, step)
        }
    }

    /// The settings that options give which a shell has read.
    private func shown(options: String, _ command: Command) async throws -> Shown {
        let show = try await command.start(
            program: "/bin/sh", ["-c", "exec \"$RECORDER\" config show front --json \(options)"],
            environment: ["RECORDER": command.executablePath]
        ).result()
        #expect(show.exitCode == 0, "\(options): \(show.errors)")
        return try JSONDecoder().decode(Shown.self, from: Data(show.output.utf8))
    }

    /// Expects each corner within half a percent of the frame.
    private func judge(_ texts: [String], are masks: [String], _ step: String) throws {
        #expect(texts.count == masks.count, "\(step): \(texts)")
        for (text, mask) in zip(texts, masks) {
            let (found, wanted) = (try MaskText.parse(text).corners, try MaskText.parse(mask).corners)
            let far = zip(found, wanted).map { max(abs($0.x - $1.x), abs($0.y - $1.y)) }.max() ?? 0
            #expect(found.count == wanted.count && far <= FrameMask.edge / 200, "\(step): \(text), not \(mask)")
        }
    }
}
