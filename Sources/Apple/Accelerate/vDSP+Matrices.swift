// Parts of matrices, which are stored row by row.

/// Copies `N` rows of `M` elements.
///
/// - Parameters:
///   - TA: the distance from one row of the source to the next, in elements.
///   - TC: the distance from one row of the target to the next, in elements.
public func vDSP_mmov(
    _ A: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>, _ M: vDSP_Length, _ N: vDSP_Length,
    _ TA: vDSP_Length, _ TC: vDSP_Length
) { copyRows(A, C, M, N, TA, TC) }

/// Copies `N` rows of `M` elements.
///
/// - Parameters:
///   - TA: the distance from one row of the source to the next, in elements.
///   - TC: the distance from one row of the target to the next, in elements.
public func vDSP_mmovD(
    _ A: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>, _ M: vDSP_Length, _ N: vDSP_Length,
    _ TA: vDSP_Length, _ TC: vDSP_Length
) { copyRows(A, C, M, N, TA, TC) }

private func copyRows<T: BitwiseCopyable>(
    _ a: UnsafePointer<T>, _ c: UnsafeMutablePointer<T>, _ columns: vDSP_Length, _ rows: vDSP_Length,
    _ stepA: vDSP_Length, _ stepC: vDSP_Length
) {
    let (stepA, stepC, count) = (Int(clamping: stepA), Int(clamping: stepC), Int(clamping: columns))
    for row in 0..<Int(clamping: rows) { (c + row &* stepC).update(from: a + row &* stepA, count: count) }
}
