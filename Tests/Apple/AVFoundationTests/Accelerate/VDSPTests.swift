import AVFoundation
import Accelerate
import Testing

/// Tests that compare vDSP's calls with the arithmetic that they replace.
@Suite struct VDSPTests {
    private let a: [Float] = (0..<37).map { Float(($0 * 7919) % 101) / 10 - 5 }
    private let b: [Float] = (0..<37).map { Float(($0 * 104_729) % 89) / 7 + 1 }
    private var count: vDSP_Length { vDSP_Length(a.count) }

    private func near(_ x: [Float], _ y: [Float], _ tolerance: Float = 1e-4) -> Bool {
        x.count == y.count && zip(x, y).allSatisfy { abs($0 - $1) <= tolerance * max(1, abs($1)) }
    }

    private func made(_ body: (UnsafeMutablePointer<Float>) -> Void) -> [Float] {
        var result = [Float](repeating: .nan, count: a.count)
        result.withUnsafeMutableBufferPointer { if let start = $0.baseAddress { body(start) } }
        return result
    }

    @Test func scalarOperations_matchTheReference() {
        var (two, three): (Float, Float) = (2, 3)
        #expect(near(made { vDSP_vabs(a, 1, $0, 1, count) }, a.map { abs($0) }))
        #expect(near(made { vDSP_vsadd(a, 1, &two, $0, 1, count) }, a.map { $0 + 2 }))
        #expect(near(made { vDSP_vsmul(a, 1, &two, $0, 1, count) }, a.map { $0 * 2 }))
        #expect(near(made { vDSP_vsdiv(a, 1, &two, $0, 1, count) }, a.map { $0 / 2 }))
        #expect(near(made { vDSP_vsmsa(a, 1, &two, &three, $0, 1, count) }, a.map { $0 * 2 + 3 }))
        #expect(near(made { vDSP_svdiv(&two, b, 1, $0, 1, count) }, b.map { 2 / $0 }))
        #expect(near(made { vDSP_vclip(a, 1, &two, &three, $0, 1, count) }, a.map { min(max($0, 2), 3) }))
        #expect(near(made { vDSP_vthr(a, 1, &two, $0, 1, count) }, a.map { max($0, 2) }))
        #expect(near(made { vDSP_vthres(a, 1, &two, $0, 1, count) }, a.map { $0 >= 2 ? $0 : 0 }))
    }

    @Test func decibels_amplitudesAndPowers_matchTheReference() {
        var reference: Float = 2
        #expect(near(made { vDSP_vdbcon(b, 1, &reference, $0, 1, count, 1) }, b.map { 20 * log10($0 / 2) }))
        #expect(near(made { vDSP_vdbcon(b, 1, &reference, $0, 1, count, 0) }, b.map { 10 * log10($0 / 2) }))
    }

    @Test func vectorOperations_subtractionAndDivision_takeSwappedOperands() {
        #expect(near(made { vDSP_vsub(b, 1, a, 1, $0, 1, count) }, zip(a, b).map { $0 - $1 }))
        #expect(near(made { vDSP_vdiv(b, 1, a, 1, $0, 1, count) }, zip(a, b).map { $0 / $1 }))
        #expect(near(made { vDSP_vadd(a, 1, b, 1, $0, 1, count) }, zip(a, b).map { $0 + $1 }))
        #expect(near(made { vDSP_vmul(a, 1, b, 1, $0, 1, count) }, zip(a, b).map { $0 * $1 }))
        #expect(near(made { vDSP_vma(a, 1, b, 1, a, 1, $0, 1, count) }, zip(a, b).map { $0 * $1 + $0 }))
    }

    @Test func stride_aboveOne_skipsElements() {
        var result = [Float](repeating: -1, count: 6)
        var one: Float = 1
        vDSP_vsadd([1, 2, 3, 4, 5, 6], 2, &one, &result, 2, 3)
        #expect(result == [2, -1, 4, -1, 6, -1])
        var sum: Float = 0
        vDSP_sve([1, 2, 3, 4, 5, 6], 3, &sum, 2)
        #expect(sum == 5)
    }

    @Test func vectorOperations_inPlace_areCorrect() {
        var samples: [Float] = [4, -6, 8]
        var two: Float = 2
        vDSP_vsdiv(samples, 1, &two, &samples, 1, 3)
        vDSP_vabs(samples, 1, &samples, 1, 3)
        #expect(samples == [2, 3, 4])
    }

    @Test func reductions_matchTheReference() {
        var value: Float = 0
        vDSP_maxv(a, 1, &value, count)
        #expect(value == a.max())
        vDSP_minv(a, 1, &value, count)
        #expect(value == a.min())
        vDSP_maxmgv(a, 1, &value, count)
        #expect(value == a.map { abs($0) }.max())
        vDSP_sve(a, 1, &value, count)
        #expect(near([value], [a.reduce(0, +)]))
        vDSP_meanv(a, 1, &value, count)
        #expect(near([value], [a.reduce(0, +) / 37]))
        vDSP_meamgv(a, 1, &value, count)
        #expect(near([value], [a.map { abs($0) }.reduce(0, +) / 37]))
        vDSP_measqv(a, 1, &value, count)
        #expect(near([value], [a.map { $0 * $0 }.reduce(0, +) / 37]))
        vDSP_rmsqv(a, 1, &value, count)
        #expect(near([value], [(a.map { $0 * $0 }.reduce(0, +) / 37).squareRoot()]))
        vDSP_dotpr(a, 1, b, 1, &value, count)
        #expect(near([value], [zip(a, b).map { $0 * $1 }.reduce(0, +)]))
        var place: vDSP_Length = 0
        vDSP_maxvi(a, 1, &value, &place, count)
        #expect(value == a.max() && a.firstIndex(of: value) == Int(place))
    }

    @Test func reductions_emptyVector_areZeroInfiniteOrNaN() {
        var value: Float = 7
        vDSP_sve(a, 1, &value, 0)
        #expect(value == 0)
        vDSP_maxv(a, 1, &value, 0)
        #expect(value == -.infinity)
        vDSP_rmsqv(a, 1, &value, 0)
        #expect(value.isNaN)
    }

    @Test func conversion_integerAndFloat_roundsAndSaturates() {
        var floats = [Float](repeating: 0, count: 4)
        vDSP_vflt16([Int16.min, -1, 0, Int16.max], 1, &floats, 1, 4)
        #expect(floats == [-32768, -1, 0, 32767])
        var whole = [Int16](repeating: 0, count: 6)
        vDSP_vfix16([1.9, -1.9, 40_000, -40_000, .nan, .infinity], 1, &whole, 1, 6)
        #expect(whole == [1, -1, .max, .min, 0, .max])
        vDSP_vfixr16([1.5, 2.5, -1.6, 0.4, 32767.4, -0.5], 1, &whole, 1, 6)
        #expect(whole == [2, 2, -2, 0, .max, 0])
        var wide = [Int32](repeating: 0, count: 2)
        vDSP_vfix32D([2_147_483_648, -2_147_483_649], 1, &wide, 1, 2)
        #expect(wide == [.max, .min])
    }

    @Test func downsampleAndConvolve_matchTheReference() {
        let filter = [Float](repeating: 0.25, count: 4)
        var result = [Float](repeating: 0, count: 9)
        vDSP_desamp(a, 4, filter, &result, 9, 4)
        #expect(near(result, (0..<9).map { n in a[n * 4..<n * 4 + 4].reduce(0, +) / 4 }))
        #expect(near(vDSP.downsample(a, decimationFactor: 4, filter: filter), result))
        var convolved = [Float](repeating: 0, count: 3)
        let kernel: [Float] = [1, 2, 3]
        kernel.withUnsafeBufferPointer { vDSP_conv([1, 0, 0, 2, 0], 1, $0.baseAddress! + 2, -1, &convolved, 1, 3, 3) }
        #expect(convolved == [3, 2, 4])
    }

    @Test func ramp_secondCall_continuesWhereTheFirstEnded() {
        var (start, step): (Float, Float) = (0, 0.25)
        var result = [Float](repeating: 0, count: 4)
        let ones = [Float](repeating: 1, count: 4)
        vDSP_vrampmul(ones, 1, &start, &step, &result, 1, 2)
        #expect(result[0...1] == [0, 0.25])
        vDSP_vrampmul(ones, 1, &start, &step, &result, 1, 2)
        #expect(result[0...1] == [0.5, 0.75])
        #expect(vDSP.ramp(in: 0...1, count: 5) as [Float] == [0, 0.25, 0.5, 0.75, 1])
        #expect(vDSP.ramp(withInitialValue: 1, increment: 2, count: 3) as [Double] == [1, 3, 5])
    }

    @Test func matrixMove_part_leavesTheRestOfTheTarget() {
        let source: [Float] = [1, 2, 3, 4, 5, 6]
        var target = [Float](repeating: 0, count: 8)
        vDSP_mmov(source, &target, 2, 2, 3, 4)
        #expect(target == [1, 2, 0, 0, 4, 5, 0, 0])
        vDSP_mmov(a, &target, 8, 1, 1, 1)
        #expect(target == Array(a[..<8]))
        vDSP_mmov(source, &target, 0, 3, 1, 1)
        vDSP_mmov(source, &target, 3, 0, 1, 1)
        #expect(target == Array(a[..<8]))
        var wide = [Double](repeating: 0, count: 4)
        vDSP_mmovD([1, 2, 3, 4], &wide, 1, 2, 2, 3)
        #expect(wide == [1, 0, 0, 3])
    }

    @Test func gather_usesOneBasedIndices() {
        var result = [Float](repeating: 0, count: 3)
        vDSP_vgathr([10, 20, 30], [3, 1, 3], 1, &result, 1, 3)
        #expect(result == [30, 10, 30])
    }

    @Test func arrayForms_matchTheReference() {
        #expect(near([vDSP.rootMeanSquare(a)], [(a.map { $0 * $0 }.reduce(0, +) / 37).squareRoot()]))
        #expect(vDSP.maximumMagnitude(a) == a.map { abs($0) }.max())
        #expect(vDSP.absolute(a) == a.map { abs($0) })
        #expect(near(vDSP.subtract(a, b), zip(a, b).map { $0 - $1 }))
        #expect(near(vDSP.divide(a, 4), a.map { $0 / 4 }))
        #expect(vDSP.clip(a, to: -1...1) == a.map { min(max($0, -1), 1) })
        #expect(vDSP.mean(a[3..<9].map(Double.init)) == a[3..<9].map(Double.init).reduce(0, +) / 6)
        #expect(vDSP.integerToFloatingPoint([Int16(-3), 4], floatingPointType: Float.self) == [-3, 4])
        #expect(
            vDSP.floatingPointToInteger([1.5, -2.5] as [Float], integerType: Int32.self, rounding: .towardZero) == [
                1, -2,
            ])
        #expect(vDSP.sum([] as [Float]) == 0 && vDSP.mean([] as [Float]).isNaN)
        #expect(vDSP.absolute([] as [Double]) == [])
    }
}
