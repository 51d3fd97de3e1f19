import Foundation
import TestSupport
import Testing

/// Intact files that look damaged, and for each the damage that must still be found.
@Suite(.timeLimit(.minutes(10))) struct FalseAlarmTests {
    private static let pattern = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=2"]

    @Test func verify_compressedHeader_isOk() async throws {
        let plain = try MadeFile.of(Self.pattern + ["-c:v", "libx264", "-pix_fmt", "yuv420p"], ending: "mov")
        try await Command.inDirectory { command in
            let packed = command.path("work/packed.mov")
            #expect(try PythonJudge.run("compress_header.py", plain.path, packed).status == 0)
            let result = try await command.run("verify", "packed.mov", "--against", plain.path)
            #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
            #expect(result.output.contains("ok: 0:02, 50 frames"), "\(result.output)")
        }
    }

    /// The audio begins quietly, so the duration computed from the first frame's bit rate is much too long.
    private static let variableRate = [
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=440:d=6", "-f", "lavfi", "-i", "anoisesrc=d=6",
        "-filter_complex", "[0]volume=0.5[a];[a][1]concat=n=2:v=0:a=1", "-c:a", "libmp3lame", "-q:a", "5",
    ]

    @Test func verify_mp3WithoutFrameCount_isOk() async throws {
        let movie = try MadeFile.of(Self.variableRate + ["-write_xing", "0", "-id3v2_version", "0"], ending: "mp3")
        try await Command.inDirectory { command in
            let verified = try await command.run("verify", movie.path)
            #expect(verified.exitCode == 0, "\(verified.output)\(verified.errors)")
            let copy = try await command.run("reencode", movie.path, "-o", "o.m4a", "--json", "--quiet")
            #expect(copy.exitCode == 0 && copy.errors.isEmpty, "\(copy.errors)")
            let object = try JSONSerialization.jsonObject(with: Data(copy.output.utf8)) as? [String: Any]
            #expect((object?["damage"] as? [Any])?.isEmpty == true, "\(copy.output)")
            #expect(abs((object?["duration"] as? Double ?? 0) - 12) < 0.1, "\(copy.output)")
        }
    }

    @Test func verify_truncatedMP3WithFrameCount_isDamaged() async throws {
        let movie = try MadeFile.of(Self.variableRate, ending: "mp3")
        try await Command.inDirectory { command in
            let whole = try Data(contentsOf: movie)
            try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: command.path("work/half.mp3")))
            #expect(try await command.run("verify", movie.path).exitCode == 0)
            #expect(try await command.run("verify", "half.mp3").exitCode == 65)
        }
    }

    // MARK: Transport streams

    /// Three segments of a second each, joined.
    private func joined(_ command: Command) async throws -> Data {
        let words = [
            "-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=3", "-f", "lavfi", "-i", "sine=d=3", "-c:v", "libx264",
            "-g",
            "25", "-pix_fmt", "yuv420p", "-c:a", "aac", "-f", "segment", "-segment_time", "1",
            command.path("work/s%d.ts"),
        ]
        let made = try TestSupport.Command.run(["ffmpeg", "-v", "error"] + words)
        #expect(made.status == 0, "\(made.errors)")
        return try (0..<3).map { try Data(contentsOf: URL(fileURLWithPath: command.path("work/s\($0).ts"))) }
            .reduce(Data(), +)
    }

    @Test func reencode_joinedTransportStreams_keepsEveryFrame() async throws {
        try await Command.inDirectory { command in
            try await joined(command).write(to: URL(fileURLWithPath: command.path("work/all.ts")))
            let verified = try await command.run("verify", "all.ts")
            #expect(verified.exitCode == 0 && verified.output.contains("75 frames"), "\(verified)")
            for codec in ["h264", "passthrough"] {
                let copy = try await command.run(
                    "reencode", "all.ts", "-o", "\(codec).mov", "--codec", codec, "--quiet")
                #expect(copy.exitCode == 0 && copy.errors.isEmpty, "\(copy.errors)")
                let count = try TestSupport.Command.run(
                    "ffprobe", "-v", "error", "-select_streams", "v", "-count_frames", "-show_entries",
                    "stream=nb_read_frames", "-of", "csv=p=0", command.path("work/\(codec).mov"))
                #expect(count.text.contains("75"), "\(codec): \(count.text)")
            }
        }
    }

    /// - Parameter isLast: true to lose the last packet of a frame, before another frame, as at a join.
    @Test(arguments: [false, true]) func verify_missingTransportPacket_isDamaged(isLast: Bool) async throws {
        try await Command.inDirectory { command in
            var data = Array(try await joined(command))
            let video = stride(from: 0, to: data.count, by: 188).filter { (packet: Int) -> Bool in
                let isTrack256 = data[packet + 1] & 0x1F == 1 && data[packet + 2] == 0
                return isTrack256 && data[packet + 3] & 0x10 != 0
            }
            let half = video.count / 2
            let begins = { (index: Int) -> Bool in data[video[index] + 1] & 0x40 != 0 }
            let lost = try #require(
                video.indices.dropFirst(half).first {
                    $0 + 1 < video.count && !begins($0) && begins($0 + 1) == isLast && !begins($0 - 1)
                })
            data.removeSubrange(video[lost]..<(video[lost] + 188))
            try Data(data).write(to: URL(fileURLWithPath: command.path("work/lost.ts")))
            let verified = try await command.run("verify", "lost.ts")
            #expect(verified.exitCode == 65 && verified.output.contains("track 256"), "\(verified)")
        }
    }
}
