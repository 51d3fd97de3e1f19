public import Foundation
import Glibc
public import MediaTypes

/// A file that is not a movie, or cannot be read, and the reason.
public struct RefusedInput: Sendable, CustomStringConvertible {
    public let name: String
    /// The possible error codes of decoding it.
    public let codes: Set<MediaError.Code>
    /// The exit code of `recorder info`, which needs no decoder; nil if it shows the file.
    public let infoExitCode: Int32?
    private let make: @Sendable (URL) throws -> Void

    public var description: String { name }

    /// Returns its location; it is made again each time.
    public func url() throws -> URL {
        let url = MadeFile.directory.appendingPathComponent("refused-\(UUID().uuidString.prefix(8))-\(name)")
        try make(url)
        return url
    }

    init(
        _ name: String, _ codes: Set<MediaError.Code>, infoExitCode: Int32?,
        _ make: @escaping @Sendable (URL) throws -> Void
    ) {
        (self.name, self.codes, self.infoExitCode, self.make) = (name, codes, infoExitCode, make)
    }
}

extension InputMatrix {
    public static let refused: [RefusedInput] = [
        RefusedInput("missing.mov", [.notFound], infoExitCode: 66) { _ in },
        RefusedInput("empty.mov", [.corruptData], infoExitCode: 65) { try Data().write(to: $0) },
        RefusedInput("letter.mov", [.corruptData], infoExitCode: 65) {
            try Data(String(repeating: "a letter, not a movie\n", count: 100).utf8).write(to: $0)
        },
        RefusedInput("list.m3u8", [.corruptData], infoExitCode: 65) {
            try Data("#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n".utf8).write(to: $0)
        },
        RefusedInput("noise.mp4", [.corruptData], infoExitCode: 65) {
            try Data(SyntheticMedia.noise(50_000)).write(to: $0)
        },
        RefusedInput("zeros.mov", [.corruptData], infoExitCode: 65) { try Data(count: 50_000).write(to: $0) },
        RefusedInput("directory.mov", [.unsupported], infoExitCode: 65) {
            try FileManager.default.createDirectory(at: $0, withIntermediateDirectories: false)
        },
        RefusedInput("pipe.mov", [.unsupported], infoExitCode: 65) {
            guard mkfifo($0.path, 0o600) == 0 else { throw Command.Failure(description: "mkfifo") }
        },
        // The header was at its end.
        RefusedInput("headless.mov", [.corruptData], infoExitCode: 65) {
            let whole = try Data(contentsOf: try InputMatrix["h264-aac.mov"].url())
            try whole.prefix(whole.count / 2).write(to: $0)
        },
        RefusedInput("encrypted.mp4", [.unsupported], infoExitCode: nil) { url in
            let key = "76a6c65c5ea762046bd749a2e632ccbb"
            let made = try Command.run(
                "ffmpeg", "-v", "error", "-i", try InputMatrix["h264-aac.mp4"].url().path, "-c", "copy",
                "-encryption_scheme", "cenc-aes-ctr", "-encryption_key", key, "-encryption_kid",
                "a7e61c373e219033c21091fa607bf3b8", url.path)
            guard made.status == 0 else { throw Command.Failure(description: made.errors) }
        },
        // A codec type that is not assigned.
        RefusedInput("unknown-codec.mov", [.unsupported], infoExitCode: nil) {
            var bytes = Array(try Data(contentsOf: try InputMatrix["mjpeg.mov"].url()))
            let code = Array("jpeg".utf8)
            for at in bytes.indices.dropLast(4) where Array(bytes[at..<(at + 4)]) == code {
                bytes.replaceSubrange(at..<(at + 4), with: Array("zzzq".utf8))
            }
            try Data(bytes).write(to: $0)
        },
    ]
}
