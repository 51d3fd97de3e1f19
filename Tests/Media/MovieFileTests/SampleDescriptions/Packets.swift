import Foundation
import MediaTypes
import MovieFile
import TestSupport

/// The packets of a file that FFmpeg made, as passthrough reads them.
struct Packets {
    /// The codec's name in FFmpeg, and the code in the file that it made.
    let codec: String
    let tag: FourCharCode?
    let configuration: [UInt8]
    let width: Int
    let height: Int
    let sampleRate: Int
    let channels: Int
    let timeScale: Int32
    var samples: [(data: [UInt8], presentation: Int64, decode: Int64, duration: Int64, isKeyframe: Bool)] = []

    private struct Answer: Decodable {
        struct Stream: Decodable {
            var codecName: String
            var codecTagString: String
            var extradata: String?
            var width: Int?
            var height: Int?
            var sampleRate: String?
            var channels: Int?
            var timeBase: String
        }
        struct Packet: Decodable {
            var pts: Int64
            var dts: Int64?
            var duration: Int64?
            var flags: String
            var data: String
        }
        var streams: [Stream]
        var packets: [Packet]
    }

    /// - Parameter arguments: ffmpeg's arguments from the input to the codec; `name` decides the container.
    init(_ arguments: [String], in directory: TemporaryDirectory, name: String) throws {
        let path = directory.path(name)
        let made = try Command.run(["ffmpeg", "-v", "error", "-y"] + arguments + ["-strict", "-2", path])
        guard made.status == 0 else { throw Command.Failure(description: "ffmpeg: \(made.errors)") }
        let shown = try Probe.ask(path, as: "json", options: ["-show_streams", "-show_packets", "-show_data"])
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let answer = try decoder.decode(Answer.self, from: shown.output)
        guard let stream = answer.streams.first else { throw Command.Failure(description: "no stream in \(name)") }
        codec = stream.codecName
        let code = stream.codecTagString
        tag = code.utf8.count == 4 ? FourCharCode(code) : nil
        configuration = Self.bytes(stream.extradata ?? "")
        width = stream.width ?? 0
        height = stream.height ?? 0
        sampleRate = stream.sampleRate.flatMap(Int.init) ?? 0
        channels = stream.channels ?? 0
        timeScale = stream.timeBase.split(separator: "/").last.flatMap { Int32($0) } ?? 1
        samples = answer.packets.map {
            (Self.bytes($0.data), $0.pts, $0.dts ?? $0.pts, $0.duration ?? 1, $0.flags.hasPrefix("K"))
        }
    }

    /// ffprobe's hexadecimal dump: an offset, eight groups of two bytes, and the same as text.
    private static func bytes(_ dump: String) -> [UInt8] {
        dump.split(separator: "\n").flatMap { line -> [UInt8] in
            guard let colon = line.firstIndex(of: ":") else { return [] }
            let digits = line[line.index(colon, offsetBy: 2)...].prefix(40).filter { $0 != " " }
            return stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
                let start = digits.index(digits.startIndex, offsetBy: index)
                return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
            }
        }
    }

    /// A finalized movie with these packets as its only track; packets before time 0, such as priming, are hidden by an
    /// edit.
    func movie(_ format: FormatDescription, fileType: FileType) throws -> [UInt8] {
        let storage = MemoryStorage()
        let track = MovieTrack(id: 1, mediaType: format.mediaType, format: format, timeScale: timeScale)
        let writer = MovieFileWriter(
            storage: storage, fileType: fileType, timeScale: 1000, creationTime: 0, metadata: [], tracks: [track],
            sessionStart: .zero)
        try writer.writeFragment(
            samples.map { sample in
                func time(_ ticks: Int64) -> MediaTime { MediaTime(value: ticks, timescale: timeScale) }
                let count = format.audio?.bytesPerFrame.map { sample.data.count / $0 } ?? 1
                return TrackSample(
                    track: 0,
                    sample: SampleBuffer(
                        format: format, content: .data(MediaData(sample.data)),
                        presentationTime: time(sample.presentation), decodeTime: time(sample.decode),
                        duration: time(sample.duration), sampleCount: count, isKeyframe: sample.isKeyframe))
            })
        try MovieFinisher.finish(storage)
        return storage.bytes
    }
}
