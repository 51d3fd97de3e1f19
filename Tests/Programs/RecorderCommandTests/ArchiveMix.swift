import Foundation
import TestSupport
import Testing

/// Small movies of ten kinds, as other programs make them, some of them damaged.
struct ArchiveMix {
    /// File extensions, and FFmpeg's arguments to make such files from a pattern (`0:v`) and a tone (`1:a`).
    private static let kinds: [(ending: String, words: [String])] = {
        let h264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "25"]
        let aac = ["-c:a", "aac", "-b:a", "64k"]
        return [
            ("mov", h264 + aac),
            ("mp4", h264 + ["-an", "-movflags", "+faststart"]),
            ("avi", ["-c:v", "mpeg4", "-q:v", "5", "-c:a", "libmp3lame"]),
            ("webm", ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus"]),
            ("mov", ["-c:v", "mjpeg", "-q:v", "8", "-pix_fmt", "yuvj420p", "-c:a", "pcm_s16le"]),
            (
                "mp4",
                ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=0", "-tag:v", "hvc1"] + aac
            ),
            ("mkv", h264 + ["-bf", "2", "-c:a", "flac"]),
            ("ts", ["-c:v", "mpeg2video", "-q:v", "6", "-c:a", "mp2"]),
            ("mp4", h264 + aac + ["-movflags", "frag_keyframe+empty_moov"]),
            ("mov", ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p10le", "-c:a", "alac"]),
        ]
    }()

    let whole: [String]
    let damaged: [String]

    /// Makes the movies in `work/in` of a command.
    ///
    /// - Parameters:
    ///   - count: number of movies, including the damaged ones.
    ///   - damaged: number of damaged movies, at most half.
    ///   - seconds: range of durations; there are three lengths.
    init(_ count: Int, damaged: Int, seconds: ClosedRange<Int>, in command: Command) throws {
        let directory = command.path("work/in")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let lengths = [seconds.lowerBound, (seconds.lowerBound + seconds.upperBound) / 2, seconds.upperBound]
        var names: [String] = []
        for number in 0..<count {
            let kind = Self.kinds[number % Self.kinds.count]
            let name = "movie-\(number / 10)-\(number % 10).\(kind.ending)"
            let length = lengths[number / Self.kinds.count % lengths.count]
            // The short ones have different content, so that a mix-up of two is noticed.
            let pattern = number % 3 == 0 ? "testsrc" : number % 3 == 1 ? "testsrc2" : "smptebars"
            try MadeFile.copy(
                of: [
                    "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "\(pattern)=s=320x180:r=15:d=\(length)",
                    "-f", "lavfi", "-i", "sine=f=\(300 + number % 30 * 20):d=\(length):sample_rate=48000",
                ] + kind.words,
                to: URL(fileURLWithPath: "\(directory)/\(name)"))
            names.append(name)
        }
        var spoilt: [String] = []
        for index in 0..<damaged {
            let name = names[index * count / damaged]
            try Self.spoil("\(directory)/\(name)", index)
            spoilt.append(name)
        }
        (self.damaged, whole) = (spoilt, names.filter { !spoilt.contains($0) })
    }

    /// Damages a file in one of six ways.
    private static func spoil(_ path: String, _ kind: Int) throws {
        let url = URL(fileURLWithPath: path)
        var bytes = try Data(contentsOf: url)
        switch kind % 6 {
        case 0: bytes = bytes.prefix(bytes.count / 2)
        case 1: bytes = Data()
        case 2: bytes = Data("This was a movie once.\n".utf8)
        case 3: bytes.replaceSubrange(0..<64, with: Data(count: 64))
        case 4: bytes = bytes.prefix(100)
        default:
            // The middle contains frames.
            let middle = bytes.count / 3..<bytes.count * 2 / 3
            bytes.replaceSubrange(middle, with: Data(SyntheticMedia.noise(middle.count)))
        }
        try bytes.write(to: url)
    }
}
