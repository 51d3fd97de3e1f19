import CommandInterface
import Foundation

/// The similarity of two audio ranges and the delay between them. A pure value, computed from two lists of samples.
struct AudioCorrelation: Sendable, Equatable {
    enum Verdict: Equatable {
        /// Both ranges are inaudible.
        case silent
        case same
        /// The copy is late by this many seconds; negative for early.
        case shifted(Double)
        case different
    }

    let verdict: Verdict
    /// The correlation at the copy's expected position, −1 to 1.
    let correlation: Double

    /// The root mean square below which audio counts as silent: −66 dB of full scale.
    private static let silence = 0.0005
    /// The minimum correlation of the same audio in a different codec. Noise may have less, because a codec such as AAC
    /// replaces it with generated noise; noise is therefore compared by its level.
    private static let least = 0.7
    /// The correlation above which no other position is searched.
    private static let alike = 0.97
    /// The minimum gain in correlation for which another position replaces the expected one, if the correlation at the
    /// expected position is below `least`.
    private static let advantage = 0.2
    /// The minimum gain that replaces `advantage` if the correlation at the expected position is not below `least`.
    private static let smallAdvantage = 0.05
    /// A shift that is inaudible: 5 ms, in samples.
    private static let slack = AudioComparer.rate / 200
    /// The maximum ratio of two levels of noise that count as equal: 6 dB.
    private static let loudness = 2.0

    /// Compares two ranges.
    ///
    /// - Parameters:
    ///   - copy: The copy's range, with equal margins on both sides.
    ///   - source: The source's range.
    ///   - tolerance: The maximum shift, in samples, that still counts as the expected position.
    init(copy: [Float], source: [Float], tolerance: Int = 1) {
        let margin = max(0, (copy.count - source.count) / 2)
        let (level, copyLevel) = (Self.rms(source[...]), Self.rms(copy.dropFirst(margin).prefix(source.count)))
        guard level >= Self.silence || copyLevel >= Self.silence else {
            (verdict, correlation) = (.silent, 0)
            return
        }
        let places = max(0, margin - tolerance)...max(0, min(margin + tolerance, copy.count - source.count))
        let here = places.map { Self.correlation(copy, source, at: $0) }.max() ?? 0
        correlation = here
        if here >= Self.alike {
            verdict = .same
            return
        }
        // Timestamps in full milliseconds shift a tone by some samples.
        let near = Self.bestPlace(copy, source, from: margin - Self.slack, until: margin + Self.slack)
        if let near, near.value >= Self.alike {
            verdict = .same
            return
        }
        let found = max(here, near?.value ?? here)
        // A tone resembles itself a few periods later. Only changes of the tone show its true position.
        let advantage = found >= Self.least ? Self.smallAdvantage : Self.advantage
        if let far = Self.bestPlace(copy, source), far.value > max(found + advantage, 0.5) {
            verdict = .shifted(Double(far.place - margin) / Double(AudioComparer.rate))
            return
        }
        if found >= Self.least {
            verdict = .same
            return
        }
        let ratio = max(level, copyLevel) / max(min(level, copyLevel), 1e-9)
        verdict = ratio <= Self.loudness && found > -Self.least && Self.isNoise(source) ? .same : .different
    }

    private static func rms(_ samples: ArraySlice<Float>) -> Double {
        samples.isEmpty
            ? 0 : (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)).squareRoot()
    }

    /// Returns true for noise: steady audio without repetition, whose samples do not predict later ones.
    private static func isNoise(_ samples: [Float]) -> Bool {
        let block = AudioComparer.rate / 20
        let levels = stride(from: 0, to: samples.count - block + 1, by: block).map { rms(samples[$0..<$0 + block]) }
        guard let loudest = levels.max(), let softest = levels.min(), softest > 0, loudest / softest < 3 else {
            return false
        }
        // A tone resembles itself some time later; noise does not.
        let half = Array(samples.suffix(samples.count / 2))
        return bestPlace(samples, half, until: samples.count / 2 - slack).map { $0.value <= 0.5 } ?? true
    }

    private static func correlation(_ copy: [Float], _ source: [Float], at place: Int, step: Int = 1) -> Double {
        copy.withUnsafeBufferPointer { copy in
            source.withUnsafeBufferPointer { source in
                var (product, squareA, squareB) = (Float(0), Float(0), Float(0))
                var index = 0
                let count = min(source.count, copy.count - place)
                while index < count {
                    let (a, b) = (copy[place + index], source[index])
                    product += a * b
                    squareA += a * a
                    squareB += b * b
                    index += step
                }
                let scale = Double(squareA).squareRoot() * Double(squareB).squareRoot()
                return scale > 0 ? Double(product) / scale : 0
            }
        }
    }

    /// Returns the position at which the copy matches the source best, and the correlation; nil if there is no match.
    private static func bestPlace(
        _ copy: [Float], _ source: [Float], from start: Int = 0, until end: Int = .max
    ) -> (place: Int, value: Double)? {
        let (first, last) = (max(0, start), min(copy.count - source.count, end))
        guard !source.isEmpty, first <= last else { return nil }
        var best: (place: Int, value: Double)?
        // A part is enough to find the position; the full range confirms it.
        let part = Array(source.prefix(AudioComparer.rate / 4))
        for place in first...last {
            let value = correlation(copy, part, at: place)
            if value > best?.value ?? 0.3 { best = (place, value) }
        }
        return best.map { ($0.place, correlation(copy, source, at: $0.place)) }
    }
}

/// The combined result of all ranges.
struct AudioCorrelationTally: Sendable {
    private var heard = 0
    private var sum = 0.0
    private var shifts: [(time: Double, offset: Double)] = []
    private var different: [Double] = []

    mutating func add(_ similarity: AudioCorrelation, at time: Double) {
        switch similarity.verdict {
        case .silent: return
        case .same: break
        case .shifted(let offset): shifts.append((time, offset))
        case .different: different.append(time)
        }
        heard += 1
        sum += similarity.correlation
    }

    /// The mean correlation of all ranges; nil if all were silent.
    var similarity: Double? { heard > 0 ? sum / Double(heard) : nil }

    /// The median of the shifts in seconds.
    var offset: Double? {
        guard heard > 0, different.count < heard else { return nil }
        let sorted = shifts.map(\.offset).sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }

    func differences(track: Int) -> [MovieComparison.Difference] {
        var found: [MovieComparison.Difference] = []
        if let first = shifts.first, let offset {
            let milliseconds = NumberText.fixed(abs(offset) * 1000, places: 0)
            found.append(
                .init(
                    .audioOffset, "its audio is \(milliseconds) ms \(offset < 0 ? "early" : "late")", track: track,
                    from: first.time))
        }
        if let first = different.first {
            found.append(
                .init(
                    .audio,
                    "its audio differs in \(different.count) of \(heard) compared excerpts",
                    track: track, from: first))
        }
        return found
    }
}
