import Foundation
import Glibc
import RecorderStorage
import TestSupport
import Testing

/// No output of a masked recorder contains a hidden pixel. FFmpeg decodes every frame of files, live streams and
/// images, including those that an edit list does not show, and reports the extremes of the pixels below the mask.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MaskedPixelTests {
    /// A rectangle in percent of the frame.
    private struct Region {
        var left: Int
        var top: Int
        var right: Int
        var bottom: Int

        /// The corners of a mask.
        var corners: String { "\(left),\(top) \(right),\(top) \(right),\(bottom) \(left),\(bottom)" }

        /// FFmpeg's filter for the pixels inside: whole chroma samples, at least two pixels from the edge.
        func crop(width: Int, height: Int) -> String {
            let (x, y) = ((left * width / 100 + 3) / 2 * 2, (top * height / 100 + 3) / 2 * 2)
            let (endX, endY) = ((right * width / 100 - 2) / 2 * 2, (bottom * height / 100 - 2) / 2 * 2)
            return "crop=\(endX - x):\(endY - y):\(x):\(y):exact=1"
        }
    }

    /// The extremes of a region in one frame.
    private struct Extremes: CustomStringConvertible {
        var darkest = 255
        var brightest = 0
        /// The maximum distance of a chroma sample from gray.
        var saturation = 0

        /// True if every pixel is black, within the encoder's errors.
        var isHidden: Bool { brightest <= 48 && saturation <= 24 }
        /// True if no pixel is nearly black. The color bars that the tests mask have a luma of 133 or more.
        var isShown: Bool { darkest >= 96 }

        var description: String { "luma \(darkest)…\(brightest), saturation \(saturation)" }
    }

    private static let camera = ["--camera", "test", "--size", "320x240"]
    private static let sources = camera + ["--microphone", "none"]
    /// Four color bars below the text. The edges are not those of macroblocks.
    private static let hidden = Region(left: 3, top: 52, right: 47, bottom: 72)
    /// The same color bars above the text.
    private static let shown = Region(left: 3, top: 10, right: 47, bottom: 22)
    private static let mask = ["--mask", hidden.corners]

    // MARK: Judges

    /// Returns the extremes of a region in each frame of a movie or an image.
    private func extremes(_ path: String, _ region: Region) throws -> [Extremes] {
        let video = try #require(try Probe(path).video, "\(path)")
        let crop = region.crop(width: try #require(video.width), height: try #require(video.height))
        let isMovie = path.hasSuffix(".mov") || path.hasSuffix(".mp4")
        let result = try TestSupport.Command.run(
            ["ffmpeg", "-v", "error"] + (isMovie ? ["-ignore_editlist", "1"] : []) + [
                "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-vf",
                "format=yuv420p,\(crop),signalstats,metadata=mode=print:file=-", "-f", "null", "-",
            ])
        // The last fragment of a live stream may be truncated. The callers count the frames.
        if path.hasSuffix(".mov") { try #require(result.status == 0, "\(result.errors)") }
        var frames: [Extremes] = []
        for line in result.text.split(separator: "\n") {
            if line.hasPrefix("frame:") { frames.append(Extremes()) }
            let parts = line.split(separator: "=")
            guard parts.count == 2, let value = Int(parts[1]), !frames.isEmpty else { continue }
            let last = frames.count - 1
            switch parts[0] {
            case "lavfi.signalstats.YMIN": frames[last].darkest = value
            case "lavfi.signalstats.YMAX": frames[last].brightest = value
            case "lavfi.signalstats.UMIN", "lavfi.signalstats.UMAX", "lavfi.signalstats.VMIN",
                "lavfi.signalstats.VMAX":
                frames[last].saturation = max(frames[last].saturation, abs(value - 128))
            default: break
            }
        }
        return frames
    }

    /// Expects the mask in every frame, or in none, and the color bars beside it in every frame.
    private func judge(_ path: String, isMasked: Bool = true, least: Int = 1) throws {
        let name = URL(fileURLWithPath: path).lastPathComponent
        let (inside, beside) = (try extremes(path, Self.hidden), try extremes(path, Self.shown))
        #expect(inside.count >= least && beside.count == inside.count, "\(name): \(inside.count) frames")
        let wrong = inside.indices.filter { isMasked ? !inside[$0].isHidden : !inside[$0].isShown }
        #expect(wrong.isEmpty, "\(name): frames \(wrong), \(wrong.map { inside[$0] })")
        let dark = beside.indices.filter { !beside[$0].isShown }
        #expect(dark.isEmpty, "\(name): frames \(dark), \(dark.map { beside[$0] })")
    }

    // MARK: Recorders

    /// Starts to watch a recorder, until it ends.
    private func watch(_ command: Command, _ name: String, query: String = "") throws -> ChildProgram {
        try ChildProgram(
            ChildProgram.Launch(
                "curl",
                [
                    "--silent", "--max-time", "60", "--unix-socket", command.path("run/recorder/front.live"),
                    "http://recorder/v1/live\(query)", "--output", command.path("work/\(name)"),
                ]))
    }

    /// Waits until the recorder's status meets a condition.
    private func waitForStatus(_ command: Command, _ condition: (RecordingStatus) -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let asked = try await command.run("status", "front", "--json")
            if asked.exitCode == 0,
                let status = try? JSONDecoder().decode(RecordingStatus.self, from: Data(asked.output.utf8)),
                condition(status)
            {
                return
            }
            guard ContinuousClock.now < deadline else { throw TooLate() }
        }
    }

    /// Waits until the recording has a number of frames.
    private func waitForFrames(_ command: Command, _ count: Int64) async throws {
        try await waitForStatus(command) { ($0.video?.written ?? 0) >= count }
    }

    /// Runs a command that has to succeed.
    @discardableResult
    private func succeed(_ command: Command, _ arguments: [String]) async throws -> Command.Result {
        let result = try await command.run(arguments)
        try #require(result.exitCode == 0, "\(arguments): \(result.errors)")
        return result
    }

    // MARK: Tests

    /// Without the mask the same pixels are bright in every output, so that the judge would see them.
    @Test(arguments: [true, false]) func recorder_everyOutput_hidesWhatTheMaskHides(isMasked: Bool) async throws {
        try await Command.inDirectory { command in
            try await succeed(
                command,
                ["start", "front", "--output", "front.mov", "--substream", "160x120@5"] + Self.sources
                    + (isMasked ? Self.mask : []))
            let viewers = [
                try watch(command, "main.mp4"), try watch(command, "sub.mp4", query: "?stream=sub"),
            ]
            for name in ["now.jpg", "now.png"] { try await succeed(command, ["snapshot", "front", "-o", name]) }
            try await waitForFrames(command, 20)
            try await succeed(command, ["split", "front"])
            try await waitForFrames(command, 90)
            let files = try await succeed(command, ["stop", "front"]).outputLines.map(String.init)
            try #require(files.count == 2, "\(files)")
            for viewer in viewers { try await waitUntil { viewer.status != nil } }
            for image in ["still-%02d.jpg", "still-%02d.png"] {
                try await succeed(
                    command,
                    ["frames", files[0], "--count", "2", "--tolerance", "0", "--output", image])
            }
            for file in files { try judge(file, isMasked: isMasked, least: 20) }
            try judge(command.path("work/main.mp4"), isMasked: isMasked, least: 20)
            try judge(command.path("work/sub.mp4"), isMasked: isMasked, least: 3)
            let images = command.files(in: "work").filter { $0.hasSuffix(".jpg") || $0.hasSuffix(".png") }
            #expect(images.count == 6, "\(images)")
            for image in images { try judge(command.path("work/\(image)"), isMasked: isMasked) }
        }
    }

    @Test func preRollAndKilledRecording_everyFrame_isMasked() async throws {
        try await Command.inDirectory { command in
            let running = try command.start(
                ["run", "front", "--armed", "--pre-roll", "2s", "--output", "front.mov"] + Self.sources + Self.mask)
            try await waitForStatus(command) { ($0.preRoll?.duration ?? 0) >= 1 }
            try await succeed(command, ["save", "front", "-o", "saved.mov"])
            try await succeed(command, ["start", "front"])
            try await waitForFrames(command, 120)
            running.send(SIGKILL)
            _ = try await running.result()
            try await succeed(command, ["repair", "front.recording.mov"])
            try judge(command.path("work/saved.mov"), least: 20)
            try judge(command.path("work/front.mov"), least: 40)
        }
    }

    @Test func timeLapse_everyFrame_isMasked() async throws {
        try await Command.inDirectory { command in
            try await succeed(
                command,
                ["start", "front", "--foreground", "--every", "100ms", "--duration", "2s", "--output", "front.mov"]
                    + Self.camera + Self.mask)
            try judge(command.path("work/front.mov"), least: 10)
        }
    }

    // MARK: Reload

    /// Two masks that overlap.
    private static let former = Region(left: 3, top: 52, right: 33, bottom: 72)
    private static let new = Region(left: 18, top: 52, right: 48, bottom: 72)
    private static let onlyFormer = Region(left: 3, top: 52, right: 18, bottom: 72)
    private static let both = Region(left: 18, top: 52, right: 33, bottom: 72)
    private static let onlyNew = Region(left: 33, top: 52, right: 48, bottom: 72)

    private func configure(_ command: Command, _ mask: Region) throws {
        let directory = command.path("home/.config/recorder")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let text = """
            camera: test
            microphone: none
            size: 320x240
            output: \(command.path("work"))/front.mov
            mask:
              window: \(mask.corners)

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/front.yaml"))
    }

    /// Expects the former mask in the first frames and the new one in all others.
    ///
    /// - Returns: the number of frames with the former mask, and of those with the new one.
    private func judgeChange(_ path: String) throws -> (former: Int, new: Int) {
        let name = URL(fileURLWithPath: path).lastPathComponent
        let common = try extremes(path, Self.both)
        let (left, right) = (try extremes(path, Self.onlyFormer), try extremes(path, Self.onlyNew))
        try #require(left.count == common.count && right.count == common.count)
        #expect(common.allSatisfy { $0.isHidden }, "\(name)")
        let count = left.prefix { $0.isHidden }.count
        for index in left.indices {
            let (covered, free) = index < count ? (left[index], right[index]) : (right[index], left[index])
            #expect(covered.isHidden && free.isShown, "\(name), frame \(index) of \(count): \(covered), \(free)")
        }
        return (count, left.count - count)
    }

    @Test func reload_otherMask_replacesItAtOneFrame() async throws {
        try await Command.inDirectory { command in
            try configure(command, Self.former)
            try await succeed(command, ["start", "front"])
            var viewers = [try watch(command, "before.mp4")]
            try await waitForFrames(command, 30)
            try configure(command, Self.new)
            try await succeed(command, ["reload", "front"])
            viewers.append(try watch(command, "after.mp4"))
            try await waitForFrames(command, 120)
            try await succeed(command, ["stop", "front"])
            for viewer in viewers { try await waitUntil { viewer.status != nil } }
            for name in ["front.mov", "before.mp4"] {
                let (former, new) = try judgeChange(command.path("work/\(name)"))
                #expect(former >= 10 && new >= 10, "\(name): \(former), \(new)")
            }
            // A viewer who comes after the reload sees no frame from before it.
            let (former, new) = try judgeChange(command.path("work/after.mp4"))
            #expect(former == 0 && new >= 10, "\(former), \(new)")
        }
    }
}
