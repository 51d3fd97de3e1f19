import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// What FFmpeg still decodes of a damaged recording is in the repaired one too, but for a group of pictures around each
/// damage.
///
/// RECORDER_MUTATIONS says how many recordings are damaged, RECORDER_MUTATION_SEED with which first; `scripts/soak mutations`
/// asks for 2000.
@Suite(.timeLimit(.minutes(600))) struct MutationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["RECORDER_MUTATIONS"].flatMap { Int($0) } ?? 36
    private static let firstSeed = environment["RECORDER_MUTATION_SEED"].flatMap { UInt64($0) } ?? 1

    /// A recording that was not finished, and what it held.
    private struct Original {
        var bytes: [UInt8]
        var edges: [Int]
        var frames: Set<String>
        var largestSample: Int
        /// Pictures in a group, and packets of sound in the time of one.
        var group: Int

        init(_ recording: Recording, tracks: Set<Int>) throws {
            let storage = MemoryStorage()
            let ids = tracks.sorted()
            let writer = MovieFileWriter(
                storage: storage, timeScale: 1_000_000, creationTime: 0, metadata: [],
                tracks: ids.map { recording.tracks[$0] }, sessionStart: recording.sessionStart)
            // Shorter fragments than its seconds: more of them to damage.
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

    /// Each picture by its pixels, each packet of sound by its bytes.
    private static func frames(_ bytes: [UInt8]) throws -> Set<String> {
        try judge(bytes) { path in
            let result = try Command.run(
                "ffmpeg", "-v", "quiet", "-i", path, "-map", "0:v?", "-map", "0:a?", "-c:a", "copy", "-fps_mode",
                "passthrough", "-f", "framemd5", "-")
            // Of what it cannot read at all it says nothing.
            let lines = result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            return Set(
                lines.compactMap { line in
                    let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                    guard fields.count >= 6 else { return nil }
                    // Sound and pictures are told apart by their sizes.
                    return fields[4] + ":" + fields[5]
                })
        }
    }

    /// Where the final header of a finished file begins.
    private static func mediaEnd(_ bytes: [UInt8]) throws -> Int {
        var atoms = try TopLevelAtoms(MemoryStorage(bytes))
        return Int(try #require(try atoms.header(at: 28)).end)
    }

    private static let originals = Result {
        let recording = try Recording(seconds: 6)
        return try [[0, 1], [0], [1]].map { try Original(recording, tracks: $0) }
    }

    @Test func whatOthersDecodeOfADamagedRecordingIsInTheRepairedOne() throws {
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
                // Only zeros were at its end, and the sample that they begin in.
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
        print("damaged \(Self.count): \(kept) repaired, \(refused) refused, at most \(worst) pictures and packets lost")
        #expect(kept > Self.count * 8 / 10)
    }
}
