import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests that a repaired recording keeps everything that FFmpeg still decodes of the damaged one, except a GOP around
/// each damage.
///
/// RECORDER_MUTATIONS is the number of damaged recordings, RECORDER_MUTATION_SEED the first seed;
/// `scripts/soak mutations` runs 2000.
@Suite(.timeLimit(.minutes(600))) struct MutationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["RECORDER_MUTATIONS"].flatMap { Int($0) } ?? 36
    private static let firstSeed = environment["RECORDER_MUTATION_SEED"].flatMap { UInt64($0) } ?? 1

    /// An unfinished recording and its original contents.
    private struct Original {
        var bytes: [UInt8]
        var edges: [Int]
        var frames: Set<String>
        var largestSample: Int
        /// Frames per GOP, and audio packets in the time of one.
        var group: Int

        init(_ recording: Recording, tracks: Set<Int>) throws {
            let storage = MemoryStorage()
            let ids = tracks.sorted()
            let writer = MovieFileWriter(
                storage: storage, timeScale: 1_000_000, creationTime: 0, metadata: [],
                tracks: ids.map { recording.tracks[$0] }, sessionStart: recording.sessionStart)
            // Fragments shorter than the recording's seconds: more of them to damage.
            for fragment in recording.fragments {
                let own = fragment.filter { tracks.contains($0.track) }.map { sample in
                    var sample = sample
                    sample.track = ids.firstIndex(of: sample.track) ?? 0
                    return sample
                }
                let half = own.count / 2
                for part in [own[..<half], own[half...]] where !part.isEmpty { try writer.writeFragment(Array(part)) }
            }
            bytes = storage.bytes
            edges = try FinisherCrashTests.fragments(bytes).map(\.offset)
            frames = try MutationTests.frames(bytes)
            largestSample = recording.fragments.joined().reduce(0) { max($0, $1.sample.byteCount) }
            group = 80
        }
    }

    /// Each frame by its pixels, each audio packet by its bytes.
    private static func frames(_ bytes: [UInt8]) throws -> Set<String> {
        try judge(bytes) { path in
            let result = try Command.run(
                "ffmpeg", "-v", "quiet", "-i", path, "-map", "0:v?", "-map", "0:a?", "-c:a", "copy", "-fps_mode",
                "passthrough", "-f", "framemd5", "-")
            // FFmpeg prints nothing about tracks that it cannot read at all.
            let lines = result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            return Set(
                lines.compactMap { line in
                    let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                    guard fields.count >= 6 else { return nil }
                    // Audio and video differ in their sizes.
                    return fields[4] + ":" + fields[5]
                })
        }
    }

    /// The start of the final header of a finalized file.
    private static func mediaEnd(_ bytes: [UInt8]) throws -> Int {
        var atoms = try TopLevelAtoms(MemoryStorage(bytes))
        return Int(try #require(try atoms.header(at: 28)).end)
    }

    private static let originals = Result {
        let recording = try Recording(seconds: 6)
        return try [[0, 1], [0], [1]].map { try Original(recording, tracks: $0) }
    }

    @Test func repair_damagedRecording_keepsWhatFFmpegDecodes() throws {
        let originals = try Self.originals.get()
        var (kept, refused, worst) = (0, 0, 0)
        for number in 0..<Self.count {
            let seed = Self.firstSeed + UInt64(number)
            let original = originals[number % originals.count]
            var dice = Dice(seed: seed)
            let mutation = Mutation(&dice, size: original.bytes.count, edges: original.edges)
            let damaged = mutation.applied(to: original.bytes)
            let storage = MemoryStorage(damaged)
            do {
                try MovieFinisher.finish(storage)
            } catch {
                refused += 1
                #expect(storage.bytes == damaged, "seed \(seed), \(mutation): a refused file was changed")
                let left = try original.frames.intersection(Self.frames(damaged))
                #expect(
                    left.count <= original.group, "seed \(seed), \(mutation): refused with \(left.count) left: \(error)"
                )
                continue
            }
            kept += 1
            let once = storage.bytes
            if once.count < damaged.count {
                // Only zeros were cut from its end, and the sample in which they begin.
                let cut = try Self.mediaEnd(once) + original.largestSample
                #expect(
                    damaged.dropFirst(cut).allSatisfy { $0 == 0 },
                    "seed \(seed), \(mutation): of \(damaged.count) bytes \(cut) are left")
            }
            #expect(try MovieFinisher.finish(storage).wasFinishedAlready && storage.bytes == once)
            let left = try original.frames.intersection(Self.frames(damaged))
            let lost = try left.subtracting(Self.frames(once)).count
            worst = max(worst, lost)
            #expect(
                lost <= original.group * mutation.places, "seed \(seed), \(mutation): \(lost) of \(left.count) lost")
        }
        print("damaged \(Self.count): \(kept) repaired, \(refused) refused, at most \(worst) frames and packets lost")
        #expect(kept > Self.count * 8 / 10)
    }
}
