import Foundation
import MediaCodecs
import MediaTypes
import TestSupport

/// H.264 packets as a byte stream (ITU-T H.264, Annex B), for programs that cannot read movies.
enum ElementaryStream {
    static func write(_ packets: [SampleBuffer], _ format: VideoFormat, to url: URL) throws {
        var stream = Data()
        for set in parameterSets(format.decoderConfiguration) { stream += [0, 0, 0, 1] + set }
        for packet in packets {
            guard case .data(let data) = packet.content else { continue }
            var rest = data.bytes[...]
            while rest.count > 4 {
                let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                stream += [0, 0, 0, 1]
                stream += Data(rest.dropFirst(4).prefix(length))
                rest = rest.dropFirst(4 + length)
            }
        }
        try stream.write(to: url)
    }

    /// The only sequence parameter set and the only picture parameter set of our encoder's `avcC`.
    private static func parameterSets(_ record: [UInt8]) -> [[UInt8]] {
        let first = 6
        let firstLength = Int(record[first]) << 8 | Int(record[first + 1])
        let second = first + 2 + firstLength + 1
        let secondLength = Int(record[second]) << 8 | Int(record[second + 1])
        return [
            Array(record[(first + 2)..<(first + 2 + firstLength)]),
            Array(record[(second + 2)..<(second + 2 + secondLength)]),
        ]
    }

    /// The entries of the video stream that ffprobe reports.
    static func entries(_ names: String, of path: String) throws -> [String: String] {
        let result = try Probe.ask(path, "stream=\(names)", of: "v:0", as: "default=noprint_wrappers=1")
        var entries: [String: String] = [:]
        for line in result.text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { entries[String(parts[0])] = String(parts[1]) }
        }
        return entries
    }

    /// Every frame, decoded by ffmpeg to planar 4:2:0 with eight or ten bits.
    static func decoded(_ path: String, as format: String) throws -> Data {
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-i", path, "-fps_mode", "passthrough", "-pix_fmt", format, "-f", "rawvideo", "-")
        guard result.status == 0, result.errors.isEmpty else {
            throw Command.Failure(description: "ffmpeg \(path): \(result.errors)")
        }
        return result.output
    }
}
