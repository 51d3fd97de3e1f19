// Reductions of a vector. Without elements, a sum is 0, a mean is NaN, the maximum is −∞ and the minimum +∞.

/// The maximum.
public func vDSP_maxv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) { C.pointee = extreme(A, IA, N, -.infinity, { $0 }, >) }

/// The maximum.
public func vDSP_maxvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { C.pointee = extreme(A, IA, N, -.infinity, { $0 }, >) }

/// The minimum.
public func vDSP_minv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) { C.pointee = extreme(A, IA, N, .infinity, { $0 }, <) }

/// The minimum.
public func vDSP_minvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { C.pointee = extreme(A, IA, N, .infinity, { $0 }, <) }

/// The largest magnitude; 0 without elements.
public func vDSP_maxmgv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) { C.pointee = extreme(A, IA, N, 0, abs, >) }

/// The largest magnitude; 0 without elements.
public func vDSP_maxmgvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { C.pointee = extreme(A, IA, N, 0, abs, >) }

/// The smallest magnitude.
public func vDSP_minmgv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) { C.pointee = extreme(A, IA, N, .infinity, abs, <) }

/// The smallest magnitude.
public func vDSP_minmgvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { C.pointee = extreme(A, IA, N, .infinity, abs, <) }

/// The sum.
public func vDSP_sve(_ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length) {
    C.pointee = sum(A, IA, N) { $0 }
}

/// The sum.
public func vDSP_sveD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { C.pointee = sum(A, IA, N) { $0 } }

/// The sum of the magnitudes.
public func vDSP_svemg(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) { C.pointee = sum(A, IA, N) { abs($0) } }

/// The sum of the magnitudes.
public func vDSP_svemgD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { C.pointee = sum(A, IA, N) { abs($0) } }

/// The sum of the squares.
public func vDSP_svesq(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) { C.pointee = sum(A, IA, N) { $0 * $0 } }

/// The sum of the squares.
public func vDSP_svesqD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { C.pointee = sum(A, IA, N) { $0 * $0 } }

/// The sum of the signed squares.
public func vDSP_svs(_ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length) {
    C.pointee = sum(A, IA, N) { $0 * abs($0) }
}

/// The sum of the signed squares.
public func vDSP_svsD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { C.pointee = sum(A, IA, N) { $0 * abs($0) } }

/// The mean.
public func vDSP_meanv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) { C.pointee = mean(A, IA, N) { $0 } }

/// The mean.
public func vDSP_meanvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { C.pointee = mean(A, IA, N) { $0 } }

/// The mean of the magnitudes.
public func vDSP_meamgv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) { C.pointee = mean(A, IA, N) { abs($0) } }

/// The mean of the magnitudes.
public func vDSP_meamgvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { C.pointee = mean(A, IA, N) { abs($0) } }

/// The mean of the squares.
public func vDSP_measqv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) { C.pointee = mean(A, IA, N) { $0 * $0 } }

/// The mean of the squares.
public func vDSP_measqvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { C.pointee = mean(A, IA, N) { $0 * $0 } }

/// The mean of the signed squares.
public func vDSP_mvessq(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) { C.pointee = mean(A, IA, N) { $0 * abs($0) } }

/// The mean of the signed squares.
public func vDSP_mvessqD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { C.pointee = mean(A, IA, N) { $0 * abs($0) } }

/// The square root of the mean of the squares.
public func vDSP_rmsqv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) { C.pointee = mean(A, IA, N) { $0 * $0 }.squareRoot() }

/// The square root of the mean of the squares.
public func vDSP_rmsqvD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { C.pointee = mean(A, IA, N) { $0 * $0 }.squareRoot() }

/// The maximum, and the index of its first occurrence times the stride.
public func vDSP_maxvi(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>,
    _ I: UnsafeMutablePointer<vDSP_Length>, _ N: vDSP_Length
) { (C.pointee, I.pointee) = foundElement(A, IA, N, -.infinity, { $0 }, >) }

/// The maximum, and the index of its first occurrence times the stride.
public func vDSP_maxviD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>,
    _ I: UnsafeMutablePointer<vDSP_Length>, _ N: vDSP_Length
) { (C.pointee, I.pointee) = foundElement(A, IA, N, -.infinity, { $0 }, >) }

/// The minimum, and the index of its first occurrence times the stride.
public func vDSP_minvi(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>,
    _ I: UnsafeMutablePointer<vDSP_Length>, _ N: vDSP_Length
) { (C.pointee, I.pointee) = foundElement(A, IA, N, .infinity, { $0 }, <) }

/// The minimum, and the index of its first occurrence times the stride.
public func vDSP_minviD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>,
    _ I: UnsafeMutablePointer<vDSP_Length>, _ N: vDSP_Length
) { (C.pointee, I.pointee) = foundElement(A, IA, N, .infinity, { $0 }, <) }

/// The largest magnitude, and the index of its first occurrence times the stride.
public func vDSP_maxmgvi(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>,
    _ I: UnsafeMutablePointer<vDSP_Length>, _ N: vDSP_Length
) { (C.pointee, I.pointee) = foundElement(A, IA, N, 0, abs, >) }

/// The largest magnitude, and the index of its first occurrence times the stride.
public func vDSP_maxmgviD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>,
    _ I: UnsafeMutablePointer<vDSP_Length>, _ N: vDSP_Length
) { (C.pointee, I.pointee) = foundElement(A, IA, N, 0, abs, >) }

/// The smallest magnitude, and the index of its first occurrence times the stride.
public func vDSP_minmgvi(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>,
    _ I: UnsafeMutablePointer<vDSP_Length>, _ N: vDSP_Length
) { (C.pointee, I.pointee) = foundElement(A, IA, N, .infinity, abs, <) }

/// The smallest magnitude, and the index of its first occurrence times the stride.
public func vDSP_minmgviD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>,
    _ I: UnsafeMutablePointer<vDSP_Length>, _ N: vDSP_Length
) { (C.pointee, I.pointee) = foundElement(A, IA, N, .infinity, abs, <) }

/// The sum, and the sum of the squares.
public func vDSP_sve_svesq(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ Sum: UnsafeMutablePointer<Float>,
    _ SumOfSquares: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) { (Sum.pointee, SumOfSquares.pointee) = (sum(A, IA, N) { $0 }, sum(A, IA, N) { $0 * $0 }) }

/// The sum, and the sum of the squares.
public func vDSP_sve_svesqD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ Sum: UnsafeMutablePointer<Double>,
    _ SumOfSquares: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { (Sum.pointee, SumOfSquares.pointee) = (sum(A, IA, N) { $0 }, sum(A, IA, N) { $0 * $0 }) }

/// The sum of the products.
public func vDSP_dotpr(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) { C.pointee = sumOfProducts(A, IA, B, IB, N) }

/// The sum of the products.
public func vDSP_dotprD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { C.pointee = sumOfProducts(A, IA, B, IB, N) }

/// Subtracts the mean and divides by the standard deviation. Also returns the mean and the standard deviation; without
/// a target, returns only these.
public func vDSP_normalize(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>?, _ IC: vDSP_Stride,
    _ Mean: UnsafeMutablePointer<Float>, _ StandardDeviation: UnsafeMutablePointer<Float>, _ N: vDSP_Length
) { normalize(A, IA, C, IC, Mean, StandardDeviation, N) }

/// Subtracts the mean and divides by the standard deviation. Also returns the mean and the standard deviation; without
/// a target, returns only these.
public func vDSP_normalizeD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>?, _ IC: vDSP_Stride,
    _ Mean: UnsafeMutablePointer<Double>, _ StandardDeviation: UnsafeMutablePointer<Double>, _ N: vDSP_Length
) { normalize(A, IA, C, IC, Mean, StandardDeviation, N) }

@inline(__always)
private func normalize<T: BinaryFloatingPoint & SIMDScalar>(
    _ a: UnsafePointer<T>, _ stepA: vDSP_Stride, _ c: UnsafeMutablePointer<T>?, _ stepC: vDSP_Stride,
    _ meanTarget: UnsafeMutablePointer<T>, _ deviationTarget: UnsafeMutablePointer<T>, _ length: vDSP_Length
) {
    let middle = mean(a, stepA, length) { $0 }
    let deviation = mean(a, stepA, length) { ($0 - middle) * ($0 - middle) }.squareRoot()
    (meanTarget.pointee, deviationTarget.pointee) = (middle, deviation)
    if let c { eachElement(a, stepA, c, stepC, length) { ($0 - middle) / deviation } }
}
