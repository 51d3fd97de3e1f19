import AssetIO
import CommandInterface
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieCommands

/// Recordings of the same time become one movie, with each track at its clock's time. FFmpeg is the judge.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CombinerTests {
    /// Makes two seconds of a pattern and a tone, like a recorder's movie.
    private func movie(
        _ name: String, _ clock: RecordingClock?, in directory: TemporaryDirectory, size: String = "320x180"
    ) throws -> URL {
        let path = directory.path(name)
        var words = [
            "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=\(size):rate=25:duration=2", "-f",
            "lavfi",
            "-i", "sine=440:duration=2", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac",
        ]
        if let clock {
            words += ["-movflags", "use_metadata_tags", "-metadata", "recorder.clock=\(clock.metadataItem.value)"]
        }
        let made = try Command.run(words + [path])
        guard made.status == 0 else { throw Command.Failure(description: made.errors) }
        return URL(fileURLWithPath: path)
    }

    private func clock(_ start: Double, boot: String = "a") -> RecordingClock {
        RecordingClock(boot: boot, start: start, wall: [.init(at: start, wall: 1_800_000_000 + start)])
    }

    private func combine(_ request: CombineRequest) async throws -> ReencodeSummary {
        try await ReencodeRun(Combiner(request).reencoder, isQuiet: true).run()
    }

    @Test func combine_recordingsThatDoNotOverlap_isRefused() async throws {
        let directory = try TemporaryDirectory()
        let inputs = [
            try movie("late.mov", clock(1442), in: directory), try movie("early.mov", clock(100.0), in: directory),
        ]
        do throws(RecordingFailure) {
            _ = try await Combiner(CombineRequest(inputs: inputs, output: directory.file("both.mov")))
            Issue.record("it was not refused")
        } catch {
            #expect(ExitCode(for: error) == .usage)
            let text = error.error.description
            #expect(text.contains("late.mov begins 22 min 20 s after the end of early.mov"), "\(text)")
            #expect(text.contains("recorder reencode early.mov late.mov"), "\(text)")
        }
    }

    @Test(arguments: ["tv", "pc"]) func combine_layout_keepsColorTags(range: String) async throws {
        let directory = try TemporaryDirectory()
        let inputs = try ["a.mov", "b.mov"].map { name in
            let plain = try movie("plain-" + name, clock(100), in: directory)
            let tagged = directory.path(name)
            let made = try Command.run(
                "ffmpeg", "-v", "error", "-y", "-i", plain.path, "-c", "copy", "-bsf:v",
                "h264_metadata=colour_primaries=1:transfer_characteristics=1:matrix_coefficients=1:video_full_range_flag="
                    + (range == "pc" ? "1" : "0"), "-movflags", "use_metadata_tags", "-map_metadata", "0", tagged)
            #expect(made.status == 0, "\(made.errors)")
            return URL(fileURLWithPath: tagged)
        }
        var request = CombineRequest(inputs: inputs, output: directory.file("o.mov"))
        request.layout = .sideBySide
        _ = try await combine(request)
        let shown = try Command.run(
            "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries",
            "stream=color_range,color_space,color_transfer,color_primaries", "-of", "csv=p=0",
            directory.path("o.mov"))
        #expect(shown.text == "\(range),bt709,bt709,bt709\n")
    }

    @Test func combine_differentStartTimes_placesTracksByTheirClocks() async throws {
        let directory = try TemporaryDirectory()
        let inputs = [
            try movie("late.mov", clock(101.52), in: directory), try movie("early.mov", clock(100.0), in: directory),
        ]
        let output = directory.file("both.mov")
        _ = try await combine(CombineRequest(inputs: inputs, output: output))
        let shown = try Command.run(
            "ffprobe", "-v", "warning", "-show_entries", "stream=codec_type,start_time,nb_frames", "-of", "csv=p=0",
            output.path)
        #expect(shown.errors.isEmpty, "\(shown.errors)")
        let lines = shown.text.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
        #expect(lines.map { $0[0] } == ["video", "video", "audio", "audio"])
        // Audio begins with the packet that its decoder needs before.
        for (line, start) in zip(lines, [1.52, 0, 1.52, 0]) {
            #expect(Double(line[1]).map { abs($0 - start) < 0.03 } == true, "\(line)")
        }
        #expect(lines.filter { $0[0] == "video" }.allSatisfy { $0[2] == "50" })
        let decoded = try Command.run("ffmpeg", "-v", "error", "-i", output.path, "-map", "0", "-f", "null", "-")
        #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(decoded.errors)")
    }

    /// Returns the distances of a track's frames or packets above 50 ms, in milliseconds.
    private func distances(_ url: URL, _ track: String) throws -> [Int] {
        let shown = try Command.run(
            "ffprobe", "-v", "error", "-select_streams", track, "-show_entries", "packet=pts_time", "-of", "csv=p=0",
            url.path)
        let times = shown.text.split(whereSeparator: { "\n,".contains($0) }).compactMap { Double($0) }.sorted()
        return zip(times.dropFirst(), times).map { Int((($0 - $1) * 1000).rounded()) }.filter { $0 > 50 }
    }

    private func paused(_ clock: RecordingClock, _ pauses: (time: Double, duration: Double)...) -> RecordingClock {
        var clock = clock
        clock.pauses = pauses.map { .init(time: $0.time, duration: $0.duration) }
        return clock
    }

    @Test func combine_pausedRecordings_staysInSyncAndOmitsSharedPause() async throws {
        let directory = try TemporaryDirectory()
        let inputs = [
            // One is paused from 100.5 to 101.5 and from 102.5 to 107.5, the other one from 101 to 107.
            try movie("a.mov", paused(clock(100), (0.5, 1), (1.5, 5)), in: directory),
            try movie("b.mov", paused(clock(100), (1, 6)), in: directory),
        ]
        let output = directory.file("both.mov")
        let request = CombineRequest(inputs: inputs, output: output)
        let combiner = try await Combiner(request)
        #expect(combiner.account == "in sync by the machine's own clock; 5.0 s without any recording are left out")
        _ = try await ReencodeRun(combiner.reencoder, isQuiet: true).run()
        // The frame before a pause is shown until the one after it.
        #expect(try distances(output, "v:0").map { ($0 + 5) / 10 } == [54, 54])
        #expect(try distances(output, "v:1").map { ($0 + 5) / 10 } == [104])
        let (gaps, other) = (try distances(output, "a:0"), try distances(output, "a:1"))
        #expect(gaps.count == 2 && gaps.allSatisfy { abs($0 - 521) < 25 }, "\(gaps)")
        #expect(other.count == 1 && other.allSatisfy { abs($0 - 1021) < 25 }, "\(other)")
        let shown = try Command.run(
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_type,start_time,nb_frames,duration", "-of",
            "csv=p=0",
            output.path)
        let lines = shown.text.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
        #expect(lines.filter { $0[0] == "video" }.map { $0[3] } == ["50", "50"], "\(shown.text)")
        let decoded = try Command.run("ffmpeg", "-v", "error", "-i", output.path, "-map", "0", "-f", "null", "-")
        #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(decoded.errors)")
    }

    @Test(arguments: [(CombineLayout.sideBySide, 640, 180), (.pictureInPicture, 320, 180)])
    func combine_layout_writesOneVideoAndOneAudioTrack(layout: CombineLayout, width: Int, height: Int) async throws {
        let directory = try TemporaryDirectory()
        var request = CombineRequest(
            inputs: [
                try movie("a.mov", clock(100), in: directory),
                try movie("b.mov", clock(100.4), in: directory, size: "640x360"),
            ], output: directory.file("both.mp4"))
        request.layout = layout
        let summary = try await combine(request)
        #expect(abs(summary.duration - 2.4) < 0.05)
        let shown = try Command.run(
            "ffprobe", "-v", "warning", "-show_entries", "stream=codec_type,width,height", "-of", "csv=p=0",
            request.output.path)
        #expect(shown.text == "video,\(width),\(height)\naudio\n", "\(shown.text)\(shown.errors)")
    }

    @Test func combine_recordingWithoutTime_isRefused() async throws {
        let directory = try TemporaryDirectory()
        let inputs = [try movie("a.mov", clock(1), in: directory), try movie("b.mov", nil, in: directory)]
        let error = await #expect(throws: RecordingFailure.self) {
            _ = try await Combiner(CombineRequest(inputs: inputs, output: directory.file("both.mov")))
        }
        #expect(error?.error.description.contains("b.mov: it has no recording time") == true)
    }

    /// A file may contain any number.
    @Test(arguments: [1e300, -1e300, 1e12]) func combine_impossibleClock_isRefused(start: Double) async throws {
        let directory = try TemporaryDirectory()
        let inputs = [try movie("a.mov", clock(start), in: directory), try movie("b.mov", clock(0), in: directory)]
        await #expect(throws: RecordingFailure.self) {
            _ = try await Combiner(CombineRequest(inputs: inputs, output: directory.file("both.mov")))
        }
    }
}
