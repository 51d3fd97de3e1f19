import Glibc
import MediaTypes
import Testing

/// Tests of CMTime's functions, one table each.
@Suite struct MediaTimeFunctionTests {
    private static func time(_ value: Int64, _ scale: Int32 = 1) -> MediaTime {
        MediaTime(value: value, timescale: scale)
    }

    private static func range(_ start: Int64, _ duration: Int64, _ scale: Int32 = 1) -> TimeRange {
        TimeRange(start: time(start, scale), duration: time(duration, scale))
    }

    /// Returns true if value and timescale are equal, which `==` does not require.
    private func isExactly(_ a: MediaTime, _ b: MediaTime) -> Bool { a.value == b.value && a.timescale == b.timescale }

    // MARK: Products

    static let products: [(MediaTime, Int32, MediaTime)] = [
        (time(3, 30), 4, time(12, 30)),
        (time(3, 30), -4, time(-12, 30)),
        (time(3, 30), 0, time(0, 30)),
        (time(.max, 600), 1, time(.max, 600)),
        (time(.max, 1), 2, .positiveInfinity),
        (time(.min, 1), 2, .negativeInfinity),
        (time(.min, 1), -1, .positiveInfinity),
        (.positiveInfinity, 3, .positiveInfinity),
        (.positiveInfinity, -3, .negativeInfinity),
        (.negativeInfinity, -3, .positiveInfinity),
        (.positiveInfinity, 0, .invalid),
        (.invalid, 2, .invalid),
    ]

    @Test func multiply_byInteger_isExactCoarserOrInfinite() {
        for (time, multiplier, expected) in Self.products {
            #expect(isExactly(time.multiplied(by: multiplier), expected), "\(time) × \(multiplier)")
        }
        // Too many ticks: a coarser scale holds them.
        let large = Self.time(.max, 600).multiplied(by: 2)
        #expect(large.isNumeric && large.timescale < 600 && abs(large.seconds / (Double(Int64.max) / 300) - 1) < 1e-15)
    }

    static let fractions: [(MediaTime, Double, MediaTime)] = [
        (time(10, 600), 1.5, time(15, 600)),
        (time(1, 1), 0.5, time(1, 2)),
        (time(1, 30), 0.25, time(1, 120)),
        (time(1, 30), -2, time(-2, 30)),
        (time(7, 30), 0, time(0, 30)),
        (time(0, 30), 1e300, time(0, 30)),
        (time(1, 1), 0x1p62, time(1 << 62, 1)),
        (time(1, 1), 0x1p63, .positiveInfinity),
        (time(-1, 1), 1e300, .negativeInfinity),
        (time(1, 1), .infinity, .positiveInfinity),
        (time(-1, 1), .infinity, .negativeInfinity),
        (time(0, 1), .infinity, .invalid),
        (time(1, 1), .nan, .invalid),
        (.positiveInfinity, -0.5, .negativeInfinity),
        (.positiveInfinity, 0, .invalid),
        (.invalid, 1.5, .invalid),
    ]

    @Test func multiply_byFraction_isExactIfAScaleAllows() {
        for (time, multiplier, expected) in Self.fractions {
            #expect(isExactly(time.multiplied(byFloat: multiplier), expected), "\(time) × \(multiplier)")
        }
        // A tenth is not a binary fraction: the nearest one with a 31-bit scale.
        let tenth = Self.time(1, 1).multiplied(byFloat: 0.1)
        #expect(abs(tenth.seconds - 0.1) < 1e-9 && tenth.timescale >= 1 << 30)
        for tiny in [Double.leastNonzeroMagnitude, 1e-300, 1e-20] {
            #expect(Self.time(1, 1).multiplied(byFloat: tiny) == .zero, "\(tiny)")
        }
        #expect(abs(Self.time(.max, 1).multiplied(byFloat: 1e-12).seconds - 9_223_372.036854776) < 1e-6)
    }

    static let ratios: [(MediaTime, Int32, Int32, MediaTime)] = [
        (time(10, 600), 3, 2, time(15, 600)),
        (time(1, 1), 1, 3, time(1, 3)),
        (time(2, 3), 3, 2, time(1, 1)),
        (time(1, 1), -1, 3, time(-1, 3)),
        (time(1, 1), 1, -3, time(-1, 3)),
        (time(1, 1), .min, .min, time(1, 1)),
        (time(1, 1), 1, 0, .invalid),
        (time(.max, 1), .max, 1, .positiveInfinity),
        (.negativeInfinity, -1, 2, .positiveInfinity),
        (.negativeInfinity, 0, 2, .invalid),
        (.invalid, 1, 2, .invalid),
    ]

    @Test func multiply_byRatio_isExactIfAScaleAllows() {
        for (time, multiplier, divisor, expected) in Self.ratios {
            let product = time.multiplied(byRatio: multiplier, over: divisor)
            #expect(product == expected || isExactly(product, expected), "\(time) × \(multiplier) / \(divisor)")
        }
        let odd = Self.time(1, 2_147_483_647).multiplied(byRatio: 1, over: 2_147_483_629)
        #expect(odd.isNumeric && odd.value == 0)
        let large = Self.time(1_000_000_007, 2_147_483_647).multiplied(byRatio: 998_244_353, over: 1_000_003)
        #expect(abs(large.seconds / (1_000_000_007.0 / 2_147_483_647 * 998_244_353 / 1_000_003) - 1) < 1e-9)
    }

    @Test func absoluteValue_hasNoSign() {
        let table: [(MediaTime, MediaTime)] = [
            (Self.time(-3, 30), Self.time(3, 30)), (Self.time(3, 30), Self.time(3, 30)),
            (.negativeInfinity, .positiveInfinity), (.invalid, .invalid), (Self.time(.min, 2), Self.time(1 << 62, 1)),
        ]
        for (time, expected) in table { #expect(time.absoluteValue == expected, "\(time)") }
        #expect(Self.time(.min, 1).absoluteValue == .positiveInfinity)
    }

    @Test func minimumAndMaximum_twoTimes_areTheLesserAndTheGreater() {
        let table: [(MediaTime, MediaTime, lesser: MediaTime, greater: MediaTime)] = [
            (Self.time(1, 3), Self.time(1, 2), Self.time(1, 3), Self.time(1, 2)),
            (.negativeInfinity, Self.time(5), .negativeInfinity, Self.time(5)),
            (.positiveInfinity, Self.time(5), Self.time(5), .positiveInfinity),
            (.invalid, Self.time(5), Self.time(5), .invalid),
            (Self.time(5), .invalid, Self.time(5), .invalid),
            (.invalid, .invalid, .invalid, .invalid),
        ]
        for (a, b, lesser, greater) in table {
            #expect(MediaTime.minimum(a, b) == lesser && MediaTime.maximum(a, b) == greater, "\(a), \(b)")
        }
    }

    // MARK: Rounding

    @Test func convertScale_anyRoundingMethod_isRightOnBothSidesOfZero() {
        // From halves, quarters and thirds of a tick, in the order of the methods' numbers.
        let table: [(MediaTime, scale: Int32, ticks: [Int64])] = [
            (Self.time(5, 20), 10, [3, 2, 3, 2, 3, 2]),
            (Self.time(-5, 20), 10, [-3, -2, -3, -2, -2, -3]),
            (Self.time(9, 40), 10, [2, 2, 3, 2, 3, 2]),
            (Self.time(-9, 40), 10, [-2, -2, -3, -2, -2, -3]),
            (Self.time(1, 3), 10, [3, 3, 4, 4, 4, 3]),
            (Self.time(-1, 3), 10, [-3, -3, -4, -4, -3, -4]),
            (Self.time(-1, 100), 10, [0, 0, -1, -1, 0, -1]),
            (Self.time(1, 100), 10, [0, 0, 1, 0, 1, 0]),
            (Self.time(7, 10), 10, [7, 7, 7, 7, 7, 7]),
            (Self.time(-7, 10), 20, [-14, -14, -14, -14, -14, -14]),
        ]
        for (time, scale, ticks) in table {
            for (method, expected) in zip(MediaTime.RoundingMethod.allCases, ticks) {
                let converted = time.convertScale(scale, method: method)
                #expect(isExactly(converted, Self.time(expected, scale)), "\(time), \(method): \(converted)")
            }
        }
        #expect(MediaTime.RoundingMethod.default == .roundHalfAwayFromZero)
        #expect(MediaTime.RoundingMethod.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
    }

    @Test func convertScale_tooLargeOrInvalidScale_isInfiniteOrInvalid() {
        #expect(Self.time(.max, 1).convertScale(600) == .positiveInfinity)
        #expect(Self.time(.min, 1).convertScale(600) == .negativeInfinity)
        for scale in [0, -1, Int32.min] { #expect(Self.time(1).convertScale(scale) == .invalid) }
        for time in [MediaTime.positiveInfinity, .negativeInfinity, .invalid] {
            #expect(isExactly(time.convertScale(600), time))
        }
    }

    // MARK: Ranges

    static let folds: [(MediaTime, TimeRange, MediaTime)] = [
        (time(11), range(0, 5), time(1)),
        (time(5), range(0, 5), time(0)),
        (time(-1), range(0, 5), time(4)),
        (time(-10), range(0, 5), time(0)),
        (time(12), range(10, 5), time(12)),
        (time(9), range(10, 5), time(14)),
        (time(7, 2), TimeRange(start: time(1, 3), duration: time(2, 3)), time(5, 6)),
        (time(.max, 1), range(0, 7), time(Int64.max % 7)),
        (time(3), range(0, 0), .invalid),
        (.positiveInfinity, range(0, 5), .invalid),
        (.invalid, range(0, 5), .invalid),
        (time(3), TimeRange(start: .zero, duration: .positiveInfinity), .invalid),
    ]

    @Test func folded_timeOutsideTheRange_movesByWholeDurations() {
        for (time, range, expected) in Self.folds {
            #expect(time.folded(into: range) == expected, "\(time) in \(range)")
        }
    }

    @Test func clamped_timeOutsideTheRange_isTheNearestInside() {
        let table: [(MediaTime, MediaTime)] = [
            (Self.time(4), Self.time(5)), (Self.time(5), Self.time(5)), (Self.time(7), Self.time(7)),
            (Self.time(15), Self.time(15)), (Self.time(16), Self.time(15)), (.negativeInfinity, Self.time(5)),
            (.positiveInfinity, Self.time(15)), (.invalid, .invalid),
        ]
        for (time, expected) in table { #expect(time.clamped(to: Self.range(5, 10)) == expected, "\(time)") }
        #expect(Self.time(1).clamped(to: .invalid) == .invalid)
    }

    static let endless = TimeRange(start: time(10), duration: .positiveInfinity)
    static let maps: [(MediaTime, TimeRange, TimeRange, MediaTime)] = [
        (time(0), range(0, 10), range(100, 20), time(100)),
        (time(10), range(0, 10), range(100, 20), time(120)),
        (time(5), range(0, 10), range(100, 20), time(110)),
        (time(-5), range(0, 10), range(100, 20), time(90)),
        (time(1), range(0, 3), range(0, 1), time(1, 3)),
        (time(1), range(0, 0), range(0, 1), .invalid),
        (time(1), range(0, 1), range(0, 0), .invalid),
        (time(1), range(0, 1), .invalid, .invalid),
        (time(1), range(0, 1), endless, .invalid),
        (time(13), endless, TimeRange(start: time(3), duration: .positiveInfinity), time(6)),
        (.positiveInfinity, range(0, 1), range(0, 2), .positiveInfinity),
        (.invalid, range(0, 1), range(0, 2), .invalid),
        (time(7, 999_999_937), range(0, 999_999_937, 1_000_003), range(0, 1_000_003, 999_999_937), .zero),
    ]

    @Test func mapped_timeBetweenRanges_isInProportion() {
        for (time, source, target, expected) in Self.maps {
            let mapped = time.mapped(from: source, to: target)
            #expect(mapped == expected, "\(time): \(mapped)")
        }
        // The exact calculation would need more than 128 bits.
        let source = Self.range(0, .max, 1_000_003)
        let mapped = Self.time(.max, 999_999_937).mapped(from: source, to: Self.range(0, 1 << 61, 999_983))
        let expected = Double(Int64.max) / 999_999_937 * (Double(1 << 61) / 999_983) / (Double(Int64.max) / 1_000_003)
        #expect(abs(mapped.seconds / expected - 1) < 1e-12)
    }

    @Test func mappedDuration_betweenRanges_isInProportion() {
        let table: [(MediaTime, TimeRange, TimeRange, MediaTime)] = [
            (Self.time(3), Self.range(7, 10), Self.range(100, 20), Self.time(6)),
            (Self.time(1), Self.range(0, 7), Self.range(0, 3), Self.time(3, 7)),
            (Self.time(1), Self.range(0, 0), Self.range(0, 3), .invalid),
            (Self.time(4), Self.endless, Self.endless, Self.time(4)),
            (.positiveInfinity, Self.range(0, 1), Self.range(0, 2), .positiveInfinity),
        ]
        for (length, source, target, expected) in table {
            #expect(length.mappedDuration(from: source, to: target) == expected, "\(length)")
        }
    }

    @Test func union_twoRanges_reachesFromFirstStartToLastEnd() {
        let table: [(TimeRange, TimeRange, TimeRange)] = [
            (Self.range(0, 5), Self.range(3, 5), Self.range(0, 8)),
            (Self.range(0, 1), Self.range(9, 1), Self.range(0, 10)),
            (Self.range(0, 9), Self.range(2, 1), Self.range(0, 9)),
            (Self.range(0, 9), Self.endless, TimeRange(start: .zero, duration: .positiveInfinity)),
            (Self.range(0, 9), .invalid, .invalid),
        ]
        for (a, b, expected) in table {
            #expect(a.union(b) == expected && b.union(a) == expected, "\(a), \(b)")
        }
    }

    @Test func contains_rangeWithin_isTrue() {
        #expect(Self.range(0, 10).contains(Self.range(0, 10)) && Self.range(0, 10).contains(Self.range(2, 8)))
        #expect(!Self.range(0, 10).contains(Self.range(2, 9)) && !Self.range(1, 10).contains(Self.range(0, 2)))
        #expect(Self.endless.contains(Self.endless) && !Self.range(0, 20).contains(Self.endless))
        #expect(!Self.range(0, 10).contains(TimeRange.invalid) && !TimeRange.invalid.contains(Self.range(0, 1)))
        #expect(!Self.range(0, -1).isValid && Self.range(0, 0).isValid && TimeRange.zero.isEmpty)
    }

    @Test func hostTime_isTheMonotonicClock() {
        func nanoseconds() -> Int64 {
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
        }
        let (before, now, after) = (nanoseconds(), MediaTime.hostTime, nanoseconds())
        #expect((before...after).contains(now.value) && now.timescale == 1_000_000_000)
    }

    /// Extreme times and numbers in all combinations.
    @Test func functions_extremeValues_neverTrap() {
        let values: [Int64] = [.min, .min + 1, -1, 0, 1, 7, .max - 1, .max]
        let scales: [Int32] = [.min, -1, 0, 1, 600, 1_000_000_007, .max]
        let times = values.flatMap { value in scales.map { MediaTime(value: value, timescale: $0) } }
        let numbers: [Int32] = [.min, -1, 0, 1, .max]
        for a in times {
            for number in numbers {
                _ = (a.multiplied(by: number), a.convertScale(number, method: .quickTime))
                for divisor in numbers {
                    let product = a.multiplied(byRatio: number, over: divisor)
                    #expect(divisor != 0 || !product.isValid, "\(a)")
                }
            }
            #expect(!a.isNumeric || a.multiplied(by: 1) == a, "\(a)")
            #expect(!a.isNumeric || !a.convertScale(0, method: .quickTime).isValid, "\(a)")
            for factor in [
                -Double.infinity, -1e300, -1, 0, Double.leastNonzeroMagnitude, 0.1, 1, 1e18, 1e19, 1e300, .infinity,
                .nan,
            ] {
                _ = a.multiplied(byFloat: factor)
            }
            for b in times {
                let (one, other) = (TimeRange(start: a, duration: b), TimeRange(start: b, duration: a))
                _ = (b.clamped(to: other), a.mapped(from: one, to: other), one.union(other))
                _ = (b.mappedDuration(from: other, to: one), one.contains(other), MediaTime.minimum(a, b))
                let canFold = a.isNumeric && b.isNumeric && b > .zero
                let folded = a.folded(into: one)
                #expect(canFold || !folded.isValid, "\(a), \(b)")
            }
        }
    }
}
