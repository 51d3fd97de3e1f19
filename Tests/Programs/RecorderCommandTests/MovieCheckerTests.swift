import Foundation
import MediaTypes
import MovieCommands
import TestSupport
import Testing

/// Intact movies, and each kind of damage with its own verdict.
@Suite(.timeLimit(.minutes(10))) struct MovieCheckerTests {
    /// FFmpeg arguments for four seconds of video and audio.
    static let movie =
        "ffmpeg -v error -y -f lavfi -i testsrc2=s=160x120:r=25:d=4 -f lavfi -i sine=frequency=440:beep_factor=4:d=4 "
        + "-c:v libx264 -preset ultrafast -g 10 -c:a aac -ac 2"

    static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func make(_ name: String, _ more: String = "") throws -> URL {
        let url = directory.file(name)
        try MadeFile.copy(of: Self.words(Self.movie + " " + more), to: url)
        return url
    }

    private func damaged(_ url: URL, _ change: (inout Data) throws -> Void) throws -> URL {
        var bytes = try Data(contentsOf: url)
        try change(&bytes)
        try bytes.write(to: url)
        return url
    }

    private func verify(_ url: URL) async throws -> MovieCheck { try await MovieChecker().verify(url) }

    @Test(
        arguments: [
            ("a.mp4", ""), ("a.mov", ""), ("fast.mp4", "-movflags faststart"), ("b.mov", "-c:a pcm_s16le"),
            ("fragments.mp4", "-movflags frag_keyframe+empty_moov"), ("a.mkv", ""),
            ("order.mp4", "-preset veryfast -bf 3"),
        ])
    func verify_intactMovie_isOk(name: String, more: String) async throws {
        let movie = try await verify(try make(name, more))
        #expect(movie.verdict == .ok && movie.problems.isEmpty, "\(movie.text)")
        #expect(movie.frames == 100 && movie.channels == 2 && abs(movie.duration - 4) < 0.1, "\(movie.text)")
        #expect(movie.text.contains(": ok: 0:04, 100 frames, 2 channels"), "\(movie.text)")
    }

    /// A movie of that many tracks. A thousand in half a megabyte would take minutes.
    private static func silence(tracks: Int) throws -> URL {
        let words = Self.words("ffmpeg -v error -y -f lavfi -i anullsrc=r=8000:cl=mono:d=0.1 -c:a pcm_s16le")
        let maps = Array(repeating: ["-map", "0:a"], count: tracks).flatMap(\.self)
        return try MadeFile.of(words + maps, ending: "mov")
    }

    @Test func verify_manyTracks_areChecked() async throws {
        let movie = try await verify(Self.silence(tracks: 128))
        #expect(movie.verdict == .ok, "\(movie.text)")
    }

    /// The movie may be intact.
    @Test func verify_tooManyTracks_isUnsupported() async throws {
        let url = try Self.silence(tracks: 129)
        let error = await #expect(throws: MediaError.self) { try await verify(url) }
        #expect(error?.code == .unsupported)
        #expect(error?.reason.contains("it has 129 tracks, and at most 128") == true)
    }

    @Test func verify_zerosInTheMedia_areReportedWithTheirTime() async throws {
        let movie = try await verify(
            try damaged(make("a.mp4")) { bytes in
                let middle = bytes.count / 2
                bytes.replaceSubrange(middle..<middle + 3000, with: Data(count: 3000))
            })
        #expect(movie.verdict == .damaged, "\(movie.text)")
        let first = try #require(movie.problems.first { $0.kind == .decoding }, "\(movie.text)")
        #expect((1...3).contains(try #require(first.from)), "\(movie.text)")
        #expect(movie.frames < 100)
    }

    /// Makes a movie without some of its stored frames, as a network camera's recorder writes it, with its drop counts.
    ///
    /// - Parameter counted: the number of dropped frames in these counts.
    private func makeLossy(_ name: String, without frames: ClosedRange<Int>, counted: Int) throws -> URL {
        let whole = try MadeFile.of(
            Self.words("ffmpeg -v error -y -f lavfi -i testsrc2=s=160x120:r=25:d=4 -c:v libx264 -bf 0 -g 50"),
            ending: "mp4")
        let url = directory.file(name)
        let written = 100 - frames.count
        let counts = #"{"captured":\#(written + counted),"written":\#(written),"dropped":{"device":\#(counted)}}"#
        var arguments = ["ffmpeg", "-v", "error", "-y", "-i", whole.path, "-c", "copy"]
        arguments += ["-movflags", "use_metadata_tags"]
        arguments += ["-bsf:v", "noise=drop='between(n,\(frames.lowerBound),\(frames.upperBound))'"]
        if counted > 0 { arguments += ["-metadata", #"recorder.ledger={"video":\#(counts)}"#] }
        let result = try TestSupport.Command.run(arguments + [url.path])
        try #require(result.status == 0, "\(result.errors)")
        return url
    }

    /// One gap of three seconds, and a short one after each tenth packet.
    @Test(arguments: ["between(n,40,170)", "not(mod(n,10))"])
    func verify_gapsInAudio_areNoDamage(dropped: String) async throws {
        let url = directory.file("gaps.mov")
        let arguments = Self.words("ffmpeg -v error -y -f lavfi -i sine=frequency=440:d=8 -c:a aac -bsf:a")
        let result = try TestSupport.Command.run(arguments + ["noise=drop='\(dropped)'", url.path])
        try #require(result.status == 0, "\(result.errors)")
        let movie = try await verify(url)
        #expect(movie.verdict == .ok && movie.problems.isEmpty, "\(movie.text)")
    }

    /// After a gap that the numbers of the frames wrap in, libavcodec does not show the frames that follow.
    @Test func verify_countedLossWithinAGOP_isANote() async throws {
        let movie = try await verify(makeLossy("lossy.mov", without: 12...19, counted: 8))
        #expect(movie.verdict == .ok && movie.problems.isEmpty, "\(movie.text)")
        #expect(movie.notes.contains { $0.contains("8 frames were dropped during recording") }, "\(movie.text)")
        #expect(movie.notes.contains { $0.contains("without those that were dropped before them") }, "\(movie.text)")
        #expect(movie.frames < 92, "\(movie.text)")
    }

    @Test(arguments: [0, 7]) func verify_lossThatIsNotCounted_isDamage(counted: Int) async throws {
        let movie = try await verify(makeLossy("lossy.mov", without: 12...19, counted: counted))
        #expect(movie.verdict == .damaged, "\(movie.text)")
        #expect(movie.problems.contains { $0.kind == .counts || $0.kind == .decoding }, "\(movie.text)")
    }

    @Test func verify_damageAwayFromACountedLoss_isStillDamage() async throws {
        let movie = try await verify(
            damaged(makeLossy("lossy.mov", without: 12...19, counted: 8)) { bytes in
                let place = bytes.count * 3 / 4
                bytes.replaceSubrange(place..<place + 3000, with: Data(count: 3000))
            })
        #expect(movie.verdict == .damaged, "\(movie.text)")
        #expect(movie.problems.contains { $0.kind == .decoding && $0.from ?? 0 > 1.9 }, "\(movie.text)")
    }

    @Test(arguments: [("a.mp4", ""), ("fast.mp4", "-movflags faststart")])
    func verify_truncatedMovie_isReportedAsTruncated(name: String, more: String) async throws {
        let movie = try await verify(try damaged(make(name, more)) { $0 = $0.prefix($0.count * 2 / 3) })
        #expect(movie.verdict == .cutOff, "\(movie.text)")
        #expect(movie.problems.contains { $0.kind == .cutOff && $0.wayOut?.contains("copy it again") == true })
    }

    @Test(
        arguments: [
            // The number of samples in the first run; the offset of the first chunk.
            ("stts", 12, UInt32(93)), ("stco", 12, 0x7FFF_FFF0), ("stsz", 8, 1_000_000), ("stsc", 16, 0),
            // The sample description of the first chunk.
            ("stsc", 20, 2), ("stsc", 20, 0),
        ])
    func verify_contradictoryTables_areReported(table: String, place: Int, value: UInt32) async throws {
        let movie = try await verify(
            try damaged(make("a.mp4")) { bytes in
                let start = try #require(bytes.range(of: Data(table.utf8))).lowerBound + place
                bytes.replaceSubrange(start..<start + 4, with: withUnsafeBytes(of: value.bigEndian) { Data($0) })
            })
        #expect(movie.verdict == .damaged || movie.verdict == .cutOff, "\(movie.text)")
        #expect(movie.problems.contains { [.tables, .cutOff].contains($0.kind) && $0.track != nil }, "\(movie.text)")
    }

    @Test func verify_fileThatIsNotAMovie_isReportedAsSuch() async throws {
        for (name, bytes) in [
            ("empty.mov", Data()), ("text.mov", Data(String(repeating: "not a movie\n", count: 100).utf8)),
            ("zeros.mov", Data(count: 100_000)), ("short.mov", Data([0, 0, 0])),
        ] {
            let url = directory.file(name)
            try bytes.write(to: url)
            let movie = try await verify(url)
            #expect(movie.verdict == .notMovie && !movie.problems.isEmpty, "\(movie.text)")
        }
    }

    @Test func verify_missingFile_throwsNotFound() async throws {
        let error = await #expect(throws: MediaError.self) { try await verify(directory.file("gone.mov")) }
        #expect(error?.code == .notFound)
    }

    /// Random bytes cause no crash. The verdict is "ok" if and only if no problem is reported.
    @Test func verify_randomBytesAltered_givesAVerdictWithItsReasons() async throws {
        let url = try make("a.mp4")
        let whole = try Data(contentsOf: url)
        var random = SeededRandom(seed: 4)
        for number in 0..<25 {
            var bytes = whole
            // Half of the changes are in the header, which is at the end.
            let header = bytes.range(of: Data("moov".utf8))?.lowerBound ?? 0
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(
                    in: Bool.random(using: &random) ? header..<bytes.count : 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            try bytes.write(to: url)
            let movie = try await verify(url)
            #expect(movie.isIntact == movie.problems.isEmpty, "file \(number) of seed 4: \(movie.text)")
        }
    }

    @Test func verify_corpusRecordings_getTheirVerdicts() async throws {
        for name in ["finished.mov", "finished.mp4", "lossless.mov", "signed.mov", "signed-pcm.mov", "sound.m4a"] {
            let movie = try await verify(Project.file("Tests/Corpus/0.2.0-dev/" + name))
            #expect(movie.isIntact, "\(movie.text)")
        }
        for name in ["torn.recording.mov", "torn.recording.mp4", "signed-torn.recording.mov"] {
            let movie = try await verify(Project.file("Tests/Corpus/0.2.0-dev/" + name))
            #expect(movie.verdict == .torn, "\(movie.text)")
            #expect(movie.problems.first?.wayOut?.contains("recorder repair \(name)") == true, "\(movie.text)")
        }
        let unfinished = try await verify(Project.file("Tests/Corpus/0.2.0-dev/unfinished.recording.mov"))
        #expect(unfinished.verdict == .unfinished, "\(unfinished.text)")
    }

    /// Verification changes nothing, and detects a recorder that holds the file's lock.
    @Test func verify_fileBeingRecorded_isReportedAsSuch() async throws {
        let url = directory.file("t.recording.mov")
        let source = Project.file("Tests/Corpus/0.2.0-dev/unfinished.recording.mov")
        try Data(contentsOf: source).write(to: url)
        let descriptor = open(url.path, O_RDWR | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX) == 0)
        let movie = try await verify(url)
        #expect(movie.verdict == .recording, "\(movie.text)")
        close(descriptor)
        #expect(try await verify(url).verdict == .unfinished)
        #expect(try Data(contentsOf: url) == Data(contentsOf: source))
    }

    @Test func verifyCommand_severalFiles_exitsByTheWorstVerdict() async throws {
        try await Command.inDirectory { command in
            let work = command.path("work")
            try MadeFile.copy(of: Self.words(Self.movie), to: URL(fileURLWithPath: work + "/a.mp4"))
            try Data("not a movie".utf8).write(to: URL(fileURLWithPath: work + "/b.mp4"))
            let ok = try await command.run("verify", "a.mp4")
            #expect(ok.exitCode == 0 && ok.outputLines.count == 1, "\(ok.output)\(ok.errors)")
            let wrong = try await command.run("verify", "b.mp4", "a.mp4", "--json")
            #expect(wrong.exitCode == 65, "\(wrong.output)\(wrong.errors)")
            let object = try JSONSerialization.jsonObject(with: Data(wrong.output.utf8)) as? [String: Any]
            let files = try #require(object?["files"] as? [[String: Any]])
            #expect(files.map { $0["verdict"] as? String } == ["notMovie", "ok"])
            #expect(
                files.map { $0["frames"] as? Int } == [0, 100] && (object?["signatures"] as? [Any])?.isEmpty == true)
            let gone = try await command.run("verify", "gone.mp4", "b.mp4", "a.mp4")
            #expect(gone.exitCode == 66 && gone.errors.contains("gone.mp4"), "\(gone.output)\(gone.errors)")
            let usage = try await command.run("verify", "a.mp4", "--signature-only")
            #expect(usage.exitCode == 64)
            let against = try await command.run("verify", "a.mp4", "--against", "a.mp4")
            #expect(against.exitCode == 0 && against.output.contains("the same movie"), "\(against.output)")
        }
    }
}
