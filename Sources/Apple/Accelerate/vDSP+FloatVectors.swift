// New vectors from vectors, in single precision.

extension vDSP {
    public static func absolute<U: AccelerateBuffer>(_ vector: U) -> [Float] where U.Element == Float {
        vector.mapped { vDSP_vabs($0, 1, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func absolute<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, result: inout V
    ) where U.Element == Float, V.Element == Float {
        fill(&result, from: vector) { vDSP_vabs($0, 1, $1, 1, $2) }
    }

    public static func negative<U: AccelerateBuffer>(_ vector: U) -> [Float] where U.Element == Float {
        vector.mapped { vDSP_vneg($0, 1, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func negative<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, result: inout V
    ) where U.Element == Float, V.Element == Float {
        fill(&result, from: vector) { vDSP_vneg($0, 1, $1, 1, $2) }
    }

    public static func negativeAbsolute<U: AccelerateBuffer>(_ vector: U) -> [Float] where U.Element == Float {
        vector.mapped { vDSP_vnabs($0, 1, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func negativeAbsolute<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, result: inout V
    ) where U.Element == Float, V.Element == Float {
        fill(&result, from: vector) { vDSP_vnabs($0, 1, $1, 1, $2) }
    }

    public static func square<U: AccelerateBuffer>(_ vector: U) -> [Float] where U.Element == Float {
        vector.mapped { vDSP_vsq($0, 1, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func square<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, result: inout V
    ) where U.Element == Float, V.Element == Float {
        fill(&result, from: vector) { vDSP_vsq($0, 1, $1, 1, $2) }
    }

    public static func signedSquare<U: AccelerateBuffer>(_ vector: U) -> [Float] where U.Element == Float {
        vector.mapped { vDSP_vssq($0, 1, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func signedSquare<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, result: inout V
    ) where U.Element == Float, V.Element == Float {
        fill(&result, from: vector) { vDSP_vssq($0, 1, $1, 1, $2) }
    }

    /// The fractional part.
    public static func trunc<U: AccelerateBuffer>(_ vector: U) -> [Float] where U.Element == Float {
        vector.mapped { vDSP_vfrac($0, 1, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func trunc<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, result: inout V
    ) where U.Element == Float, V.Element == Float {
        fill(&result, from: vector) { vDSP_vfrac($0, 1, $1, 1, $2) }
    }

    public static func add<U: AccelerateBuffer>(
        _ scalar: Float, _ vector: U
    ) -> [Float] where U.Element == Float {
        var scalar = scalar
        return vector.mapped { vDSP_vsadd($0, 1, &scalar, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func add<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ scalar: Float, _ vector: U, result: inout V
    ) where U.Element == Float, V.Element == Float {
        var scalar = scalar
        fill(&result, from: vector) { vDSP_vsadd($0, 1, &scalar, $1, 1, $2) }
    }

    public static func multiply<U: AccelerateBuffer>(
        _ scalar: Float, _ vector: U
    ) -> [Float] where U.Element == Float {
        var scalar = scalar
        return vector.mapped { vDSP_vsmul($0, 1, &scalar, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func multiply<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ scalar: Float, _ vector: U, result: inout V
    ) where U.Element == Float, V.Element == Float {
        var scalar = scalar
        fill(&result, from: vector) { vDSP_vsmul($0, 1, &scalar, $1, 1, $2) }
    }

    public static func divide<U: AccelerateBuffer>(
        _ vector: U, _ scalar: Float
    ) -> [Float] where U.Element == Float {
        var scalar = scalar
        return vector.mapped { vDSP_vsdiv($0, 1, &scalar, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func divide<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, _ scalar: Float, result: inout V
    ) where U.Element == Float, V.Element == Float {
        var scalar = scalar
        fill(&result, from: vector) { vDSP_vsdiv($0, 1, &scalar, $1, 1, $2) }
    }

    public static func divide<U: AccelerateBuffer>(
        _ scalar: Float, _ vector: U
    ) -> [Float] where U.Element == Float {
        var scalar = scalar
        return vector.mapped { vDSP_svdiv(&scalar, $0, 1, $1, 1, $2) }
    }

    /// Operates on as many elements as the shorter vector has.
    public static func add<U: AccelerateBuffer, V: AccelerateBuffer>(
        _ vectorA: U, _ vectorB: V
    ) -> [Float] where U.Element == Float, V.Element == Float {
        paired(vectorA, vectorB) { a, b, target, length in vDSP_vadd(a, 1, b, 1, target, 1, length) }
    }

    /// Operates on as many elements as the shorter vector has.
    public static func subtract<U: AccelerateBuffer, V: AccelerateBuffer>(
        _ vectorA: U, _ vectorB: V
    ) -> [Float] where U.Element == Float, V.Element == Float {
        paired(vectorA, vectorB) { a, b, target, length in vDSP_vsub(b, 1, a, 1, target, 1, length) }
    }

    /// Operates on as many elements as the shorter vector has.
    public static func multiply<U: AccelerateBuffer, V: AccelerateBuffer>(
        _ vectorA: U, _ vectorB: V
    ) -> [Float] where U.Element == Float, V.Element == Float {
        paired(vectorA, vectorB) { a, b, target, length in vDSP_vmul(a, 1, b, 1, target, 1, length) }
    }

    /// Operates on as many elements as the shorter vector has.
    public static func divide<U: AccelerateBuffer, V: AccelerateBuffer>(
        _ vectorA: U, _ vectorB: V
    ) -> [Float] where U.Element == Float, V.Element == Float {
        paired(vectorA, vectorB) { a, b, target, length in vDSP_vdiv(b, 1, a, 1, target, 1, length) }
    }

    public static func clip<U: AccelerateBuffer>(
        _ vector: U, to bounds: ClosedRange<Float>
    ) -> [Float] where U.Element == Float {
        var (low, high) = (bounds.lowerBound, bounds.upperBound)
        return vector.mapped { vDSP_vclip($0, 1, &low, &high, $1, 1, $2) }
    }

    /// 20 · log10 of each element divided by the reference.
    public static func amplitudeToDecibels<U: AccelerateBuffer>(
        _ amplitude: U, zeroReference: Float
    ) -> [Float] where U.Element == Float {
        var zeroReference = zeroReference
        return amplitude.mapped { vDSP_vdbcon($0, 1, &zeroReference, $1, 1, $2, 1) }
    }

    /// 10 · log10 of each element divided by the reference.
    public static func powerToDecibels<U: AccelerateBuffer>(
        _ power: U, zeroReference: Float
    ) -> [Float] where U.Element == Float {
        var zeroReference = zeroReference
        return power.mapped { vDSP_vdbcon($0, 1, &zeroReference, $1, 1, $2, 0) }
    }

    /// Downsamples: each result is a sum over a window of the filter’s length. Windows that extend past the end are
    /// left out.
    ///
    /// - Precondition: the factor is positive, and the filter not empty.
    public static func downsample<U: AccelerateBuffer, V: AccelerateBuffer>(
        _ source: U, decimationFactor: Int, filter: V
    ) -> [Float] where U.Element == Float, V.Element == Float {
        precondition(decimationFactor > 0 && filter.count > 0, "decimationFactor must be positive and filter not empty")
        guard source.count >= filter.count else { return [] }
        var result = [Float](repeating: 0, count: (source.count - filter.count) / decimationFactor + 1)
        source.withElements { source, _ in
            filter.withElements { filter, length in
                vDSP_desamp(source, decimationFactor, filter, &result, vDSP_Length(result.count), length)
            }
        }
        return result
    }

    /// - Precondition: `count` is not negative.
    public static func ramp(withInitialValue initialValue: Float, increment: Float, count: Int) -> [Float] {
        var (initialValue, increment, result) = (initialValue, increment, [Float](repeating: 0, count: count))
        vDSP_vramp(&initialValue, &increment, &result, 1, vDSP_Length(count))
        return result
    }

    /// Values from one end of the range to the other, both included.
    ///
    /// - Precondition: `count` is not negative.
    public static func ramp(in range: ClosedRange<Float>, count: Int) -> [Float] {
        var (start, end, result) = (range.lowerBound, range.upperBound, [Float](repeating: 0, count: count))
        vDSP_vgen(&start, &end, &result, 1, vDSP_Length(count))
        return result
    }

    public static func fill<V: AccelerateMutableBuffer>(_ vector: inout V, with value: Float) where V.Element == Float {
        vector.withUnsafeMutableBufferPointer { $0.update(repeating: value) }
    }

    public static func clear<V: AccelerateMutableBuffer>(_ vector: inout V) where V.Element == Float {
        fill(&vector, with: 0)
    }

    public static func reverse<V: AccelerateMutableBuffer>(_ vector: inout V) where V.Element == Float {
        vector.withUnsafeMutableBufferPointer { elements in
            if let start = elements.baseAddress { vDSP_vrvrs(start, 1, vDSP_Length(elements.count)) }
        }
    }

    public static func integerToFloatingPoint<U: AccelerateBuffer, N: FixedWidthInteger>(
        _ vector: U, floatingPointType: Float.Type
    ) -> [Float] where U.Element == N {
        vector.mapped { source, target, length in eachElement(source, 1, target, 1, length) { Float($0) } }
    }

    public static func floatingPointToInteger<U: AccelerateBuffer, N: FixedWidthInteger>(
        _ vector: U, integerType: N.Type, rounding: RoundingMode
    ) -> [N] where U.Element == Float {
        let rounds = rounding == .towardNearestInteger
        return vector.mapped { source, target, length in
            eachElement(source, 1, target, 1, length) { wholeNumber($0, rounds: rounds) }
        }
    }
}
