import Demuxing
import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import Signing

/// Tests that a movie with the verdict genuine shows what was signed, whatever the forgery: FFmpeg decodes the same
/// frames and the same audio at the same times, and finds the same tracks.
///
/// RECORDER_FORGERIES is the number of forgeries, RECORDER_FORGERY_SEED the first seed; `scripts/soak forgeries` runs
/// 1,000 and also checks what FFmpeg shows of those that were found.
@Suite(.timeLimit(.minutes(600))) struct ForgeryTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["RECORDER_FORGERIES"].flatMap { Int($0) }
    private static let firstSeed = environment["RECORDER_FORGERY_SEED"].flatMap { UInt64($0) } ?? 1

    private struct Original {
        let name: String
        let bytes: [UInt8]
        let key: String
        var shown = Shown()
        /// Frames after the end of a cut that it stores, or may store. The end of a cut is not signed.
        var behind: Set<String> = []
    }

    /// FFmpeg's decoding of a file.
    private struct Shown: Equatable {
        var streams: [String] = []
        /// Stream, time and hash of each frame.
        var frames: [String] = []

        /// The frames before a time, in seconds.
        func before(_ end: Double) -> [String] {
            frames.filter { Double($0.split(separator: " ")[1]).map { $0 < end - 0.1 } ?? true }
        }
    }

    private static func originals(in directory: String) async throws -> [Original] {
        let corpus = Project.path("Tests/Corpus/0.2.0-dev")
        var originals = try ["signed.mov", "signed.mp4", "signed-pcm.mov", "signed-torn.recording.mov"].map {
            Original(
                name: $0, bytes: Array(try Data(contentsOf: URL(fileURLWithPath: corpus + "/" + $0))),
                key: try String(contentsOfFile: corpus + "/key.pub", encoding: .utf8))
        }
        let own = SignedMovie.key.publicKey.pem
        originals.append(Original(name: "own.mov", bytes: SignedMovie.one.finished, key: own))
        originals.append(Original(name: "own.recording.mov", bytes: SignedMovie.one.growing, key: own))
        let cut = try await SignedCut(SignedMovie.one.finished, 1.3...2.9)
        let longer = try await SignedCut(SignedMovie.one.finished, 1.3...4)
        originals.append(
            Original(
                name: "cut.mov", bytes: cut.bytes, key: own, behind: Set(try shown(longer.bytes, in: directory).frames))
        )
        originals.append(Original(name: "own-pcm.mov", bytes: SignedPCM.finished, key: own))
        for (name, range, media) in [
            ("cut-pcm.mov", 0.3...1.7, [.video, .audio]), ("cut-pcm-leaf.mov", 0.6...0.9, [.video, .audio]),
            ("cut-pcm-audio.mov", 0.1...1.2, [.audio]),
        ] as [(String, ClosedRange<Double>, Set<MediaType>)] {
            let cut = try await SignedCut(SignedPCM.finished, range, media: media)
            let longer = try await SignedCut(SignedPCM.finished, range.lowerBound...2, media: media)
            #expect(cut.statement?.fragments.contains { $0.rest != nil } == true, "\(name)")
            originals.append(
                Original(
                    name: name, bytes: cut.bytes, key: own,
                    behind: Set(try shown(longer.bytes, in: directory).frames)))
        }
        for index in originals.indices {
            originals[index].shown = try shown(originals[index].bytes, in: directory)
            #expect(!originals[index].shown.frames.isEmpty, "\(originals[index].name)")
        }
        return originals
    }

    /// Counts for one original.
    private struct Tally {
        var forgeries = 0
        var others = 0
        var genuine = 0
    }

    @Test func forgery_ofAnyKind_isFoundOrShowsTheSame() async throws {
        let temporary = try TemporaryDirectory()
        let directory = temporary.url.path
        let originals = try await Self.originals(in: directory)
        var (genuine, others, byPlayer) = (0, 0, 0)
        var tallies: [String: Tally] = [:]
        for number in 0..<(Self.count ?? 350) {
            let original = originals[number % originals.count]
            let forgery = Forgery(Self.firstSeed &+ UInt64(number), of: original.bytes)
            var verifier = MovieVerifier(key: try VerificationKey(pem: original.key))
            let answer = try verifier.verify(MemoryStorage(forgery.bytes), name: "movie.mov")
            // Counts the forgeries that only the comparison with libavformat's parser finds, not the list of permitted
            // atoms.
            if answer.verdict == .genuine, let presentation = verifier.presentation {
                try Data(forgery.bytes).write(to: URL(fileURLWithPath: directory + "/played.mov"))
                if let played = try? PlayersView.tracks(directory + "/played.mov"),
                    !presentation.problems(played: played).isEmpty
                {
                    byPlayer += 1
                }
            }
            tallies[original.name, default: Tally()].forgeries += 1
            guard answer.verdict == .genuine || Self.count != nil else { continue }
            let shown = try Self.shown(forgery.bytes, in: directory)
            let isSame = Self.isSame(shown, original, answer)
            if !isSame {
                others += 1
                tallies[original.name]?.others += 1
            }
            guard answer.verdict == .genuine else { continue }
            genuine += 1
            tallies[original.name]?.genuine += 1
            #expect(
                isSame || shown.frames.isEmpty,
                "\(original.name), \(forgery.text) is genuine, and FFmpeg shows \(shown.streams), \(shown.frames.count) frames"
            )
        }
        if let count = Self.count {
            for (name, tally) in tallies.sorted(by: { $0.key < $1.key }) {
                print(
                    "\(name): \(tally.forgeries) forgeries, FFmpeg shows something else of \(tally.others), "
                        + "\(tally.genuine) are genuine")
            }
            print(
                "\(count) forgeries: FFmpeg shows something else of \(others), \(genuine) are genuine, \(byPlayer) of them not to libavformat"
            )
        }
    }

    /// Returns true if FFmpeg shows the same. A tail may be missing and a cut may end anywhere: both are reported.
    private static func isSame(_ shown: Shown, _ source: Original, _ answer: Verification) -> Bool {
        let original = source.shown
        return switch answer.ending {
        case .signed: shown == original
        case .cut:
            shown.streams == original.streams
                && Set(shown.frames).isSubset(of: source.behind.union(original.frames))
        default:
            shown.streams == original.streams && shown.before(answer.duration) == original.before(answer.duration)
        }
    }

    @Test func original_ofEachKind_isGenuineToLibavformat() async throws {
        let temporary = try TemporaryDirectory()
        let directory = temporary.url.path
        for original in try await Self.originals(in: directory) {
            let path = directory + "/" + original.name
            try Data(original.bytes).write(to: URL(fileURLWithPath: path))
            var verifier = MovieVerifier(key: try VerificationKey(pem: original.key))
            let answer = try verifier.verify(MemoryStorage(original.bytes), name: path)
            #expect(answer.verdict == .genuine, "\(original.name): \(answer.problems)")
            guard let presentation = verifier.presentation else { continue }
            let played = try PlayersView.tracks(path)
            #expect(played.contains { $0.kind != .other && $0.packets.count > 3 }, "\(original.name)")
            #expect(presentation.problems(played: played) == [], "\(original.name)")
        }
    }

    private static func shown(_ bytes: [UInt8], in directory: String) throws -> Shown {
        let path = directory + "/shown.mov"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let streams = try Command.run(
            "ffprobe", "-v", "quiet", "-show_entries",
            "stream=index,id,codec_type,codec_name,width,height,sample_rate,channels:stream_disposition=attached_pic"
                + ":chapter=start,end", "-of", "compact", path)
        let frames = try Command.run(
            "ffmpeg", "-v", "quiet", "-i", path, "-map", "0:v?", "-map", "0:a?", "-fps_mode", "passthrough", "-f",
            "framemd5", "-")
        var shown = Shown(streams: streams.text.split(separator: "\n").map(String.init))
        var bases: [Substring: Double] = [:]
        for line in frames.text.split(separator: "\n") {
            let fields = line.split(whereSeparator: { " ,:/".contains($0) })
            if line.hasPrefix("#tb"), fields.count == 4, let scale = Double(fields[3]) {
                bases[fields[1]] = (Double(fields[2]) ?? 1) / scale
            } else if !line.hasPrefix("#"), fields.count == 6, let time = Double(fields[2]) {
                shown.frames.append("\(fields[0]) \(time * (bases[fields[0]] ?? 1)) \(fields[5])")
            }
        }
        return shown
    }
}
