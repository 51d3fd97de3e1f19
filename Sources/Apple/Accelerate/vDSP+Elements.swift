import Foundation

// Element-wise operations: on one vector, and on a vector and a number.

public func vDSP_vabs(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { abs($0) } }

public func vDSP_vabsD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { abs($0) } }

public func vDSP_vneg(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { -$0 } }

public func vDSP_vnegD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { -$0 } }

public func vDSP_vnabs(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { -abs($0) } }

public func vDSP_vnabsD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { -abs($0) } }

/// The square of each element.
public func vDSP_vsq(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { $0 * $0 } }

/// The square of each element.
public func vDSP_vsqD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { $0 * $0 } }

/// The square of each element, with the element's sign.
public func vDSP_vssq(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { $0 * abs($0) } }

/// The square of each element, with the element's sign.
public func vDSP_vssqD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { $0 * abs($0) } }

/// The fractional part of each element.
public func vDSP_vfrac(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { $0 - $0.rounded(.towardZero) } }

/// The fractional part of each element.
public func vDSP_vfracD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { $0 - $0.rounded(.towardZero) } }

/// A + b
public func vDSP_vsadd(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, IC, N) { $0 + $1 } }

/// A + b
public func vDSP_vsaddD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, IC, N) { $0 + $1 } }

/// A · b
public func vDSP_vsmul(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, IC, N) { $0 * $1 } }

/// A · b
public func vDSP_vsmulD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, IC, N) { $0 * $1 } }

/// A ÷ b
public func vDSP_vsdiv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, IC, N) { $0 / $1 } }

/// A ÷ b
public func vDSP_vsdivD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, IC, N) { $0 / $1 } }

/// A · b + c
public func vDSP_vsmsa(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafePointer<Float>,
    _ D: UnsafeMutablePointer<Float>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, D, ID, N) { $0 * $1 + $2 } }

/// A · b + c
public func vDSP_vsmsaD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafePointer<Double>,
    _ D: UnsafeMutablePointer<Double>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, D, ID, N) { $0 * $1 + $2 } }

/// A, limited to the range from b to c.
public func vDSP_vclip(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafePointer<Float>,
    _ D: UnsafeMutablePointer<Float>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, D, ID, N) { clipped($0, $1, $2) } }

/// A, limited to the range from b to c.
public func vDSP_vclipD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafePointer<Double>,
    _ D: UnsafeMutablePointer<Double>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, D, ID, N) { clipped($0, $1, $2) } }

/// A, but a value between b and c becomes b if it is negative, and c otherwise.
public func vDSP_viclip(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafePointer<Float>,
    _ D: UnsafeMutablePointer<Float>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, D, ID, N) { inverselyClipped($0, $1, $2) } }

/// A, but a value between b and c becomes b if it is negative, and c otherwise.
public func vDSP_viclipD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafePointer<Double>,
    _ D: UnsafeMutablePointer<Double>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, D, ID, N) { inverselyClipped($0, $1, $2) } }

/// A, or b if A is less than b.
public func vDSP_vthr(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, IC, N) { $0 >= $1 ? $0 : $1 } }

/// A, or b if A is less than b.
public func vDSP_vthrD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, IC, N) { $0 >= $1 ? $0 : $1 } }

/// A, or 0 if A is less than b.
public func vDSP_vthres(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, IC, N) { $0 >= $1 ? $0 : 0 } }

/// A, or 0 if A is less than b.
public func vDSP_vthresD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, IC, N) { $0 >= $1 ? $0 : 0 } }

/// c if A is at least b, otherwise −c.
public func vDSP_vthrsc(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafePointer<Float>,
    _ D: UnsafeMutablePointer<Float>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, D, ID, N) { $0 >= $1 ? $2 : -$2 } }

/// c if A is at least b, otherwise −c.
public func vDSP_vthrscD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafePointer<Double>,
    _ D: UnsafeMutablePointer<Double>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, B, C, D, ID, N) { $0 >= $1 ? $2 : -$2 } }

/// a ÷ B
public func vDSP_svdiv(
    _ A: UnsafePointer<Float>, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride, _ C: UnsafeMutablePointer<Float>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(B, IB, A, C, IC, N) { $1 / $0 } }

/// a ÷ B
public func vDSP_svdivD(
    _ A: UnsafePointer<Double>, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride, _ C: UnsafeMutablePointer<Double>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(B, IB, A, C, IC, N) { $1 / $0 } }

/// Decibels relative to b: 10 · log10(A ÷ b) for powers if `F` is 0, and 20 · log10(A ÷ b) for amplitudes if `F` is 1.
public func vDSP_vdbcon(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>,
    _ IC: vDSP_Stride, _ N: vDSP_Length, _ F: UInt32
) { decibels(A, IA, B, C, IC, N, F, log10) }

/// Decibels relative to b: 10 · log10(A ÷ b) for powers if `F` is 0, and 20 · log10(A ÷ b) for amplitudes if `F` is 1.
public func vDSP_vdbconD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>,
    _ IC: vDSP_Stride, _ N: vDSP_Length, _ F: UInt32
) { decibels(A, IA, B, C, IC, N, F, log10) }

@inline(__always)
private func clipped<T: FloatingPoint>(_ value: T, _ low: T, _ high: T) -> T {
    value < low ? low : (value > high ? high : value)
}

@inline(__always)
private func inverselyClipped<T: FloatingPoint>(_ value: T, _ low: T, _ high: T) -> T {
    value <= low || value >= high ? value : (value < 0 ? low : high)
}

@inline(__always)
private func decibels<T: FloatingPoint>(
    _ a: UnsafePointer<T>, _ stepA: vDSP_Stride, _ b: UnsafePointer<T>, _ c: UnsafeMutablePointer<T>,
    _ stepC: vDSP_Stride, _ length: vDSP_Length, _ flag: UInt32, _ logarithm: (T) -> T
) {
    let factor: T = flag == 0 ? 10 : 20
    eachElement(a, stepA, b, c, stepC, length) { factor * logarithm($0 / $1) }
}
