import Foundation

// Element by element: one vector, and one with a number.

public func vDSP_vabs(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    eachElement(A, IA, C, IC, N) { abs($0) }
}

public func vDSP_vabsD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    eachElement(A, IA, C, IC, N) { abs($0) }
}

public func vDSP_vneg(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    eachElement(A, IA, C, IC, N) { -$0 }
}

public func vDSP_vnegD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    eachElement(A, IA, C, IC, N) { -$0 }
}

public func vDSP_vnabs(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    eachElement(A, IA, C, IC, N) { -abs($0) }
}

public func vDSP_vnabsD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    eachElement(A, IA, C, IC, N) { -abs($0) }
}

/// The square.
public func vDSP_vsq(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    eachElement(A, IA, C, IC, N) { $0 * $0 }
}

/// The square.
public func vDSP_vsqD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    eachElement(A, IA, C, IC, N) { $0 * $0 }
}

/// The square, with the sign of the element.
public func vDSP_vssq(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    eachElement(A, IA, C, IC, N) { $0 * abs($0) }
}

/// The square, with the sign of the element.
public func vDSP_vssqD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    eachElement(A, IA, C, IC, N) { $0 * abs($0) }
}

/// What stands behind the point.
public func vDSP_vfrac(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    eachElement(A, IA, C, IC, N) { $0 - $0.rounded(.towardZero) }
}

/// What stands behind the point.
public func vDSP_vfracD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    eachElement(A, IA, C, IC, N) { $0 - $0.rounded(.towardZero) }
}

/// A + b
public func vDSP_vsadd(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    eachElement(A, IA, C, IC, N) { $0 + B }
}

/// A + b
public func vDSP_vsaddD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    eachElement(A, IA, C, IC, N) { $0 + B }
}

/// A · b
public func vDSP_vsmul(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    eachElement(A, IA, C, IC, N) { $0 * B }
}

/// A · b
public func vDSP_vsmulD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    eachElement(A, IA, C, IC, N) { $0 * B }
}

/// A ÷ b
public func vDSP_vsdiv(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    eachElement(A, IA, C, IC, N) { $0 / B }
}

/// A ÷ b
public func vDSP_vsdivD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    eachElement(A, IA, C, IC, N) { $0 / B }
}

/// A · b + c
public func vDSP_vsmsa(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafePointer<Float>,
    _ D: UnsafeMutablePointer<Float>, _ ID: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    let C = C.pointee
    eachElement(A, IA, D, ID, N) { $0 * B + C }
}

/// A · b + c
public func vDSP_vsmsaD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafePointer<Double>,
    _ D: UnsafeMutablePointer<Double>, _ ID: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    let C = C.pointee
    eachElement(A, IA, D, ID, N) { $0 * B + C }
}

/// A, from b to c.
public func vDSP_vclip(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafePointer<Float>,
    _ D: UnsafeMutablePointer<Float>, _ ID: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    let C = C.pointee
    eachElement(A, IA, D, ID, N) { $0 < B ? B : ($0 > C ? C : $0) }
}

/// A, from b to c.
public func vDSP_vclipD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafePointer<Double>,
    _ D: UnsafeMutablePointer<Double>, _ ID: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    let C = C.pointee
    eachElement(A, IA, D, ID, N) { $0 < B ? B : ($0 > C ? C : $0) }
}

/// A, with what is between b and c moved to the end of its sign.
public func vDSP_viclip(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafePointer<Float>,
    _ D: UnsafeMutablePointer<Float>, _ ID: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    let C = C.pointee
    eachElement(A, IA, D, ID, N) { $0 <= B || $0 >= C ? $0 : ($0 < 0 ? B : C) }
}

/// A, with what is between b and c moved to the end of its sign.
public func vDSP_viclipD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafePointer<Double>,
    _ D: UnsafeMutablePointer<Double>, _ ID: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    let C = C.pointee
    eachElement(A, IA, D, ID, N) { $0 <= B || $0 >= C ? $0 : ($0 < 0 ? B : C) }
}

/// A, and b where it is less.
public func vDSP_vthr(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    eachElement(A, IA, C, IC, N) { $0 >= B ? $0 : B }
}

/// A, and b where it is less.
public func vDSP_vthrD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    eachElement(A, IA, C, IC, N) { $0 >= B ? $0 : B }
}

/// A, and 0 where it is less than b.
public func vDSP_vthres(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    eachElement(A, IA, C, IC, N) { $0 >= B ? $0 : 0 }
}

/// A, and 0 where it is less than b.
public func vDSP_vthresD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    eachElement(A, IA, C, IC, N) { $0 >= B ? $0 : 0 }
}

/// c where A is b or more, else −c.
public func vDSP_vthrsc(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafePointer<Float>,
    _ D: UnsafeMutablePointer<Float>, _ ID: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    let C = C.pointee
    eachElement(A, IA, D, ID, N) { $0 >= B ? C : -C }
}

/// c where A is b or more, else −c.
public func vDSP_vthrscD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafePointer<Double>,
    _ D: UnsafeMutablePointer<Double>, _ ID: vDSP_Stride, _ N: vDSP_Length
) {
    let B = B.pointee
    let C = C.pointee
    eachElement(A, IA, D, ID, N) { $0 >= B ? C : -C }
}

/// a ÷ B
public func vDSP_svdiv(
    _ A: UnsafePointer<Float>, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride, _ C: UnsafeMutablePointer<Float>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    let A = A.pointee
    eachElement(B, IB, C, IC, N) { A / $0 }
}

/// Decibels over the reference: 10 · log10(A ÷ b) of powers where `F` is 0, and 20 · log10(A ÷ b) of amplitudes where it is 1.
public func vDSP_vdbcon(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>,
    _ IC: vDSP_Stride, _ N: vDSP_Length, _ F: UInt32
) {
    let (factor, B): (Float, Float) = (F == 0 ? 10 : 20, B.pointee)
    eachElement(A, IA, C, IC, N) { factor * log10($0 / B) }
}

/// a ÷ B
public func vDSP_svdivD(
    _ A: UnsafePointer<Double>, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride, _ C: UnsafeMutablePointer<Double>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    let A = A.pointee
    eachElement(B, IB, C, IC, N) { A / $0 }
}

/// Decibels over the reference: 10 · log10(A ÷ b) of powers where `F` is 0, and 20 · log10(A ÷ b) of amplitudes where it is 1.
public func vDSP_vdbconD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>,
    _ IC: vDSP_Stride, _ N: vDSP_Length, _ F: UInt32
) {
    let (factor, B): (Double, Double) = (F == 0 ? 10 : 20, B.pointee)
    eachElement(A, IA, C, IC, N) { factor * log10($0 / B) }
}
