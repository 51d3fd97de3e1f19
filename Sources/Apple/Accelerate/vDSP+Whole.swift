// Reductions of a vector.

extension vDSP {
    public static func maximum<U: AccelerateBuffer>(_ vector: U) -> Float
    where U.Element == Float { vector.reduced(vDSP_maxv, empty: -.infinity) }

    public static func minimum<U: AccelerateBuffer>(_ vector: U) -> Float
    where U.Element == Float { vector.reduced(vDSP_minv, empty: .infinity) }

    public static func maximumMagnitude<U: AccelerateBuffer>(_ vector: U) -> Float
    where U.Element == Float { vector.reduced(vDSP_maxmgv, empty: 0) }

    public static func minimumMagnitude<U: AccelerateBuffer>(_ vector: U) -> Float
    where U.Element == Float { vector.reduced(vDSP_minmgv, empty: .infinity) }

    public static func sum<U: AccelerateBuffer>(_ vector: U) -> Float
    where U.Element == Float { vector.reduced(vDSP_sve, empty: 0) }

    public static func sumOfMagnitudes<U: AccelerateBuffer>(_ vector: U) -> Float
    where U.Element == Float { vector.reduced(vDSP_svemg, empty: 0) }

    public static func sumOfSquares<U: AccelerateBuffer>(_ vector: U) -> Float
    where U.Element == Float { vector.reduced(vDSP_svesq, empty: 0) }

    public static func mean<U: AccelerateBuffer>(_ vector: U) -> Float
    where U.Element == Float { vector.reduced(vDSP_meanv, empty: .nan) }

    public static func meanMagnitude<U: AccelerateBuffer>(_ vector: U) -> Float
    where U.Element == Float { vector.reduced(vDSP_meamgv, empty: .nan) }

    public static func meanSquare<U: AccelerateBuffer>(_ vector: U) -> Float
    where U.Element == Float { vector.reduced(vDSP_measqv, empty: .nan) }

    public static func rootMeanSquare<U: AccelerateBuffer>(_ vector: U) -> Float
    where U.Element == Float { vector.reduced(vDSP_rmsqv, empty: .nan) }

    /// The index of the first maximum, and its value; 0 and NaN for an empty vector.
    public static func indexOfMaximum<U: AccelerateBuffer>(_ vector: U) -> (UInt, Float)
    where U.Element == Float { vector.found(vDSP_maxvi) }

    /// The index of the first minimum, and its value; 0 and NaN for an empty vector.
    public static func indexOfMinimum<U: AccelerateBuffer>(_ vector: U) -> (UInt, Float)
    where U.Element == Float { vector.found(vDSP_minvi) }

    /// The index of the first element with the largest magnitude, and that magnitude; 0 and NaN for an empty vector.
    public static func indexOfMaximumMagnitude<U: AccelerateBuffer>(_ vector: U) -> (UInt, Float)
    where U.Element == Float { vector.found(vDSP_maxmgvi) }

    /// The sum of the products, over as many elements as the shorter vector has.
    public static func dot<U: AccelerateBuffer, V: AccelerateBuffer>(_ vectorA: U, _ vectorB: V) -> Float
    where U.Element == Float, V.Element == Float { reduced(vectorA, vectorB, vDSP_dotpr) }
}

extension vDSP {
    public static func maximum<U: AccelerateBuffer>(_ vector: U) -> Double
    where U.Element == Double { vector.reduced(vDSP_maxvD, empty: -.infinity) }

    public static func minimum<U: AccelerateBuffer>(_ vector: U) -> Double
    where U.Element == Double { vector.reduced(vDSP_minvD, empty: .infinity) }

    public static func maximumMagnitude<U: AccelerateBuffer>(_ vector: U) -> Double
    where U.Element == Double { vector.reduced(vDSP_maxmgvD, empty: 0) }

    public static func minimumMagnitude<U: AccelerateBuffer>(_ vector: U) -> Double
    where U.Element == Double { vector.reduced(vDSP_minmgvD, empty: .infinity) }

    public static func sum<U: AccelerateBuffer>(_ vector: U) -> Double
    where U.Element == Double { vector.reduced(vDSP_sveD, empty: 0) }

    public static func sumOfMagnitudes<U: AccelerateBuffer>(_ vector: U) -> Double
    where U.Element == Double { vector.reduced(vDSP_svemgD, empty: 0) }

    public static func sumOfSquares<U: AccelerateBuffer>(_ vector: U) -> Double
    where U.Element == Double { vector.reduced(vDSP_svesqD, empty: 0) }

    public static func mean<U: AccelerateBuffer>(_ vector: U) -> Double
    where U.Element == Double { vector.reduced(vDSP_meanvD, empty: .nan) }

    public static func meanMagnitude<U: AccelerateBuffer>(_ vector: U) -> Double
    where U.Element == Double { vector.reduced(vDSP_meamgvD, empty: .nan) }

    public static func meanSquare<U: AccelerateBuffer>(_ vector: U) -> Double
    where U.Element == Double { vector.reduced(vDSP_measqvD, empty: .nan) }

    public static func rootMeanSquare<U: AccelerateBuffer>(_ vector: U) -> Double
    where U.Element == Double { vector.reduced(vDSP_rmsqvD, empty: .nan) }

    /// The index of the first maximum, and its value; 0 and NaN for an empty vector.
    public static func indexOfMaximum<U: AccelerateBuffer>(_ vector: U) -> (UInt, Double)
    where U.Element == Double { vector.found(vDSP_maxviD) }

    /// The index of the first minimum, and its value; 0 and NaN for an empty vector.
    public static func indexOfMinimum<U: AccelerateBuffer>(_ vector: U) -> (UInt, Double)
    where U.Element == Double { vector.found(vDSP_minviD) }

    /// The index of the first element with the largest magnitude, and that magnitude; 0 and NaN for an empty vector.
    public static func indexOfMaximumMagnitude<U: AccelerateBuffer>(_ vector: U) -> (UInt, Double)
    where U.Element == Double { vector.found(vDSP_maxmgviD) }

    /// The sum of the products, over as many elements as the shorter vector has.
    public static func dot<U: AccelerateBuffer, V: AccelerateBuffer>(_ vectorA: U, _ vectorB: V) -> Double
    where U.Element == Double, V.Element == Double { reduced(vectorA, vectorB, vDSP_dotprD) }
}
