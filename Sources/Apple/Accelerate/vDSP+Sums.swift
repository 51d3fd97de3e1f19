// Reductions of a vector. Without elements, a sum is 0, a mean is NaN, the maximum is −∞ and the minimum +∞.

/// The maximum.
public func vDSP_maxv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, -Float.infinity, { $1 > $0 ? $1 : $0 }, { $0 > $1 ? $0 : $1 })
}

/// The maximum.
public func vDSP_maxvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, -Double.infinity, { $1 > $0 ? $1 : $0 }, { $0 > $1 ? $0 : $1 })
}

/// The minimum.
public func vDSP_minv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, Float.infinity, { $1 < $0 ? $1 : $0 }, { $0 < $1 ? $0 : $1 })
}

/// The minimum.
public func vDSP_minvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, Double.infinity, { $1 < $0 ? $1 : $0 }, { $0 < $1 ? $0 : $1 })
}

/// The largest magnitude; 0 without elements.
public func vDSP_maxmgv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { abs($1) > $0 ? abs($1) : $0 }, { $0 > $1 ? $0 : $1 })
}

/// The largest magnitude; 0 without elements.
public func vDSP_maxmgvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { abs($1) > $0 ? abs($1) : $0 }, { $0 > $1 ? $0 : $1 })
}

/// The smallest magnitude.
public func vDSP_minmgv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, Float.infinity, { abs($1) < $0 ? abs($1) : $0 }, { $0 < $1 ? $0 : $1 })
}

/// The smallest magnitude.
public func vDSP_minmgvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, Double.infinity, { abs($1) < $0 ? abs($1) : $0 }, { $0 < $1 ? $0 : $1 })
}

/// The sum.
public func vDSP_sve(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + $1 }, { $0 + $1 })
}

/// The sum.
public func vDSP_sveD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + $1 }, { $0 + $1 })
}

/// The sum of the magnitudes.
public func vDSP_svemg(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + abs($1) }, { $0 + $1 })
}

/// The sum of the magnitudes.
public func vDSP_svemgD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + abs($1) }, { $0 + $1 })
}

/// The sum of the squares.
public func vDSP_svesq(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + $1 * $1 }, { $0 + $1 })
}

/// The sum of the squares.
public func vDSP_svesqD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + $1 * $1 }, { $0 + $1 })
}

/// The sum of the signed squares.
public func vDSP_svs(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + $1 * abs($1) }, { $0 + $1 })
}

/// The sum of the signed squares.
public func vDSP_svsD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + $1 * abs($1) }, { $0 + $1 })
}

/// The mean.
public func vDSP_meanv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + $1 }, { $0 + $1 }) / Float(N)
}

/// The mean.
public func vDSP_meanvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + $1 }, { $0 + $1 }) / Double(N)
}

/// The mean of the magnitudes.
public func vDSP_meamgv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + abs($1) }, { $0 + $1 }) / Float(N)
}

/// The mean of the magnitudes.
public func vDSP_meamgvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + abs($1) }, { $0 + $1 }) / Double(N)
}

/// The mean of the squares.
public func vDSP_measqv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + $1 * $1 }, { $0 + $1 }) / Float(N)
}

/// The mean of the squares.
public func vDSP_measqvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + $1 * $1 }, { $0 + $1 }) / Double(N)
}

/// The mean of the signed squares.
public func vDSP_mvessq(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + $1 * abs($1) }, { $0 + $1 }) / Float(N)
}

/// The mean of the signed squares.
public func vDSP_mvessqD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    C.pointee = reduceElements(A, IA, N, 0, { $0 + $1 * abs($1) }, { $0 + $1 }) / Double(N)
}

/// The square root of the mean of the squares.
public func vDSP_rmsqv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    C.pointee = (reduceElements(A, IA, N, 0, { $0 + $1 * $1 }, { $0 + $1 }) / Float(N)).squareRoot()
}

/// The square root of the mean of the squares.
public func vDSP_rmsqvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    C.pointee = (reduceElements(A, IA, N, 0, { $0 + $1 * $1 }, { $0 + $1 }) / Double(N)).squareRoot()
}

/// The maximum, and the position of its first occurrence: the index times the stride.
public func vDSP_maxvi(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>,
    _ I: UnsafeMutablePointer<vDSP_Length>,
    _ N: vDSP_Length
) {
    (C.pointee, I.pointee) = foundElement(A, IA, N, -Float.infinity, { $0 }, >)
}

/// The minimum, and the position of its first occurrence: the index times the stride.
public func vDSP_minvi(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>,
    _ I: UnsafeMutablePointer<vDSP_Length>,
    _ N: vDSP_Length
) {
    (C.pointee, I.pointee) = foundElement(A, IA, N, Float.infinity, { $0 }, <)
}

/// The largest magnitude, and the position of its first occurrence: the index times the stride.
public func vDSP_maxmgvi(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>,
    _ I: UnsafeMutablePointer<vDSP_Length>,
    _ N: vDSP_Length
) {
    (C.pointee, I.pointee) = foundElement(A, IA, N, 0, abs, >)
}

/// The smallest magnitude, and the position of its first occurrence: the index times the stride.
public func vDSP_minmgvi(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>,
    _ I: UnsafeMutablePointer<vDSP_Length>,
    _ N: vDSP_Length
) {
    (C.pointee, I.pointee) = foundElement(A, IA, N, Float.infinity, abs, <)
}

/// The sum, and the sum of the squares.
public func vDSP_sve_svesq(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ Sum: UnsafeMutablePointer<Float>,
    _ SumOfSquares: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    vDSP_sve(A, IA, Sum, N)
    vDSP_svesq(A, IA, SumOfSquares, N)
}

/// The sum of the products.
public func vDSP_dotpr(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    C.pointee = sumOfProducts(A, IA, B, IB, Int(clamping: N))
}

/// Subtracts the mean, divides by the standard deviation, and returns both. Without a target it only computes the two.
public func vDSP_normalize(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>?, _ IC: vDSP_Stride,
    _ Mean: UnsafeMutablePointer<Float>, _ StandardDeviation: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) {
    vDSP_meanv(A, IA, Mean, N)
    let mean = Mean.pointee
    let squares = reduceElements(A, IA, N, 0, { $0 + ($1 - mean) * ($1 - mean) }, { $0 + $1 })
    let deviation = (squares / Float(N)).squareRoot()
    StandardDeviation.pointee = deviation
    if let C { eachElement(A, IA, C, IC, N) { ($0 - mean) / deviation } }
}

/// The maximum, and the position of its first occurrence: the index times the stride.
public func vDSP_maxviD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>,
    _ I: UnsafeMutablePointer<vDSP_Length>,
    _ N: vDSP_Length
) {
    (C.pointee, I.pointee) = foundElement(A, IA, N, -Double.infinity, { $0 }, >)
}

/// The minimum, and the position of its first occurrence: the index times the stride.
public func vDSP_minviD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>,
    _ I: UnsafeMutablePointer<vDSP_Length>,
    _ N: vDSP_Length
) {
    (C.pointee, I.pointee) = foundElement(A, IA, N, Double.infinity, { $0 }, <)
}

/// The largest magnitude, and the position of its first occurrence: the index times the stride.
public func vDSP_maxmgviD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>,
    _ I: UnsafeMutablePointer<vDSP_Length>,
    _ N: vDSP_Length
) {
    (C.pointee, I.pointee) = foundElement(A, IA, N, 0, abs, >)
}

/// The smallest magnitude, and the position of its first occurrence: the index times the stride.
public func vDSP_minmgviD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>,
    _ I: UnsafeMutablePointer<vDSP_Length>,
    _ N: vDSP_Length
) {
    (C.pointee, I.pointee) = foundElement(A, IA, N, Double.infinity, abs, <)
}

/// The sum, and the sum of the squares.
public func vDSP_sve_svesqD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ Sum: UnsafeMutablePointer<Double>,
    _ SumOfSquares: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    vDSP_sveD(A, IA, Sum, N)
    vDSP_svesqD(A, IA, SumOfSquares, N)
}

/// The sum of the products.
public func vDSP_dotprD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    C.pointee = sumOfProducts(A, IA, B, IB, Int(clamping: N))
}

/// Subtracts the mean, divides by the standard deviation, and returns both. Without a target it only computes the two.
public func vDSP_normalizeD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>?, _ IC: vDSP_Stride,
    _ Mean: UnsafeMutablePointer<Double>, _ StandardDeviation: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) {
    vDSP_meanvD(A, IA, Mean, N)
    let mean = Mean.pointee
    let squares = reduceElements(A, IA, N, 0, { $0 + ($1 - mean) * ($1 - mean) }, { $0 + $1 })
    let deviation = (squares / Double(N)).squareRoot()
    StandardDeviation.pointee = deviation
    if let C { eachElement(A, IA, C, IC, N) { ($0 - mean) / deviation } }
}
