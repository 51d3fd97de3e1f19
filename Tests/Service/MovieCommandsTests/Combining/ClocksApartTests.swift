import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieCommands

/// Recordings of two machines whose clocks differ by 100 ppm stay in sync for ten minutes. FFmpeg makes them, and is
/// the judge.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ClocksApartTests {
    private static let epoch = 1_800_000_000.0
    private static let length = 610.0
    private static let rate = 100e-6
    /// The start of the second recording, chosen so that its frames come a hundredth of a second before those of the
    /// first.
    private static let late = 3.49

    /// Makes a movie with two frames a second, every twentieth of them white, and a beep every twenty seconds, by a
    /// clock that is too fast by `rate`.
    private func movie(
        _ name: String, start: Double, rate: Double, begun: Double, beep: Double, in directory: TemporaryDirectory
    ) throws -> URL {
        let (path, speed, end) = (directory.path(name), 1 + rate, Self.length * (1 + rate))
        let wall = (Array(stride(from: 0.0, to: Self.length, by: 60)) + [Self.length]).map { moment in
            RecordingClock.WallTime(
                at: start + moment * speed, wall: Self.epoch + begun + moment, uncertainty: 0.0005)
        }
        let clock = RecordingClock(boot: name, start: start, wall: wall)
        let made = try Command.run([
            "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i",
            "color=c=black:s=64x48:r=2:d=\(Self.length),drawbox=t=fill:c=white:enable='eq(mod(n,20),0)',"
                + "settb=1/90000,setpts=PTS*\(speed)",
            "-f", "lavfi", "-i",
            "aevalsrc=exprs='0.5*sin(2*PI*1000*t)*lt(mod(t/\(speed)+\(20 - beep),20),0.05)':s=48000:d=\(end)",
            "-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-fps_mode", "passthrough", "-enc_time_base",
            "1:90000", "-video_track_timescale", "90000", "-c:a", "aac", "-b:a", "128k", "-movflags",
            "use_metadata_tags", "-metadata", "recorder.clock=\(clock.metadataItem.value)", path,
        ])
        guard made.status == 0 else { throw Command.Failure(description: made.errors) }
        return URL(fileURLWithPath: path)
    }

    private func combined(_ directory: TemporaryDirectory, _ layout: CombineLayout?) async throws -> (URL, String) {
        let inputs = [
            try movie("a.mov", start: 100, rate: 0, begun: 0, beep: 0, in: directory),
            try movie("b.mov", start: 5000, rate: Self.rate, begun: Self.late, beep: 10, in: directory),
        ]
        var request = CombineRequest(inputs: inputs, output: directory.file("both.mov"))
        request.layout = layout
        let combiner = try await Combiner(request)
        _ = try await ReencodeRun(combiner.reencoder, isQuiet: true).run()
        return (request.output, combiner.account)
    }

    /// Returns the presentation times of a track's packets, sorted.
    private func times(_ url: URL, _ track: String) throws -> [(time: Double, duration: Double)] {
        let shown = try Command.run(
            "ffprobe", "-v", "error", "-select_streams", track, "-show_entries", "packet=pts_time,duration_time", "-of",
            "csv=p=0", url.path)
        #expect(shown.errors.isEmpty, "\(shown.errors)")
        return shown.text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: ",").map { Double($0) }
            // ffprobe returns no duration for frames that are reordered.
            return parts.first.flatMap(\.self).map { ($0, parts.count > 1 ? parts[1] ?? .nan : .nan) }
        }.sorted { $0.time < $1.time }
    }

    @Test func combine_passthroughDriftingClocks_keepsEveryPacketInSync() async throws {
        let directory = try TemporaryDirectory()
        let (url, account) = try await combined(directory, nil)
        #expect(account.hasPrefix("in sync within 1.0 ms by the wall clocks, along the whole length"), "\(account)")
        #expect(
            account.hasSuffix("the clock of b.mov ran 100.0 ppm fast relative to the first recording's"), "\(account)")
        let (first, second) = (try times(url, "v:0"), try times(url, "v:1"))
        #expect(first.count == Int(2 * Self.length) && second.count == first.count)
        for (index, frame) in second.enumerated() {
            #expect(abs(frame.time - Self.late - Double(index) / 2) < 0.002, "\(index)")
        }
        for (index, frame) in first.enumerated() { #expect(abs(frame.time - Double(index) / 2) < 0.002) }
        // Each audio packet is at its own clock's time in the other's clock; none is shorter than its audio by more
        // than a tick.
        for (track, name, rate, late) in [("a:0", "a.mov", 0, 0), ("a:1", "b.mov", Self.rate, Self.late)] {
            let (audio, source) = (try times(url, track), try times(directory.file(name), "a:0"))
            #expect(abs(audio.count - source.count) <= 1)
            let ends = Set([0, 1, 2, audio.count / 2, audio.count - 3])
            for (index, packet) in audio.enumerated() {
                let nearest = late + Double(index + source.count - audio.count) * 1024 / 48_000 / (1 + rate)
                let from = source[0].time / (1 + rate)
                let isInStep = abs(packet.time - nearest - from) < 0.002
                if ends.contains(index) || !isInStep { #expect(isInStep, "\(track) \(index) \(packet)") }
                if index < audio.count - 1 { #expect(abs(packet.duration * 48_000 - 1024) < 1.5, "\(packet)") }
            }
        }
        let decoded = try Command.run("ffmpeg", "-v", "error", "-i", url.path, "-map", "0", "-f", "null", "-")
        #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(decoded.errors)")
    }

    @Test func combine_layoutDriftingClocks_keepsFramesAndAudioInSync() async throws {
        let directory = try TemporaryDirectory()
        let (url, _) = try await combined(directory, .sideBySide)
        let frames = try Command.run(
            "ffmpeg", "-v", "error", "-i", url.path, "-map", "v", "-vf", "scale=2:1:flags=area,format=gray",
            "-fps_mode", "passthrough", "-f", "rawvideo", "-")
        let light = [UInt8](frames.output)
        func white(_ side: Int) -> [Int] { (0..<light.count / 2).filter { light[2 * $0 + side] > 128 } }
        // For each track, a hundredth of a second decides which frame is shown.
        #expect(white(0) == Array(stride(from: 0, to: Int(2 * Self.length), by: 20)))
        #expect(white(1) == Array(stride(from: 7, to: Int(2 * Self.length) + 7, by: 20)))

        let audio = try Command.run(
            "ffmpeg", "-v", "error", "-i", url.path, "-map", "a", "-ac", "1", "-f", "f32le", "-")
        let samples = audio.output.withUnsafeBytes { [Float]($0.bindMemory(to: Float.self)) }
        var onsets: [Double] = []
        var last = -48_000
        for (index, sample) in samples.enumerated() where abs(sample) > 0.15 {
            if index - last > 24_000 { onsets.append(Double(index) / 48_000) }
            last = index
        }
        let expected =
            Array(stride(from: 0.0, to: Self.length, by: 20))
            + Array(stride(from: Self.late + 10, to: Self.late + Self.length, by: 20))
        #expect(onsets.count == expected.count, "\(onsets.count)")
        for (onset, wanted) in zip(onsets, expected.sorted()) {
            #expect(abs(onset - wanted) < 0.002, "\(onset) \(wanted)")
        }
    }
}
