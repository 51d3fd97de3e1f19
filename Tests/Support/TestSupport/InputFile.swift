public import Foundation
import Synchronization

/// One file of the matrix: its recipe and its correct facts.
public final class InputFile: Sendable, CustomStringConvertible {
    public struct Video: Sendable {
        /// The codec's name in FFmpeg.
        public var codec: String
        public var width: Int
        public var height: Int
        /// The number of stored frames; nil if only a decoder can count them.
        public var frames: Int?
        /// Frames per second; nil if variable.
        public var rate: Double?
        public var depth: Int
        /// The chroma subsampling; nil for RGB.
        public var chroma: String?
        public var isFullRange: Bool
        /// A case name of `FieldOrder`; nil if not checked.
        public var fields: String?
        /// The aspect ratio of a pixel.
        public var aspect: String
        /// Degrees clockwise.
        public var rotation: Int
        /// Seconds; nil if not checked.
        public var start: Double?

        public init(
            _ codec: String, width: Int = 96, height: Int = 64, frames: Int? = 25, rate: Double? = 25, depth: Int = 8,
            chroma: String? = "4:2:0", isFullRange: Bool = false, fields: String? = nil, aspect: String = "1:1",
            rotation: Int = 0, start: Double? = nil
        ) {
            (self.codec, self.width, self.height, self.frames) = (codec, width, height, frames)
            (self.rate, self.depth, self.chroma, self.isFullRange) = (rate, depth, chroma, isFullRange)
            (self.fields, self.aspect, self.rotation, self.start) = (fields, aspect, rotation, start)
        }

        public static let h264 = Video("h264")
    }

    public struct Audio: Sendable {
        /// The codec's name in FFmpeg.
        public var codec: String
        public var channels: Int
        public var sampleRate: Int
        /// ISO 639-2; nil if not checked.
        public var language: String?
        /// Seconds; nil if not checked.
        public var start: Double?

        public init(
            _ codec: String, channels: Int = 1, sampleRate: Int = 48_000, language: String? = nil, start: Double? = nil
        ) {
            (self.codec, self.channels, self.sampleRate) = (codec, channels, sampleRate)
            (self.language, self.start) = (language, start)
        }

        public static let aac = Audio("aac")
    }

    public let name: String
    public let video: [Video]
    public let audio: [Audio]
    /// The titles of the chapters.
    public let chapters: [String]
    /// The timecode of the first frame.
    public let timecode: String?

    private enum Recipe: Sendable {
        /// ffmpeg's arguments, and degrees clockwise by which the video of its file is then rotated.
        case ffmpeg(String, clockwise: Int)
        case gstreamer(String)
        case recorded
        /// Changes another file of the matrix, or empty bytes if the name is nil.
        case patched(String?, @Sendable (inout [UInt8]) throws -> Void)
    }
    private let recipe: Recipe
    private let made = Mutex<Result<URL, Command.Failure>?>(nil)
    private let judged = Mutex<InputJudgement?>(nil)

    /// - Parameters:
    ///   - arguments: ffmpeg's arguments without the output's name. `{p}` and similar names are sources of the matrix;
    ///     other names in braces are its files.
    ///   - clockwise: degrees by which the video of the finished file is rotated.
    init(
        _ name: String, _ arguments: String, clockwise: Int = 0, _ video: [Video], _ audio: [Audio],
        chapters: [String] = [], timecode: String? = nil
    ) {
        (self.name, self.video, self.audio) = (name, video, audio)
        (self.chapters, self.timecode) = (chapters, timecode)
        recipe = .ffmpeg(arguments, clockwise: clockwise)
    }

    /// - Parameter elements: GStreamer's elements between the source and the file.
    init(_ name: String, gst elements: String, _ video: [Video], _ audio: [Audio]) {
        (self.name, self.video, self.audio) = (name, video, audio)
        (chapters, timecode) = ([], nil)
        recipe = .gstreamer(elements)
    }

    init(recorded name: String, _ video: [Video], _ audio: [Audio]) {
        (self.name, self.video, self.audio) = (name, video, audio)
        (chapters, timecode) = ([], nil)
        recipe = .recorded
    }

    /// - Parameter source: name of the file whose bytes are changed; nil to start with no bytes.
    init(
        _ name: String, from source: String?, _ video: [Video], _ audio: [Audio],
        change: @escaping @Sendable (inout [UInt8]) throws -> Void
    ) {
        (self.name, self.video, self.audio) = (name, video, audio)
        (chapters, timecode) = ([], nil)
        recipe = .patched(source, change)
    }

    public var description: String { name }

    /// Returns the file's location, and makes the file the first time. It must not be changed: a test that damages it
    /// uses a copy.
    public func url() throws -> URL {
        try made.withLock { made in
            if let made { return try made.get() }
            let result: Result<URL, Command.Failure>
            do { result = .success(try make()) } catch {
                result = .failure(Command.Failure(description: "\(name): \(error)"))
            }
            made = result
            return try result.get()
        }
    }

    /// Returns ffprobe's view of the file, which is read once.
    public func judgement() throws -> InputJudgement {
        let url = try url()
        return try judged.withLock { judged in
            if let judged { return judged }
            let new = try InputJudgement(url)
            judged = new
            return new
        }
    }

    private func make() throws -> URL {
        if case .recorded = recipe {
            return Project.file("Tests/Movies/\(name)")
        }
        return try MadeFile.named(name, make: make)
    }

    private func make(at path: String) throws {
        var command: [String]
        var rotation = 0
        switch recipe {
        case .recorded: preconditionFailure("\(name) is there")
        case .patched(let source, let change):
            var bytes = try source.map { Array(try Data(contentsOf: try InputMatrix[$0].url())) } ?? []
            try change(&bytes)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            return
        case .gstreamer(let elements):
            let source = "videotestsrc num-buffers=25 ! video/x-raw,format=I420,width=96,height=64,framerate=25/1"
            let pipeline = "\(source) ! \(elements) ! filesink location="
            command = ["gst-launch-1.0", "-q"] + pipeline.split(separator: " ").map(String.init)
            command[command.count - 1] += path
        case .ffmpeg(let arguments, let clockwise):
            rotation = clockwise
            command = ["ffmpeg", "-v", "error", "-y", "-threads", "1"]
            for word in arguments.split(separator: " ") {
                guard word.first == "{", word.last == "}" else {
                    command.append(String(word))
                    continue
                }
                let key = String(word.dropFirst().dropLast())
                if let source = InputMatrix.sources[key] {
                    command += source.split(separator: " ").map(String.init)
                } else if key == "chapters" {
                    command.append(try InputMatrix.chapterFile().path)
                } else {
                    command += ["-i", try InputMatrix[key].url().path]
                }
            }
            command.append(path)
        }
        let result = try Command.run(command)
        guard result.status == 0, FileManager.default.fileExists(atPath: path) else {
            throw Command.Failure(description: result.errors)
        }
        if rotation != 0 { try MovieRotation.set(clockwise: rotation, in: URL(fileURLWithPath: path)) }
    }
}
