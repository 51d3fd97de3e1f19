public import Foundation
import Synchronization

/// One file of the matrix: how it is made, and what is right about it.
public final class InputFile: Sendable, CustomStringConvertible {
    public struct Video: Sendable {
        /// FFmpeg's name.
        public var codec: String
        public var width: Int
        public var height: Int
        /// Pictures that are stored; nil where only a decoder tells.
        public var frames: Int?
        /// Frames per second; nil when it varies.
        public var rate: Double?
        public var depth: Int
        /// nil for RGB.
        public var chroma: String?
        public var isFullRange: Bool
        /// As `FieldOrder`'s cases are called; nil: not judged.
        public var fields: String?
        /// Of a pixel.
        public var aspect: String
        /// Degrees clockwise.
        public var rotation: Int
        /// Seconds; nil: not judged.
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
        /// FFmpeg's name.
        public var codec: String
        public var channels: Int
        public var sampleRate: Int
        /// ISO 639-2; nil: not judged.
        public var language: String?
        /// Seconds; nil: not judged.
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
    /// Titles.
    public let chapters: [String]
    /// Of the first picture.
    public let timecode: String?

    private enum Recipe: Sendable {
        case ffmpeg(String)
        case gstreamer(String)
        case recorded
        /// Another file of the matrix, changed; nil: nothing.
        case patched(String?, @Sendable (inout [UInt8]) throws -> Void)
    }
    private let recipe: Recipe
    private let made = Mutex<Result<URL, Command.Failure>?>(nil)
    private let judged = Mutex<InputJudgement?>(nil)

    /// - Parameter arguments: ffmpeg's, without the name of the output; `{p}` and its like are sources of the matrix, and
    ///   other names in braces its files.
    init(
        _ name: String, _ arguments: String, _ video: [Video], _ audio: [Audio], chapters: [String] = [],
        timecode: String? = nil
    ) {
        (self.name, self.video, self.audio) = (name, video, audio)
        (self.chapters, self.timecode) = (chapters, timecode)
        recipe = .ffmpeg(arguments)
    }

    /// - Parameter elements: GStreamer's, between the source and the file.
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

    /// - Parameter source: the name of the file whose bytes are changed; nil: they are made from nothing.
    init(
        _ name: String, from source: String?, _ video: [Video], _ audio: [Audio],
        change: @escaping @Sendable (inout [UInt8]) throws -> Void
    ) {
        (self.name, self.video, self.audio) = (name, video, audio)
        (chapters, timecode) = ([], nil)
        recipe = .patched(source, change)
    }

    public var description: String { name }

    /// Where the file is; makes it the first time. Nobody may change it: a test that damages takes a copy.
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

    /// What ffprobe says is in it; asked once.
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
            return Project.file("Tests/Media/\(name)")
        }
        return try MadeFile.named(name, make: make)
    }

    private func make(at path: String) throws {
        var command: [String]
        switch recipe {
        case .recorded: preconditionFailure("\(name) is there")
        case .patched(let source, let change):
            var bytes = try source.map { Array(try Data(contentsOf: try InputMatrix[$0].url())) } ?? []
            try change(&bytes)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            return
        case .gstreamer(let elements):
            let source = "videotestsrc num-buffers=25 ! video/x-raw,format=I420,width=96,height=64,framerate=25/1"
            command =
                ["gst-launch-1.0", "-q"] + "\(source) ! \(elements) ! filesink".split(separator: " ").map(String.init)
            command.append("location=\(path)")
        case .ffmpeg(let arguments):
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
    }
}
