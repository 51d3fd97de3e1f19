// New vectors from vectors, in double precision.

extension vDSP {
    public static func absolute<U: AccelerateBuffer>(_ vector: U) -> [Double] where U.Element == Double {
        vector.mapped { vDSP_vabsD($0, 1, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func absolute<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, result: inout V
    ) where U.Element == Double, V.Element == Double {
        fill(&result, from: vector) { vDSP_vabsD($0, 1, $1, 1, $2) }
    }

    public static func negative<U: AccelerateBuffer>(_ vector: U) -> [Double] where U.Element == Double {
        vector.mapped { vDSP_vnegD($0, 1, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func negative<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, result: inout V
    ) where U.Element == Double, V.Element == Double {
        fill(&result, from: vector) { vDSP_vnegD($0, 1, $1, 1, $2) }
    }

    public static func negativeAbsolute<U: AccelerateBuffer>(_ vector: U) -> [Double] where U.Element == Double {
        vector.mapped { vDSP_vnabsD($0, 1, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func negativeAbsolute<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, result: inout V
    ) where U.Element == Double, V.Element == Double {
        fill(&result, from: vector) { vDSP_vnabsD($0, 1, $1, 1, $2) }
    }

    public static func square<U: AccelerateBuffer>(_ vector: U) -> [Double] where U.Element == Double {
        vector.mapped { vDSP_vsqD($0, 1, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func square<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, result: inout V
    ) where U.Element == Double, V.Element == Double {
        fill(&result, from: vector) { vDSP_vsqD($0, 1, $1, 1, $2) }
    }

    public static func signedSquare<U: AccelerateBuffer>(_ vector: U) -> [Double] where U.Element == Double {
        vector.mapped { vDSP_vssqD($0, 1, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func signedSquare<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, result: inout V
    ) where U.Element == Double, V.Element == Double {
        fill(&result, from: vector) { vDSP_vssqD($0, 1, $1, 1, $2) }
    }

    /// The fractional part.
    public static func trunc<U: AccelerateBuffer>(_ vector: U) -> [Double] where U.Element == Double {
        vector.mapped { vDSP_vfracD($0, 1, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func trunc<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, result: inout V
    ) where U.Element == Double, V.Element == Double {
        fill(&result, from: vector) { vDSP_vfracD($0, 1, $1, 1, $2) }
    }

    public static func add<U: AccelerateBuffer>(
        _ scalar: Double, _ vector: U
    ) -> [Double] where U.Element == Double {
        var scalar = scalar
        return vector.mapped { vDSP_vsaddD($0, 1, &scalar, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func add<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ scalar: Double, _ vector: U, result: inout V
    ) where U.Element == Double, V.Element == Double {
        var scalar = scalar
        fill(&result, from: vector) { vDSP_vsaddD($0, 1, &scalar, $1, 1, $2) }
    }

    public static func multiply<U: AccelerateBuffer>(
        _ scalar: Double, _ vector: U
    ) -> [Double] where U.Element == Double {
        var scalar = scalar
        return vector.mapped { vDSP_vsmulD($0, 1, &scalar, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func multiply<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ scalar: Double, _ vector: U, result: inout V
    ) where U.Element == Double, V.Element == Double {
        var scalar = scalar
        fill(&result, from: vector) { vDSP_vsmulD($0, 1, &scalar, $1, 1, $2) }
    }

    public static func divide<U: AccelerateBuffer>(
        _ vector: U, _ scalar: Double
    ) -> [Double] where U.Element == Double {
        var scalar = scalar
        return vector.mapped { vDSP_vsdivD($0, 1, &scalar, $1, 1, $2) }
    }

    /// The same, into an existing vector, up to the shorter count.
    public static func divide<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, _ scalar: Double, result: inout V
    ) where U.Element == Double, V.Element == Double {
        var scalar = scalar
        fill(&result, from: vector) { vDSP_vsdivD($0, 1, &scalar, $1, 1, $2) }
    }

    public static func divide<U: AccelerateBuffer>(
        _ scalar: Double, _ vector: U
    ) -> [Double] where U.Element == Double {
        var scalar = scalar
        return vector.mapped { vDSP_svdivD(&scalar, $0, 1, $1, 1, $2) }
    }

    /// Operates on as many elements as the shorter vector has.
    public static func add<U: AccelerateBuffer, V: AccelerateBuffer>(
        _ vectorA: U, _ vectorB: V
    ) -> [Double] where U.Element == Double, V.Element == Double {
        paired(vectorA, vectorB) { a, b, target, length in vDSP_vaddD(a, 1, b, 1, target, 1, length) }
    }

    /// Operates on as many elements as the shorter vector has.
    public static func subtract<U: AccelerateBuffer, V: AccelerateBuffer>(
        _ vectorA: U, _ vectorB: V
    ) -> [Double] where U.Element == Double, V.Element == Double {
        paired(vectorA, vectorB) { a, b, target, length in vDSP_vsubD(b, 1, a, 1, target, 1, length) }
    }

    /// Operates on as many elements as the shorter vector has.
    public static func multiply<U: AccelerateBuffer, V: AccelerateBuffer>(
        _ vectorA: U, _ vectorB: V
    ) -> [Double] where U.Element == Double, V.Element == Double {
        paired(vectorA, vectorB) { a, b, target, length in vDSP_vmulD(a, 1, b, 1, target, 1, length) }
    }

    /// Operates on as many elements as the shorter vector has.
    public static func divide<U: AccelerateBuffer, V: AccelerateBuffer>(
        _ vectorA: U, _ vectorB: V
    ) -> [Double] where U.Element == Double, V.Element == Double {
        paired(vectorA, vectorB) { a, b, target, length in vDSP_vdivD(b, 1, a, 1, target, 1, length) }
    }

    public static func clip<U: AccelerateBuffer>(
        _ vector: U, to bounds: ClosedRange<Double>
    ) -> [Double] where U.Element == Double {
        var (low, high) = (bounds.lowerBound, bounds.upperBound)
        return vector.mapped { vDSP_vclipD($0, 1, &low, &high, $1, 1, $2) }
    }

    /// 20 · log10 of each element divided by the reference.
    public static func amplitudeToDecibels<U: AccelerateBuffer>(
        _ amplitude: U, zeroReference: Double
    ) -> [Double] where U.Element == Double {
        var zeroReference = zeroReference
        return amplitude.mapped { vDSP_vdbconD($0, 1, &zeroReference, $1, 1, $2, 1) }
    }

    /// 10 · log10 of each element divided by the reference.
    public static func powerToDecibels<U: AccelerateBuffer>(
        _ power: U, zeroReference: Double
    ) -> [Double] where U.Element == Double {
        var zeroReference = zeroReference
        return power.mapped { vDSP_vdbconD($0, 1, &zeroReference, $1, 1, $2, 0) }
    }

    /// Downsamples: each result is a sum over a window of the filter’s length. Windows that extend past the end are
    /// left out.
    ///
    /// - Precondition: the factor is positive, and the filter not empty.
    public static func downsample<U: AccelerateBuffer, V: AccelerateBuffer>(
        _ source: U, decimationFactor: Int, filter: V
    ) -> [Double] where U.Element == Double, V.Element == Double {
        precondition(decimationFactor > 0 && filter.count > 0, "decimationFactor must be positive and filter not empty")
        guard source.count >= filter.count else { return [] }
        var result = [Double](repeating: 0, count: (source.count - filter.count) / decimationFactor + 1)
        source.withElements { source, _ in
            filter.withElements { filter, length in
                vDSP_desampD(source, decimationFactor, filter, &result, vDSP_Length(result.count), length)
            }
        }
        return result
    }

    /// - Precondition: `count` is not negative.
    public static func ramp(withInitialValue initialValue: Double, increment: Double, count: Int) -> [Double] {
        var (initialValue, increment, result) = (initialValue, increment, [Double](repeating: 0, count: count))
        vDSP_vrampD(&initialValue, &increment, &result, 1, vDSP_Length(count))
        return result
    }

    /// Values from one end of the range to the other, both included.
    ///
    /// - Precondition: `count` is not negative.
    public static func ramp(in range: ClosedRange<Double>, count: Int) -> [Double] {
        var (start, end, result) = (range.lowerBound, range.upperBound, [Double](repeating: 0, count: count))
        vDSP_vgenD(&start, &end, &result, 1, vDSP_Length(count))
        return result
    }

    public static func fill<V: AccelerateMutableBuffer>(_ vector: inout V, with value: Double)
    where V.Element == Double {
        vector.withUnsafeMutableBufferPointer { $0.update(repeating: value) }
    }

    public static func clear<V: AccelerateMutableBuffer>(_ vector: inout V) where V.Element == Double {
        fill(&vector, with: 0)
    }

    public static func reverse<V: AccelerateMutableBuffer>(_ vector: inout V) where V.Element == Double {
        vector.withUnsafeMutableBufferPointer { elements in
            if let start = elements.baseAddress { vDSP_vrvrsD(start, 1, vDSP_Length(elements.count)) }
        }
    }

    public static func integerToFloatingPoint<U: AccelerateBuffer, N: FixedWidthInteger>(
        _ vector: U, floatingPointType: Double.Type
    ) -> [Double] where U.Element == N {
        vector.mapped { source, target, length in eachElement(source, 1, target, 1, length) { Double($0) } }
    }

    public static func floatingPointToInteger<U: AccelerateBuffer, N: FixedWidthInteger>(
        _ vector: U, integerType: N.Type, rounding: RoundingMode
    ) -> [N] where U.Element == Double {
        let rounds = rounding == .towardNearestInteger
        return vector.mapped { source, target, length in
            eachElement(source, 1, target, 1, length) { wholeNumber($0, rounds: rounds) }
        }
    }
}
