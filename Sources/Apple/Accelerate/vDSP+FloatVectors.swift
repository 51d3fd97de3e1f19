// New vectors from vectors, in single precision.

extension vDSP {
    public static func absolute<U: AccelerateBuffer>(_ vector: U) -> [Float]
    where U.Element == Float { vector.mapped(vDSP_vabs) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func absolute<U: AccelerateBuffer, V: AccelerateMutableBuffer>(_ vector: U, result: inout V)
    where U.Element == Float, V.Element == Float { fill(&result, from: vector, vDSP_vabs) }

    public static func negative<U: AccelerateBuffer>(_ vector: U) -> [Float]
    where U.Element == Float { vector.mapped(vDSP_vneg) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func negative<U: AccelerateBuffer, V: AccelerateMutableBuffer>(_ vector: U, result: inout V)
    where U.Element == Float, V.Element == Float { fill(&result, from: vector, vDSP_vneg) }

    public static func negativeAbsolute<U: AccelerateBuffer>(_ vector: U) -> [Float]
    where U.Element == Float { vector.mapped(vDSP_vnabs) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func negativeAbsolute<U: AccelerateBuffer, V: AccelerateMutableBuffer>(_ vector: U, result: inout V)
    where U.Element == Float, V.Element == Float { fill(&result, from: vector, vDSP_vnabs) }

    public static func square<U: AccelerateBuffer>(_ vector: U) -> [Float]
    where U.Element == Float { vector.mapped(vDSP_vsq) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func square<U: AccelerateBuffer, V: AccelerateMutableBuffer>(_ vector: U, result: inout V)
    where U.Element == Float, V.Element == Float { fill(&result, from: vector, vDSP_vsq) }

    public static func signedSquare<U: AccelerateBuffer>(_ vector: U) -> [Float]
    where U.Element == Float { vector.mapped(vDSP_vssq) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func signedSquare<U: AccelerateBuffer, V: AccelerateMutableBuffer>(_ vector: U, result: inout V)
    where U.Element == Float, V.Element == Float { fill(&result, from: vector, vDSP_vssq) }

    /// The fractional part of each element.
    public static func trunc<U: AccelerateBuffer>(_ vector: U) -> [Float]
    where U.Element == Float { vector.mapped(vDSP_vfrac) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func trunc<U: AccelerateBuffer, V: AccelerateMutableBuffer>(_ vector: U, result: inout V)
    where U.Element == Float, V.Element == Float { fill(&result, from: vector, vDSP_vfrac) }

    public static func add<U: AccelerateBuffer>(_ scalar: Float, _ vector: U) -> [Float]
    where U.Element == Float { vector.mapped(scalar, vDSP_vsadd) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func add<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ scalar: Float, _ vector: U, result: inout V
    ) where U.Element == Float, V.Element == Float { fill(&result, from: vector, scalar, vDSP_vsadd) }

    public static func multiply<U: AccelerateBuffer>(_ scalar: Float, _ vector: U) -> [Float]
    where U.Element == Float { vector.mapped(scalar, vDSP_vsmul) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func multiply<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ scalar: Float, _ vector: U, result: inout V
    ) where U.Element == Float, V.Element == Float { fill(&result, from: vector, scalar, vDSP_vsmul) }

    public static func divide<U: AccelerateBuffer>(_ vector: U, _ scalar: Float) -> [Float]
    where U.Element == Float { vector.mapped(scalar, vDSP_vsdiv) }

    /// Writes the results into an existing vector, and stops at the end of the shorter of the two vectors.
    public static func divide<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ vector: U, _ scalar: Float, result: inout V
    ) where U.Element == Float, V.Element == Float { fill(&result, from: vector, scalar, vDSP_vsdiv) }

    public static func divide<U: AccelerateBuffer>(_ scalar: Float, _ vector: U) -> [Float]
    where U.Element == Float { vector.mapped(scalar) { vDSP_svdiv($2, $0, $1, $3, $4, $5) } }

    /// Operates on as many elements as the shorter vector has.
    public static func add<U: AccelerateBuffer, V: AccelerateBuffer>(_ vectorA: U, _ vectorB: V) -> [Float]
    where U.Element == Float, V.Element == Float { paired(vectorA, vectorB, vDSP_vadd) }

    /// Operates on as many elements as the shorter vector has.
    public static func subtract<U: AccelerateBuffer, V: AccelerateBuffer>(_ vectorA: U, _ vectorB: V) -> [Float]
    where U.Element == Float, V.Element == Float { paired(vectorB, vectorA, vDSP_vsub) }

    /// Operates on as many elements as the shorter vector has.
    public static func multiply<U: AccelerateBuffer, V: AccelerateBuffer>(_ vectorA: U, _ vectorB: V) -> [Float]
    where U.Element == Float, V.Element == Float { paired(vectorA, vectorB, vDSP_vmul) }

    /// Operates on as many elements as the shorter vector has.
    public static func divide<U: AccelerateBuffer, V: AccelerateBuffer>(_ vectorA: U, _ vectorB: V) -> [Float]
    where U.Element == Float, V.Element == Float { paired(vectorB, vectorA, vDSP_vdiv) }

    public static func clip<U: AccelerateBuffer>(_ vector: U, to bounds: ClosedRange<Float>) -> [Float]
    where U.Element == Float { clipped(vector, bounds, vDSP_vclip) }

    /// 20 · log10(element ÷ reference) for each element.
    public static func amplitudeToDecibels<U: AccelerateBuffer>(_ amplitude: U, zeroReference: Float) -> [Float]
    where U.Element == Float { amplitude.mapped(zeroReference) { vDSP_vdbcon($0, $1, $2, $3, $4, $5, 1) } }

    /// 10 · log10(element ÷ reference) for each element.
    public static func powerToDecibels<U: AccelerateBuffer>(_ power: U, zeroReference: Float) -> [Float]
    where U.Element == Float { power.mapped(zeroReference) { vDSP_vdbcon($0, $1, $2, $3, $4, $5, 0) } }

    /// Downsamples. Each result is a sum over a window of the filter’s length. There are no results for windows that
    /// extend beyond the end.
    ///
    /// - Precondition: the factor is positive, and the filter not empty.
    public static func downsample<U: AccelerateBuffer, V: AccelerateBuffer>(
        _ source: U, decimationFactor: Int, filter: V
    ) -> [Float] where U.Element == Float, V.Element == Float {
        downsampled(source, decimationFactor, filter, vDSP_desamp)
    }

    /// - Precondition: `count` is not negative.
    public static func ramp(withInitialValue initialValue: Float, increment: Float, count: Int) -> [Float] {
        ramped(initialValue, increment, count, vDSP_vramp)
    }

    /// Values in equal steps from one end of the range to the other, both included.
    ///
    /// - Precondition: `count` is not negative.
    public static func ramp(in range: ClosedRange<Float>, count: Int) -> [Float] {
        ramped(range.lowerBound, range.upperBound, count, vDSP_vgen)
    }

    public static func fill<V: AccelerateMutableBuffer>(_ vector: inout V, with value: Float)
    where V.Element == Float { vector.withUnsafeMutableBufferPointer { $0.update(repeating: value) } }

    public static func clear<V: AccelerateMutableBuffer>(_ vector: inout V)
    where V.Element == Float { fill(&vector, with: 0) }

    public static func reverse<V: AccelerateMutableBuffer>(_ vector: inout V)
    where V.Element == Float { vector.withUnsafeMutableBufferPointer { $0.reverse() } }

    public static func integerToFloatingPoint<U: AccelerateBuffer, N: FixedWidthInteger>(
        _ vector: U, floatingPointType: Float.Type
    ) -> [Float] where U.Element == N { vector.mapped { eachElement($0, $1, $2, $3, $4) { Float($0) } } }

    public static func floatingPointToInteger<U: AccelerateBuffer, N: FixedWidthInteger>(
        _ vector: U, integerType: N.Type, rounding: RoundingMode
    ) -> [N] where U.Element == Float {
        vector.mapped { eachElement($0, $1, $2, $3, $4) { wholeNumber($0, rounds: rounding == .towardNearestInteger) } }
    }
}
