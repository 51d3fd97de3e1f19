// Reductions of a vector.

extension vDSP {
    public static func maximum<U: AccelerateBuffer>(_ vector: U) -> Float where U.Element == Float {
        var result: Float = -.infinity
        vector.withElements { vDSP_maxv($0, 1, &result, $1) }
        return result
    }

    public static func minimum<U: AccelerateBuffer>(_ vector: U) -> Float where U.Element == Float {
        var result: Float = .infinity
        vector.withElements { vDSP_minv($0, 1, &result, $1) }
        return result
    }

    public static func maximumMagnitude<U: AccelerateBuffer>(_ vector: U) -> Float where U.Element == Float {
        var result: Float = 0
        vector.withElements { vDSP_maxmgv($0, 1, &result, $1) }
        return result
    }

    public static func minimumMagnitude<U: AccelerateBuffer>(_ vector: U) -> Float where U.Element == Float {
        var result: Float = .infinity
        vector.withElements { vDSP_minmgv($0, 1, &result, $1) }
        return result
    }

    public static func sum<U: AccelerateBuffer>(_ vector: U) -> Float where U.Element == Float {
        var result: Float = 0
        vector.withElements { vDSP_sve($0, 1, &result, $1) }
        return result
    }

    public static func sumOfMagnitudes<U: AccelerateBuffer>(_ vector: U) -> Float where U.Element == Float {
        var result: Float = 0
        vector.withElements { vDSP_svemg($0, 1, &result, $1) }
        return result
    }

    public static func sumOfSquares<U: AccelerateBuffer>(_ vector: U) -> Float where U.Element == Float {
        var result: Float = 0
        vector.withElements { vDSP_svesq($0, 1, &result, $1) }
        return result
    }

    public static func mean<U: AccelerateBuffer>(_ vector: U) -> Float where U.Element == Float {
        var result: Float = .nan
        vector.withElements { vDSP_meanv($0, 1, &result, $1) }
        return result
    }

    public static func meanMagnitude<U: AccelerateBuffer>(_ vector: U) -> Float where U.Element == Float {
        var result: Float = .nan
        vector.withElements { vDSP_meamgv($0, 1, &result, $1) }
        return result
    }

    public static func meanSquare<U: AccelerateBuffer>(_ vector: U) -> Float where U.Element == Float {
        var result: Float = .nan
        vector.withElements { vDSP_measqv($0, 1, &result, $1) }
        return result
    }

    public static func rootMeanSquare<U: AccelerateBuffer>(_ vector: U) -> Float where U.Element == Float {
        var result: Float = .nan
        vector.withElements { vDSP_rmsqv($0, 1, &result, $1) }
        return result
    }

    /// The index of the first maximum, and its value; 0 and NaN for an empty vector.
    public static func indexOfMaximum<U: AccelerateBuffer>(_ vector: U) -> (UInt, Float) where U.Element == Float {
        var (place, result): (vDSP_Length, Float) = (0, .nan)
        vector.withElements { vDSP_maxvi($0, 1, &result, &place, $1) }
        return (place, result)
    }

    /// The index of the first minimum, and its value; 0 and NaN for an empty vector.
    public static func indexOfMinimum<U: AccelerateBuffer>(_ vector: U) -> (UInt, Float) where U.Element == Float {
        var (place, result): (vDSP_Length, Float) = (0, .nan)
        vector.withElements { vDSP_minvi($0, 1, &result, &place, $1) }
        return (place, result)
    }

    /// The index of the first element of the largest magnitude, and that magnitude; 0 and NaN for an empty vector.
    public static func indexOfMaximumMagnitude<U: AccelerateBuffer>(_ vector: U) -> (UInt, Float)
    where U.Element == Float {
        var (place, result): (vDSP_Length, Float) = (0, .nan)
        vector.withElements { vDSP_maxmgvi($0, 1, &result, &place, $1) }
        return (place, result)
    }

    /// The sum of the products, over as many elements as the shorter vector has.
    public static func dot<U: AccelerateBuffer, V: AccelerateBuffer>(
        _ vectorA: U, _ vectorB: V
    ) -> Float where U.Element == Float, V.Element == Float {
        var result: Float = 0
        vectorA.withElements { a, countA in
            vectorB.withElements { b, countB in vDSP_dotpr(a, 1, b, 1, &result, min(countA, countB)) }
        }
        return result
    }
}

extension vDSP {
    public static func maximum<U: AccelerateBuffer>(_ vector: U) -> Double where U.Element == Double {
        var result: Double = -.infinity
        vector.withElements { vDSP_maxvD($0, 1, &result, $1) }
        return result
    }

    public static func minimum<U: AccelerateBuffer>(_ vector: U) -> Double where U.Element == Double {
        var result: Double = .infinity
        vector.withElements { vDSP_minvD($0, 1, &result, $1) }
        return result
    }

    public static func maximumMagnitude<U: AccelerateBuffer>(_ vector: U) -> Double where U.Element == Double {
        var result: Double = 0
        vector.withElements { vDSP_maxmgvD($0, 1, &result, $1) }
        return result
    }

    public static func minimumMagnitude<U: AccelerateBuffer>(_ vector: U) -> Double where U.Element == Double {
        var result: Double = .infinity
        vector.withElements { vDSP_minmgvD($0, 1, &result, $1) }
        return result
    }

    public static func sum<U: AccelerateBuffer>(_ vector: U) -> Double where U.Element == Double {
        var result: Double = 0
        vector.withElements { vDSP_sveD($0, 1, &result, $1) }
        return result
    }

    public static func sumOfMagnitudes<U: AccelerateBuffer>(_ vector: U) -> Double where U.Element == Double {
        var result: Double = 0
        vector.withElements { vDSP_svemgD($0, 1, &result, $1) }
        return result
    }

    public static func sumOfSquares<U: AccelerateBuffer>(_ vector: U) -> Double where U.Element == Double {
        var result: Double = 0
        vector.withElements { vDSP_svesqD($0, 1, &result, $1) }
        return result
    }

    public static func mean<U: AccelerateBuffer>(_ vector: U) -> Double where U.Element == Double {
        var result: Double = .nan
        vector.withElements { vDSP_meanvD($0, 1, &result, $1) }
        return result
    }

    public static func meanMagnitude<U: AccelerateBuffer>(_ vector: U) -> Double where U.Element == Double {
        var result: Double = .nan
        vector.withElements { vDSP_meamgvD($0, 1, &result, $1) }
        return result
    }

    public static func meanSquare<U: AccelerateBuffer>(_ vector: U) -> Double where U.Element == Double {
        var result: Double = .nan
        vector.withElements { vDSP_measqvD($0, 1, &result, $1) }
        return result
    }

    public static func rootMeanSquare<U: AccelerateBuffer>(_ vector: U) -> Double where U.Element == Double {
        var result: Double = .nan
        vector.withElements { vDSP_rmsqvD($0, 1, &result, $1) }
        return result
    }

    /// The index of the first maximum, and its value; 0 and NaN for an empty vector.
    public static func indexOfMaximum<U: AccelerateBuffer>(_ vector: U) -> (UInt, Double) where U.Element == Double {
        var (place, result): (vDSP_Length, Double) = (0, .nan)
        vector.withElements { vDSP_maxviD($0, 1, &result, &place, $1) }
        return (place, result)
    }

    /// The index of the first minimum, and its value; 0 and NaN for an empty vector.
    public static func indexOfMinimum<U: AccelerateBuffer>(_ vector: U) -> (UInt, Double) where U.Element == Double {
        var (place, result): (vDSP_Length, Double) = (0, .nan)
        vector.withElements { vDSP_minviD($0, 1, &result, &place, $1) }
        return (place, result)
    }

    /// The index of the first element of the largest magnitude, and that magnitude; 0 and NaN for an empty vector.
    public static func indexOfMaximumMagnitude<U: AccelerateBuffer>(_ vector: U) -> (UInt, Double)
    where U.Element == Double {
        var (place, result): (vDSP_Length, Double) = (0, .nan)
        vector.withElements { vDSP_maxmgviD($0, 1, &result, &place, $1) }
        return (place, result)
    }

    /// The sum of the products, over as many elements as the shorter vector has.
    public static func dot<U: AccelerateBuffer, V: AccelerateBuffer>(
        _ vectorA: U, _ vectorB: V
    ) -> Double where U.Element == Double, V.Element == Double {
        var result: Double = 0
        vectorA.withElements { a, countA in
            vectorB.withElements { b, countB in vDSP_dotprD(a, 1, b, 1, &result, min(countA, countB)) }
        }
        return result
    }
}
