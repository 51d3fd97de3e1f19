// New vectors from vectors, in double precision.

extension vDSP {
    public static func absolute<U: AccelerateBuffer>(_ vector: U) -> [Double]
    where U.Element == Double { vector.mapped(vDSP_vabsD) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func absolute<U: AccelerateBuffer, V: AccelerateMutableBuffer>(_ vector: U, result: inout V)
    where U.Element == Double, V.Element == Double { fill(&result, from: vector, vDSP_vabsD) }

    public static func negative<U: AccelerateBuffer>(_ vector: U) -> [Double]
    where U.Element == Double { vector.mapped(vDSP_vnegD) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func negative<U: AccelerateBuffer, V: AccelerateMutableBuffer>(_ vector: U, result: inout V)
    where U.Element == Double, V.Element == Double { fill(&result, from: vector, vDSP_vnegD) }

    public static func negativeAbsolute<U: AccelerateBuffer>(_ vector: U) -> [Double]
    where U.Element == Double { vector.mapped(vDSP_vnabsD) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func negativeAbsolute<U: AccelerateBuffer, V: AccelerateMutableBuffer>(_ vector: U, result: inout V)
    where U.Element == Double, V.Element == Double { fill(&result, from: vector, vDSP_vnabsD) }

    public static func square<U: AccelerateBuffer>(_ vector: U) -> [Double]
    where U.Element == Double { vector.mapped(vDSP_vsqD) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func square<U: AccelerateBuffer, V: AccelerateMutableBuffer>(_ vector: U, result: inout V)
    where U.Element == Double, V.Element == Double { fill(&result, from: vector, vDSP_vsqD) }

    public static func signedSquare<U: AccelerateBuffer>(_ vector: U) -> [Double]
    where U.Element == Double { vector.mapped(vDSP_vssqD) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func signedSquare<U: AccelerateBuffer, V: AccelerateMutableBuffer>(_ vector: U, result: inout V)
    where U.Element == Double, V.Element == Double { fill(&result, from: vector, vDSP_vssqD) }

    /// The fractional part of each element.
    public static func trunc<U: AccelerateBuffer>(_ vector: U) -> [Double]
    where U.Element == Double { vector.mapped(vDSP_vfracD) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func trunc<U: AccelerateBuffer, V: AccelerateMutableBuffer>(_ vector: U, result: inout V)
    where U.Element == Double, V.Element == Double { fill(&result, from: vector, vDSP_vfracD) }

    public static func add<U: AccelerateBuffer>(_ scalar: Double, _ vector: U) -> [Double]
    where U.Element == Double { vector.mapped(scalar, vDSP_vsaddD) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func add<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ scalar: Double, _ vector: U, result: inout V
    ) where U.Element == Double, V.Element == Double { fill(&result, from: vector, scalar, vDSP_vsaddD) }

    public static func multiply<U: AccelerateBuffer>(_ scalar: Double, _ vector: U) -> [Double]
    where U.Element == Double { vector.mapped(scalar, vDSP_vsmulD) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func multiply<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ scalar: Double, _ vector: U, result: inout V
    ) where U.Element == Double, V.Element == Double { fill(&result, from: vector, scalar, vDSP_vsmulD) }

    public static func divide<U: AccelerateBuffer>(_ vector: U, _ scalar: Double) -> [Double]
    where U.Element == Double { vector.mapped(scalar, vDSP_vsdivD) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func divide<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, _ scalar: Double, result: inout V
    ) where U.Element == Double, V.Element == Double { fill(&result, from: vector, scalar, vDSP_vsdivD) }

    public static func divide<U: AccelerateBuffer>(_ scalar: Double, _ vector: U) -> [Double]
    where U.Element == Double { vector.mapped(scalar) { vDSP_svdivD($2, $0, $1, $3, $4, $5) } }

    /// Operates on as many elements as the shorter vector has.
    public static func add<U: AccelerateBuffer, V: AccelerateBuffer>(_ vectorA: U, _ vectorB: V) -> [Double]
    where U.Element == Double, V.Element == Double { paired(vectorA, vectorB, vDSP_vaddD) }

    /// Operates on as many elements as the shorter vector has.
    public static func subtract<U: AccelerateBuffer, V: AccelerateBuffer>(_ vectorA: U, _ vectorB: V) -> [Double]
    where U.Element == Double, V.Element == Double { paired(vectorB, vectorA, vDSP_vsubD) }

    /// Operates on as many elements as the shorter vector has.
    public static func multiply<U: AccelerateBuffer, V: AccelerateBuffer>(_ vectorA: U, _ vectorB: V) -> [Double]
    where U.Element == Double, V.Element == Double { paired(vectorA, vectorB, vDSP_vmulD) }

    /// Operates on as many elements as the shorter vector has.
    public static func divide<U: AccelerateBuffer, V: AccelerateBuffer>(_ vectorA: U, _ vectorB: V) -> [Double]
    where U.Element == Double, V.Element == Double { paired(vectorB, vectorA, vDSP_vdivD) }

    public static func clip<U: AccelerateBuffer>(_ vector: U, to bounds: ClosedRange<Double>) -> [Double]
    where U.Element == Double { clipped(vector, bounds, vDSP_vclipD) }

    /// 20 · log10(element ÷ reference) for each element.
    public static func amplitudeToDecibels<U: AccelerateBuffer>(_ amplitude: U, zeroReference: Double) -> [Double]
    where U.Element == Double { amplitude.mapped(zeroReference) { vDSP_vdbconD($0, $1, $2, $3, $4, $5, 1) } }

    /// 10 · log10(element ÷ reference) for each element.
    public static func powerToDecibels<U: AccelerateBuffer>(_ power: U, zeroReference: Double) -> [Double]
    where U.Element == Double { power.mapped(zeroReference) { vDSP_vdbconD($0, $1, $2, $3, $4, $5, 0) } }

    /// Downsamples. Each result is a sum over a window of the filter’s length. There are no results for windows that
    /// extend beyond the end.
    ///
    /// - Precondition: the factor is positive, and the filter not empty.
    public static func downsample<U: AccelerateBuffer, V: AccelerateBuffer>(
        _ source: U, decimationFactor: Int, filter: V
    ) -> [Double] where U.Element == Double, V.Element == Double {
        downsampled(source, decimationFactor, filter, vDSP_desampD)
    }

    /// - Precondition: `count` is not negative.
    public static func ramp(withInitialValue initialValue: Double, increment: Double, count: Int) -> [Double] {
        ramped(initialValue, increment, count, vDSP_vrampD)
    }

    /// Values in equal steps from one end of the range to the other, both included.
    ///
    /// - Precondition: `count` is not negative.
    public static func ramp(in range: ClosedRange<Double>, count: Int) -> [Double] {
        ramped(range.lowerBound, range.upperBound, count, vDSP_vgenD)
    }

    public static func fill<V: AccelerateMutableBuffer>(_ vector: inout V, with value: Double)
    where V.Element == Double { vector.withUnsafeMutableBufferPointer { $0.update(repeating: value) } }

    public static func clear<V: AccelerateMutableBuffer>(_ vector: inout V)
    where V.Element == Double { fill(&vector, with: 0) }

    public static func reverse<V: AccelerateMutableBuffer>(_ vector: inout V)
    where V.Element == Double { vector.withUnsafeMutableBufferPointer { $0.reverse() } }

    public static func integerToFloatingPoint<U: AccelerateBuffer, N: FixedWidthInteger>(
        _ vector: U, floatingPointType: Double.Type
    ) -> [Double] where U.Element == N { vector.mapped { eachElement($0, $1, $2, $3, $4) { Double($0) } } }

    public static func floatingPointToInteger<U: AccelerateBuffer, N: FixedWidthInteger>(
        _ vector: U, integerType: N.Type, rounding: RoundingMode
    ) -> [N] where U.Element == Double {
        vector.mapped { eachElement($0, $1, $2, $3, $4) { wholeNumber($0, rounds: rounding == .towardNearestInteger) } }
    }
}
