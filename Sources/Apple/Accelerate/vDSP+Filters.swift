// Sums over windows.

/// Downsamples: each result is a sum over a window: C[n] = Σ A[n · DF + p] · F[p].
///
/// - Parameters:
///   - DF: the distance from one window to the next, in elements.
///   - N: the number of results.
///   - P: the length of the window.
public func vDSP_desamp(
    _ A: UnsafePointer<Float>, _ DF: vDSP_Stride, _ F: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>,
    _ N: vDSP_Length, _ P: vDSP_Length
) {
    for index in 0..<Int(clamping: N) { C[index] = sumOfProducts(A + index &* DF, 1, F, 1, Int(clamping: P)) }
}

/// Correlates: C[n] = Σ A[n + p] · F[p]. With a negative stride, and `F` pointing at its last element, convolves.
public func vDSP_conv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ F: UnsafePointer<Float>, _ IF: vDSP_Stride,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length, _ P: vDSP_Length
) {
    for index in 0..<Int(clamping: N) {
        C[index &* IC] = sumOfProducts(A + index &* IA, IA, F, IF, Int(clamping: P))
    }
}

/// The sum of each element and the `P` − 1 after it.
public func vDSP_vswsum(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length,
    _ P: vDSP_Length
) {
    for index in 0..<Int(clamping: N) { vDSP_sve(A + index &* IA, IA, C + index &* IC, P) }
}

/// The maximum of each element and the `WindowLength` − 1 after it.
public func vDSP_vswmax(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length,
    _ WindowLength: vDSP_Length
) {
    for index in 0..<Int(clamping: N) { vDSP_maxv(A + index &* IA, IA, C + index &* IC, WindowLength) }
}

/// Downsamples: each result is a sum over a window: C[n] = Σ A[n · DF + p] · F[p].
///
/// - Parameters:
///   - DF: the distance from one window to the next, in elements.
///   - N: the number of results.
///   - P: the length of the window.
public func vDSP_desampD(
    _ A: UnsafePointer<Double>, _ DF: vDSP_Stride, _ F: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>,
    _ N: vDSP_Length, _ P: vDSP_Length
) {
    for index in 0..<Int(clamping: N) { C[index] = sumOfProducts(A + index &* DF, 1, F, 1, Int(clamping: P)) }
}

/// Correlates: C[n] = Σ A[n + p] · F[p]. With a negative stride, and `F` pointing at its last element, convolves.
public func vDSP_convD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ F: UnsafePointer<Double>, _ IF: vDSP_Stride,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length, _ P: vDSP_Length
) {
    for index in 0..<Int(clamping: N) {
        C[index &* IC] = sumOfProducts(A + index &* IA, IA, F, IF, Int(clamping: P))
    }
}

/// The sum of each element and the `P` − 1 after it.
public func vDSP_vswsumD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length,
    _ P: vDSP_Length
) {
    for index in 0..<Int(clamping: N) { vDSP_sveD(A + index &* IA, IA, C + index &* IC, P) }
}

/// The maximum of each element and the `WindowLength` − 1 after it.
public func vDSP_vswmaxD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length,
    _ WindowLength: vDSP_Length
) {
    for index in 0..<Int(clamping: N) { vDSP_maxvD(A + index &* IA, IA, C + index &* IC, WindowLength) }
}

/// Returns the sum of the products of two vectors, in several accumulators (see `reduceElements`).
@inline(__always)
func sumOfProducts<T: FloatingPoint>(
    _ a: UnsafePointer<T>, _ stepA: vDSP_Stride, _ b: UnsafePointer<T>, _ stepB: vDSP_Stride, _ count: Int
) -> T {
    var (s0, s1, s2, s3): (T, T, T, T) = (0, 0, 0, 0)
    var (s4, s5, s6, s7): (T, T, T, T) = (0, 0, 0, 0)
    var index = 0
    if stepA == 1, stepB == 1 {
        while index &+ 8 <= count {
            s0 += a[index] * b[index]
            s1 += a[index &+ 1] * b[index &+ 1]
            s2 += a[index &+ 2] * b[index &+ 2]
            s3 += a[index &+ 3] * b[index &+ 3]
            s4 += a[index &+ 4] * b[index &+ 4]
            s5 += a[index &+ 5] * b[index &+ 5]
            s6 += a[index &+ 6] * b[index &+ 6]
            s7 += a[index &+ 7] * b[index &+ 7]
            index &+= 8
        }
    }
    while index < count {
        s0 += a[index &* stepA] * b[index &* stepB]
        index &+= 1
    }
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
}
