import Foundation
import MediaTypes
import MovieCommands
import TestSupport
import Testing

/// Copies whose timeline is shifted as a whole count as the same movie. Differences that need close inspection are
/// found.
@Suite(.timeLimit(.minutes(10))) struct MovieAlignmentTests {
    private let directory: TemporaryDirectory
    private let source: URL

    init() throws {
        directory = try TemporaryDirectory()
        source = directory.file("source.mp4")
        try MadeFile.copy(of: MovieCheckerTests.words(MovieCheckerTests.movie), to: source)
    }

    private func made(_ words: String, of input: URL? = nil, _ name: String = "copy.mp4") throws -> URL {
        let url = directory.file(name)
        let result = try TestSupport.Command.run(
            MovieCheckerTests.words(
                words.replacingOccurrences(of: "INPUT", with: (input ?? source).path).replacingOccurrences(
                    of: "OUTPUT", with: url.path)))
        #expect(result.status == 0, "\(result.errors)")
        return url
    }

    private static let copying = "ffmpeg -v error -y -i INPUT -c copy OUTPUT"

    @Test(arguments: ["mkv", "mov", "mp4", "ts"]) func compare_remuxWithShiftedTimeline_isTheSame(
        ending: String
    ) async throws {
        let copy = try made(Self.copying, "copy.\(ending)")
        let comparison = try await MovieComparer().compare(copy, against: source)
        #expect(comparison.isSame && comparison.tracks.count == 2, "\(comparison.text)")
        if ending == "mkv" {
            // AAC's priming has its place before the first audio.
            #expect(abs(comparison.offset - 0.023) < 0.002, "\(comparison.offset)")
            #expect(comparison.text.contains("everything is 23 ms later"), "\(comparison.text)")
        }
        // The copy of the copy matches as well; its times have been rounded to milliseconds.
        for name in ["again.mp4", "again.mov"] {
            let again = try made(Self.copying, of: copy, name)
            for one in [source, copy] {
                let comparison = try await MovieComparer().compare(again, against: one)
                #expect(comparison.isSame, "\(comparison.text)")
            }
        }
    }

    @Test func compare_lateMovieAndLateTrack_onlyTheTrackDiffers() async throws {
        let late = try made("ffmpeg -v error -y -itsoffset 0.3 -i INPUT -c copy OUTPUT", "late.mov")
        let comparison = try await MovieComparer().compare(late, against: source)
        #expect(comparison.isSame && abs(comparison.offset - 0.3) < 0.002, "\(comparison.text)")
        let torn = try made(
            "ffmpeg -v error -y -itsoffset 0.3 -i INPUT -i INPUT -map 0:v -map 1:a -c copy OUTPUT", "torn.mov")
        let other = try await MovieComparer().compare(torn, against: source)
        #expect(other.differences.contains { $0.kind == .audioOffset }, "\(other.text)")
    }

    @Test func compare_lateAudioOnlyMovie_isTheSame() async throws {
        let audio = try made("ffmpeg -v error -y -i INPUT -map 0:a -c copy OUTPUT", "audio.m4a")
        let copy = try made(Self.copying, of: audio, "audio.mkv")
        let comparison = try await MovieComparer().compare(copy, against: audio)
        #expect(comparison.isSame && (comparison.tracks.first?.audioCorrelation ?? 0) > 0.9, "\(comparison.text)")
    }

    @Test func compare_firstFrameMissing_isNotAnOffset() async throws {
        let copy = try made(
            "ffmpeg -v error -y -i INPUT -vf select=gt(n\\,0) -fps_mode passthrough -c:v libx264 -c:a copy OUTPUT")
        let comparison = try await MovieComparer().compare(copy, against: source)
        #expect(comparison.offset == 0 && comparison.differences.map(\.kind) == [.frames], "\(comparison.text)")
    }

    @Test(
        arguments: [
            // Every other second is gray; flipped; each frame is replaced by an earlier one.
            "drawbox=c=gray:t=fill:enable='gt(mod(n,50),24)'", "vflip", "hflip",
            "tpad=start=1:start_mode=clone,trim=end_frame=100", "drawbox=c=gray:t=fill:enable='lt(mod(n,50),5)'",
        ])
    func compare_changedFrames_areFound(filter: String) async throws {
        let copy = try made("ffmpeg -v error -y -i INPUT -vf \(filter) -c:v libx264 -crf 20 -c:a copy OUTPUT")
        let comparison = try await MovieComparer().compare(copy, against: source)
        #expect(comparison.differences.contains { $0.kind == .ssim }, "\(comparison.text)")
        if filter.hasPrefix("tpad") {
            #expect(comparison.differences.contains { $0.what.contains("the previous frame") }, "\(comparison.text)")
        }
    }

    @Test(
        arguments: [
            // Ten bits, ProRes, another size.
            "-c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -c:a copy",
            "-c:v prores_ks -profile:v 0 -c:a pcm_s16le",
            "-vf scale=80:60 -c:v libx264 -c:a copy",
        ])
    func compare_sameFramesInAnotherFormat_isTheSame(words: String) async throws {
        let copy = try made("ffmpeg -v error -y -i INPUT \(words) OUTPUT", "copy.mov")
        let comparison = try await MovieComparer().compare(copy, against: source)
        #expect(comparison.isSame, "\(comparison.text)")
    }

    @Test func compare_variableRateOrRotatedMovie_isTheSame() async throws {
        let uneven = try made(
            "ffmpeg -v error -y -i INPUT -vf select='not(eq(mod(n,7),3))' -fps_mode vfr -enc_time_base -1 -c:v libx264 "
                + "-c:a copy OUTPUT", "uneven.mov")
        let turned = try made(Self.copying, "turned.mov")
        try MovieRotation.set(clockwise: 270, in: turned)
        for movie in [uneven, turned] {
            var request = ReencodeRequest(inputs: [movie])
            request.output = directory.file("of-" + movie.lastPathComponent)
            _ = try await Reencoder(request).run()
            let comparison = try await MovieComparer().compare(
                directory.file("of-" + movie.lastPathComponent), against: movie)
            #expect(comparison.isSame, "\(comparison.text)")
        }
    }

    @Test func compare_toneMappedCopy_skipsTheFramesWithANote() async throws {
        let high = try made(
            "ffmpeg -v error -y -i INPUT -vf "
                + ColorTags.filter(primaries: "bt2020", transfer: "arib-std-b67", matrix: "bt2020nc")
                + " -pix_fmt yuv420p10le -c:v libx265 -preset ultrafast -c:a copy OUTPUT", "high.mov")
        let low = try made(
            "ffmpeg -v error -y -i INPUT -vf eq=brightness=0.2,\(ColorTags.bt709) -c:v libx264 -c:a copy OUTPUT",
            of: high, "low.mov")
        let comparison = try await MovieComparer().compare(low, against: high)
        #expect(comparison.isSame && comparison.notes.count == 1, "\(comparison.text)")
        #expect(comparison.text.contains("high dynamic range"), "\(comparison.text)")
        // Files of the same kind are compared.
        let same = try made(Self.copying, of: high, "same.mov")
        let other = try await MovieComparer().compare(same, against: high)
        #expect(other.isSame && other.notes.isEmpty && (other.tracks.first?.ssim ?? 0) > 0.99, "\(other.text)")
    }

    @Test func verify_droppedFramesReported_isOk() async throws {
        let account = #"{"video":{"captured":107,"written":100,"dropped":{"device":5,"encoder":2}}}"#
        let url = directory.file("lossy.mov")
        let result = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-y", "-i", source.path, "-c", "copy", "-movflags", "use_metadata_tags",
            "-metadata", "recorder.ledger=\(account)", url.path)
        #expect(result.status == 0, "\(result.errors)")
        let movie = try await MovieChecker().verify(url)
        #expect(movie.isIntact && movie.notes.count == 1, "\(movie.text)")
        #expect(
            movie.text.contains("(7 frames were dropped during recording: 5 device, 2 encoder)"), "\(movie.text)")
    }

    @Test func verify_onATerminal_showsItsProgress() async throws {
        try await Command.inDirectory { command in
            try MadeFile.copy(
                of: MovieCheckerTests.words(MovieCheckerTests.movie),
                to: URL(fileURLWithPath: command.path("work") + "/a.mp4"))
            let two = try await command.run("verify", "a.mp4", "a.mp4")
            #expect(two.exitCode == 0 && two.errors.isEmpty && two.outputLines.count == 2, "\(two.errors)")
            let words = [command.executablePath, "verify", "a.mp4", "a.mp4"]
            let screen = try Terminal.run([.await("░")], words, in: command)
            #expect(screen.failed == nil && screen.status == 0 && screen.shown.contains("%"), "\(screen)")
        }
    }
}
