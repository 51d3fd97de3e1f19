import Foundation

/// Files of every kind that the library must read, with the correct facts of each, and files that it must refuse.
///
/// FFmpeg and GStreamer make them on demand, once for each run of the tests, and they are removed when it ends. A test
/// uses `InputMatrix.files` as its arguments, or one file by name: `try InputMatrix["h264-aac.mov"].url()`.
public enum InputMatrix {
    /// Files that are read: generated ones, and two recordings by a camera.
    public static let files: [InputFile] = made + recorded

    /// Returns the file with a name.
    public static subscript(name: String) -> InputFile {
        guard let file = (files + odd).first(where: { $0.name == name }) else {
            preconditionFailure("no file is called \(name)")
        }
        return file
    }

    /// Recordings that are part of the tests: `Tests/Movies/README.md` names their author.
    private static let recorded: [InputFile] = [
        InputFile(
            recorded: "car-detection.mp4", [.init("h264", width: 768, height: 432, frames: nil, rate: 12.5)],
            [.init("aac", channels: 2)]),
        InputFile(
            recorded: "bottle-detection.mp4", [.init("h264", width: 640, height: 360, frames: nil, rate: nil)], []),
    ]

    /// Returns the file with the chapters.
    static func chapterFile() throws -> URL {
        try MadeFile.named("chapters.txt") { try Data(chapters.utf8).write(to: URL(fileURLWithPath: $0)) }
    }

    private static let chapters = """
        ;FFMETADATA1
        title=The walk
        [CHAPTER]
        TIMEBASE=1/1000
        START=0
        END=400
        title=One
        [CHAPTER]
        TIMEBASE=1/1000
        START=400
        END=1000
        title=Two

        """

    /// The arguments for each source name in a recipe.
    static let sources: [String: String] = [
        "p": "-f lavfi -i testsrc2=s=96x64:r=25:d=1",
        "big": "-f lavfi -i testsrc2=s=256x128:r=25:d=1",
        "ntsc": "-f lavfi -i testsrc2=s=720x480:r=30000/1001:d=0.33",
        "t": "-f lavfi -i sine=frequency=440:sample_rate=48000:duration=1",
        "u": "-f lavfi -i sine=frequency=660:sample_rate=44100:duration=1",
        "5.1": "-f lavfi -i " + tones(6, "5.1"),
        "7.1": "-f lavfi -i " + tones(8, "7.1"),
    ]

    /// Returns a source with a different tone in each channel.
    private static func tones(_ count: Int, _ layout: String) -> String {
        let channels = (0..<count).map { "0.1*sin(\(2000 + 300 * $0)*t)" }
        return "aevalsrc=" + channels.joined(separator: "|") + ":c=\(layout):s=48000:d=1"
    }
}
