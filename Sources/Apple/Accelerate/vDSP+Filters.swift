// Sums over windows.

/// Downsamples. Each result is a sum over a window: C[n] = Σ A[n · DF + p] · F[p].
///
/// - Parameters:
///   - DF: the distance from one window to the next, in elements.
///   - N: the number of results.
///   - P: the length of the window.
public func vDSP_desamp(
    _ A: UnsafePointer<Float>, _ DF: vDSP_Stride, _ F: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>,
    _ N: vDSP_Length, _ P: vDSP_Length
) { eachWindow(A, DF, C, 1, N) { sumOfProducts($0, 1, F, 1, P) } }

/// Downsamples. Each result is a sum over a window: C[n] = Σ A[n · DF + p] · F[p].
///
/// - Parameters:
///   - DF: the distance from one window to the next, in elements.
///   - N: the number of results.
///   - P: the length of the window.
public func vDSP_desampD(
    _ A: UnsafePointer<Double>, _ DF: vDSP_Stride, _ F: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>,
    _ N: vDSP_Length, _ P: vDSP_Length
) { eachWindow(A, DF, C, 1, N) { sumOfProducts($0, 1, F, 1, P) } }

/// Correlates: C[n] = Σ A[n + p] · F[p]. Convolves if `F` points at the last element of the filter and has a negative
/// stride.
public func vDSP_conv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ F: UnsafePointer<Float>, _ IF: vDSP_Stride,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length, _ P: vDSP_Length
) { eachWindow(A, IA, C, IC, N) { sumOfProducts($0, IA, F, IF, P) } }

/// Correlates: C[n] = Σ A[n + p] · F[p]. Convolves if `F` points at the last element of the filter and has a negative
/// stride.
public func vDSP_convD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ F: UnsafePointer<Double>, _ IF: vDSP_Stride,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length, _ P: vDSP_Length
) { eachWindow(A, IA, C, IC, N) { sumOfProducts($0, IA, F, IF, P) } }

/// The sum of each element and the `P` − 1 elements after it.
public func vDSP_vswsum(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length,
    _ P: vDSP_Length
) { eachWindow(A, IA, C, IC, N) { sum($0, IA, P) { $0 } } }

/// The sum of each element and the `P` − 1 elements after it.
public func vDSP_vswsumD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length, _ P: vDSP_Length
) { eachWindow(A, IA, C, IC, N) { sum($0, IA, P) { $0 } } }

/// The maximum of each element and the `WindowLength` − 1 elements after it.
public func vDSP_vswmax(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length,
    _ WindowLength: vDSP_Length
) { eachWindow(A, IA, C, IC, N) { extreme($0, IA, WindowLength, -.infinity, { $0 }, >) } }

/// The maximum of each element and the `WindowLength` − 1 elements after it.
public func vDSP_vswmaxD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length, _ WindowLength: vDSP_Length
) { eachWindow(A, IA, C, IC, N) { extreme($0, IA, WindowLength, -.infinity, { $0 }, >) } }

/// Computes one value from each window. The windows begin `stepA` elements apart.
@inline(__always)
private func eachWindow<T>(
    _ a: UnsafePointer<T>, _ stepA: vDSP_Stride, _ c: UnsafeMutablePointer<T>, _ stepC: vDSP_Stride,
    _ length: vDSP_Length, _ body: (UnsafePointer<T>) -> T
) {
    for index in 0..<Int(clamping: length) { c[index &* stepC] = body(a + index &* stepA) }
}
