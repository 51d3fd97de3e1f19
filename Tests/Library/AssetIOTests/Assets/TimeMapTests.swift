import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of `TimeMap`: times are converted from one clock to another and back, and keep their order.
struct TimeMapTests {
    private static func time(_ seconds: Double) -> MediaTime { MediaTime(seconds: seconds, timescale: 1_000_000_000) }

    private static func piece(_ source: (Double, Double), _ target: (Double, Double)) -> TimeMap.Piece {
        TimeMap.Piece(
            source: TimeRange(start: time(source.0), end: time(source.1)),
            target: TimeRange(start: time(target.0), end: time(target.1)))
    }

    /// A random map with rates as real clocks have them, and steps of all lengths.
    private static func map(_ random: inout SeededRandom) throws -> TimeMap {
        var (source, target) = (0.0, Double.random(in: 0...10, using: &random))
        var pieces: [TimeMap.Piece] = []
        for _ in 0..<Int.random(in: 1...50, using: &random) {
            let length = Double.random(in: 0.001...100, using: &random)
            let rate = Bool.random(using: &random) ? 1 : Double.random(in: 0.9995...1.0005, using: &random)
            pieces.append(piece((source, source + length), (target, target + length * rate)))
            source += length
            target += length * rate + (Bool.random(using: &random) ? Double.random(in: 0...20, using: &random) : 0)
        }
        return try #require(TimeMap(pieces))
    }

    @Test(arguments: 0..<50) func timeMap_anyPieces_risesAndIsInvertible(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let map = try Self.map(&random)
        let end = try #require(map.pieces.last).source.end.seconds + 5
        // Times as a track counts them, in 1/90,000 s.
        let ticks = (0..<2000).map { _ in Int64.random(in: -90_000...Int64(end * 90_000), using: &random) }.sorted()
        var last: (source: MediaTime, target: MediaTime)?
        for tick in Set(ticks).sorted() {
            let source = MediaTime(value: tick, timescale: 90_000)
            let target = map.target(of: source)
            if let last {
                let (passed, came) = (source - last.source, target - last.target)
                #expect(came.seconds >= passed.seconds * 0.999 - 2e-9)
            }
            #expect(abs((map.source(of: target) - source).nanoseconds) <= 2)
            last = (source, target)
        }
        for (piece, next) in zip(map.pieces, map.pieces.dropFirst()) where next.target.start > piece.target.end {
            // No source time maps into a step.
            let middle = piece.target.end + MediaTime(value: 1, timescale: 1_000_000_000)
            #expect(map.source(of: middle) == piece.source.end || next.target.start <= middle)
        }
    }

    @Test func timeMap_tenHours_doesNotAccumulateRounding() throws {
        // Ten hours at 100 ppm, in packets of 1,024 audio frames at 48 kHz.
        let map = try #require(TimeMap([Self.piece((0, 36_000), (0, 36_003.6))]))
        let packets: Int64 = 36_000 * 48_000 / 1024
        for packet in stride(from: 0, through: packets, by: 997) {
            let time = map.target(of: MediaTime(value: packet * 1024, timescale: 48_000))
            let expected = Double(packet * 1024) / 48_000 * 1.0001
            #expect(abs(time.seconds - expected) < 2.036e-9)
        }
    }

    @Test func timeMap_pureShift_isExact() throws {
        let later = TimeMap.Piece(
            source: TimeRange(start: .zero, end: .positiveInfinity),
            target: TimeRange(start: MediaTime(value: 1, timescale: 3), end: .positiveInfinity))
        let map = try #require(TimeMap([later]))
        #expect(map.shift == MediaTime(value: 1, timescale: 3))
        #expect(
            map.target(of: MediaTime(value: 1001, timescale: 30_000)) == MediaTime(value: 11_001, timescale: 30_000))
    }

    @Test func timeMap_stepBackOrNoLength_isNil() {
        #expect(TimeMap([]) == nil)
        #expect(TimeMap([Self.piece((0, 0), (0, 1))]) == nil && TimeMap([Self.piece((0, 1), (1, 1))]) == nil)
        #expect(TimeMap([Self.piece((0, 1), (0, 1)), Self.piece((1, 2), (0.9, 2))]) == nil)
        #expect(TimeMap([Self.piece((0, 1), (0, 1)), Self.piece((1.5, 2), (2, 3))]) == nil)
    }
}
