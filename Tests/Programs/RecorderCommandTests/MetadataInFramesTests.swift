import Foundation
import MediaTypes
import MovieCommands
import TestSupport
import Testing

/// Captions and HDR metadata inside coded pictures: passthrough keeps them, and re-encoding reports their loss.
@Suite(.timeLimit(.minutes(10))) struct MetadataInFramesTests {
    enum Kind: String, CaseIterable, Sendable {
        case captions = "h264"
        case hdr10Plus = "hevc"

        var encoder: String { self == .captions ? "libx264" : "libx265" }
        /// The name of the side data in ffprobe.
        var sideData: String {
            self == .captions ? "ATSC A53 Part 4 Closed Captions" : "HDR Dynamic Metadata SMPTE2094-40 (HDR10+)"
        }
        var line: String { self == .captions ? "captions in its frames" : "HDR10+" }

        /// A message registered by ITU-T T.35 (ITU-T H.264, D.1.6; H.265, D.2.6), as a NAL unit with its start code.
        var unit: [UInt8] {
            switch self {
            case .captions:
                // ATSC A/53, part 4, 6.2.3: one construct of field 1, "Hi".
                let message: [UInt8] = [
                    0xB5, 0x00, 0x31, 0x47, 0x41, 0x39, 0x34, 0x03, 0x41, 0xFF, 0xFC, 0xC8, 0xE9, 0xFF,
                ]
                return [0, 0, 0, 1, 0x06, 0x04, UInt8(message.count)] + message + [0x80]
            case .hdr10Plus:
                // SMPTE ST 2094-40: one window with only its light.
                let bits =
                    "01" + String(repeating: "1", count: 27) + "0" + String(repeating: "1", count: 68) + "0000"
                    + String(repeating: "1", count: 10) + "000"
                let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
                    let part = bits.dropFirst(start).prefix(8)
                    return UInt8(part + String(repeating: "1", count: 8 - part.count), radix: 2) ?? 0
                }
                let message: [UInt8] = [0xB5, 0x00, 0x3C, 0x00, 0x01, 0x04, 0x01] + bytes
                return [0, 0, 0, 1, 0x4E, 0x01, 0x04, UInt8(message.count)] + message + [0x80]
            }
        }

        /// Returns true if a NAL unit that begins with this byte belongs to a coded picture.
        func isImage(_ byte: UInt8) -> Bool {
            self == .captions ? [1, 5].contains(byte & 0x1F) : byte >> 1 & 0x3F < 32
        }
    }

    /// Makes a movie of 25 frames, each with the message before it.
    private func movie(_ kind: Kind, in directory: TemporaryDirectory) throws -> URL {
        let plain = directory.path("plain.\(kind.rawValue)")
        try run(
            "ffmpeg -v error -y -f lavfi -i testsrc2=s=160x120:r=25:d=1 -c:v \(kind.encoder) -preset ultrafast "
                + "-x264-params slices=1:sliced-threads=0 -x265-params log-level=none:aud=0 -bf 0 \(plain)")
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
        var stream: [UInt8] = []
        var index = 0
        while index < bytes.count {
            // Three bytes of a start code, and then a NAL unit. The fourth byte, a zero, may stay before the message.
            if index + 3 < bytes.count, bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1,
                kind.isImage(bytes[index + 3])
            {
                stream += kind.unit + [0]
            }
            stream.append(bytes[index])
            index += 1
        }
        let spoken = directory.file("spoken.\(kind.rawValue)")
        try Data(stream).write(to: spoken)
        let url = directory.file("movie.mov")
        try run("ffmpeg -v error -y -r 25 -i \(spoken.path) -c copy \(url.path)")
        #expect(try count(kind, in: url) == 25)
        return url
    }

    private func run(_ line: String) throws {
        let made = try TestSupport.Command.run(MovieCheckerTests.words(line))
        #expect(made.status == 0, "\(made.errors)")
    }

    /// Returns the number of frames with the side data, counted by ffprobe.
    private func count(_ kind: Kind, in url: URL) throws -> Int {
        let seen = try TestSupport.Command.run(
            "ffprobe", "-v", "error", "-select_streams", "v", "-show_frames", "-of", "json", url.path)
        return seen.text.components(separatedBy: kind.sideData).count - 1
    }

    private func copy(_ movie: URL, passes: Bool) async throws -> (URL, [String]) {
        var request = ReencodeRequest(inputs: [movie])
        let settings = VideoSettings(codec: .hevc, preset: "ultrafast")
        request.video = passes ? .passthrough : .encode(settings, twoPass: false)
        request.output = movie.deletingLastPathComponent().appendingPathComponent("copy.mov")
        let summary = try await Reencoder(request).run()
        return (request.outputURL, summary.leftOut)
    }

    @Test(arguments: Kind.allCases) func passthrough_metadataInFrames_isKept(_ kind: Kind) async throws {
        let directory = try TemporaryDirectory()
        let (copy, leftOut) = try await copy(movie(kind, in: directory), passes: true)
        #expect(leftOut == [])
        #expect(try count(kind, in: copy) == 25)
    }

    @Test(arguments: Kind.allCases) func reencode_metadataInFrames_isDroppedAndReported(_ kind: Kind)
        async throws
    {
        let directory = try TemporaryDirectory()
        let (copy, leftOut) = try await copy(movie(kind, in: directory), passes: false)
        #expect(leftOut.count == 1 && leftOut[0].hasPrefix("track 1: ") && leftOut[0].contains(kind.line), "\(leftOut)")
        #expect(try count(kind, in: copy) == 0)
    }
}
