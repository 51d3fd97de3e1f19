import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of `Interleaving`, the rule for which source may continue, without threads.
@Suite struct InterleavingTests {
    private func seconds(_ seconds: Double) -> MediaTime { MediaTime(seconds: seconds) }

    private func interleaving(_ takesPart: [Bool], interval: Double = 1, start: MediaTime = .zero) -> Interleaving {
        var interleaving = Interleaving(fragmentInterval: seconds(interval), takesPart: takesPart)
        interleaving.begin(at: start)
        return interleaving
    }

    @Test func interleaving_sourceAheadByMoreThanTheWindow_waits() {
        var pair = interleaving([true, true])
        _ = pair.advance(0, to: seconds(1))
        #expect(pair.mayContinue(0) && pair.mayContinue(1))
        _ = pair.advance(0, to: seconds(1.001))
        #expect(!pair.mayContinue(0) && pair.mayContinue(1))
        let frees = pair.advance(1, to: seconds(0.001))
        #expect(frees && pair.mayContinue(0))
        // No source waits any more, so none is woken.
        let wakes = pair.advance(1, to: seconds(0.5))
        #expect(!wakes)
    }

    @Test func window_isTheFragmentIntervalUpToOneSecond() {
        #expect(interleaving([true], interval: 0.25).window == seconds(0.25))
        #expect(interleaving([true], interval: 60).window == seconds(1))
    }

    @Test func interleaving_sourceEnds_releasesTheOthers() {
        var three = interleaving([true, true, true])
        _ = three.advance(0, to: seconds(5))
        _ = three.advance(1, to: seconds(3))
        let freesNoTrack = three.release(1)
        #expect(!freesNoTrack && !three.mayContinue(0))
        let frees = three.release(2)
        #expect(frees && three.mayContinue(0))
        _ = three.advance(0, to: seconds(500))
        #expect(three.mayContinue(0))
    }

    @Test func interleaving_liveOrSparseTrack_isIgnored() {
        var mixed = interleaving([true, false, true])
        _ = mixed.advance(0, to: seconds(0.5))
        _ = mixed.advance(2, to: seconds(0.5))
        _ = mixed.advance(0, to: seconds(1.5))
        #expect(mixed.mayContinue(0) && mixed.mayContinue(1) && mixed.mayContinue(2))
        let counts = mixed.advance(1, to: seconds(100))
        #expect(!counts && mixed.mayContinue(1))
    }

    @Test func interleaving_singleSource_neverWaits() {
        var alone = interleaving([true])
        _ = alone.advance(0, to: seconds(1e6))
        #expect(alone.mayContinue(0))
    }

    @Test func interleaving_earlierTime_doesNotMoveBack() {
        var pair = interleaving([true, true])
        _ = pair.advance(0, to: seconds(3))
        let moves = pair.advance(0, to: seconds(1))
        #expect(!moves && !pair.mayContinue(0))
    }

    @Test func interleaving_negativeSessionStart_beginsThere() {
        var pair = interleaving([true, true], start: seconds(-1000))
        #expect(pair.mayContinue(0) && pair.mayContinue(1))
        _ = pair.advance(0, to: seconds(-998))
        #expect(!pair.mayContinue(0))
    }

    @Test func interleaving_randomOrder_neverDeadlocksOrRunsAhead() {
        // Samples last 1 to 500 ms; the sources take turns at random.
        let random = SyntheticMedia.noise(40_000)
        var tracks = interleaving([true, true, true, true])
        var times = [Int64](repeating: 0, count: 4)
        for step in stride(from: 0, to: random.count, by: 2) {
            let free = (0..<4).filter { tracks.mayContinue($0) }
            #expect(!free.isEmpty)
            let chosen = free[Int(random[step]) % free.count]
            times[chosen] += Int64(random[step + 1]) * 2 + 1
            _ = tracks.advance(chosen, to: MediaTime(value: times[chosen], timescale: 1000))
            #expect(times.max()! - times.min()! <= 1000 + 511)
        }
    }
}
