// Element-wise operations on two and three vectors. For subtraction and division, vDSP takes the subtrahend or the
// divisor as the first argument.

/// A + B
public func vDSP_vadd(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { $0 + $1 } }

/// A + B
public func vDSP_vaddD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { $0 + $1 } }

/// A − B
public func vDSP_vsub(
    _ B: UnsafePointer<Float>, _ IB: vDSP_Stride, _ A: UnsafePointer<Float>, _ IA: vDSP_Stride,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { $0 - $1 } }

/// A − B
public func vDSP_vsubD(
    _ B: UnsafePointer<Double>, _ IB: vDSP_Stride, _ A: UnsafePointer<Double>, _ IA: vDSP_Stride,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { $0 - $1 } }

/// A · B
public func vDSP_vmul(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { $0 * $1 } }

/// A · B
public func vDSP_vmulD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { $0 * $1 } }

/// A ÷ B
public func vDSP_vdiv(
    _ B: UnsafePointer<Float>, _ IB: vDSP_Stride, _ A: UnsafePointer<Float>, _ IA: vDSP_Stride,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { $0 / $1 } }

/// A ÷ B
public func vDSP_vdivD(
    _ B: UnsafePointer<Double>, _ IB: vDSP_Stride, _ A: UnsafePointer<Double>, _ IA: vDSP_Stride,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { $0 / $1 } }

/// The larger element of each pair.
public func vDSP_vmax(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { $0 > $1 ? $0 : $1 } }

/// The larger element of each pair.
public func vDSP_vmaxD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { $0 > $1 ? $0 : $1 } }

/// The smaller element of each pair.
public func vDSP_vmin(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { $0 < $1 ? $0 : $1 } }

/// The smaller element of each pair.
public func vDSP_vminD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { $0 < $1 ? $0 : $1 } }

/// The larger magnitude of each pair.
public func vDSP_vmaxmg(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { abs($0) > abs($1) ? abs($0) : abs($1) } }

/// The larger magnitude of each pair.
public func vDSP_vmaxmgD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { abs($0) > abs($1) ? abs($0) : abs($1) } }

/// The smaller magnitude of each pair.
public func vDSP_vminmg(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { abs($0) < abs($1) ? abs($0) : abs($1) } }

/// The smaller magnitude of each pair.
public func vDSP_vminmgD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { abs($0) < abs($1) ? abs($0) : abs($1) } }

/// √(A² + B²)
public func vDSP_vdist(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { ($0 * $0 + $1 * $1).squareRoot() } }

/// √(A² + B²)
public func vDSP_vdistD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride,
    _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, C, IC, N) { ($0 * $0 + $1 * $1).squareRoot() } }

/// A · B + C
public func vDSP_vma(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride,
    _ C: UnsafePointer<Float>, _ IC: vDSP_Stride, _ D: UnsafeMutablePointer<Float>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachTriple(A, IA, B, IB, C, IC, D, ID, N) { $0 * $1 + $2 } }

/// A · B + C
public func vDSP_vmaD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride,
    _ C: UnsafePointer<Double>, _ IC: vDSP_Stride, _ D: UnsafeMutablePointer<Double>, _ ID: vDSP_Stride,
    _ N: vDSP_Length
) { eachTriple(A, IA, B, IB, C, IC, D, ID, N) { $0 * $1 + $2 } }

/// A · B − C
public func vDSP_vmsb(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride,
    _ C: UnsafePointer<Float>, _ IC: vDSP_Stride, _ D: UnsafeMutablePointer<Float>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachTriple(A, IA, B, IB, C, IC, D, ID, N) { $0 * $1 - $2 } }

/// A · B − C
public func vDSP_vmsbD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride,
    _ C: UnsafePointer<Double>, _ IC: vDSP_Stride, _ D: UnsafeMutablePointer<Double>, _ ID: vDSP_Stride,
    _ N: vDSP_Length
) { eachTriple(A, IA, B, IB, C, IC, D, ID, N) { $0 * $1 - $2 } }

/// (A + B) · C
public func vDSP_vam(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride,
    _ C: UnsafePointer<Float>, _ IC: vDSP_Stride, _ D: UnsafeMutablePointer<Float>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachTriple(A, IA, B, IB, C, IC, D, ID, N) { ($0 + $1) * $2 } }

/// (A + B) · C
public func vDSP_vamD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride,
    _ C: UnsafePointer<Double>, _ IC: vDSP_Stride, _ D: UnsafeMutablePointer<Double>, _ ID: vDSP_Stride,
    _ N: vDSP_Length
) { eachTriple(A, IA, B, IB, C, IC, D, ID, N) { ($0 + $1) * $2 } }

/// (A − B) · C
public func vDSP_vsbm(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride,
    _ C: UnsafePointer<Float>, _ IC: vDSP_Stride, _ D: UnsafeMutablePointer<Float>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachTriple(A, IA, B, IB, C, IC, D, ID, N) { ($0 - $1) * $2 } }

/// (A − B) · C
public func vDSP_vsbmD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride,
    _ C: UnsafePointer<Double>, _ IC: vDSP_Stride, _ D: UnsafeMutablePointer<Double>, _ ID: vDSP_Stride,
    _ N: vDSP_Length
) { eachTriple(A, IA, B, IB, C, IC, D, ID, N) { ($0 - $1) * $2 } }

/// A · b + C
public func vDSP_vsma(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ C: UnsafePointer<Float>,
    _ IC: vDSP_Stride, _ D: UnsafeMutablePointer<Float>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, C, IC, D, ID, N) { [B = B.pointee] in $0 * B + $1 } }

/// A · b + C
public func vDSP_vsmaD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ C: UnsafePointer<Double>,
    _ IC: vDSP_Stride, _ D: UnsafeMutablePointer<Double>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, C, IC, D, ID, N) { [B = B.pointee] in $0 * B + $1 } }

/// A + (B − A) · c: interpolates between A (c is 0) and B (c is 1).
public func vDSP_vintb(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride,
    _ C: UnsafePointer<Float>, _ D: UnsafeMutablePointer<Float>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, D, ID, N) { [C = C.pointee] in $0 + ($1 - $0) * C } }

/// A + (B − A) · c: interpolates between A (c is 0) and B (c is 1).
public func vDSP_vintbD(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride,
    _ C: UnsafePointer<Double>, _ D: UnsafeMutablePointer<Double>, _ ID: vDSP_Stride, _ N: vDSP_Length
) { eachPair(A, IA, B, IB, D, ID, N) { [C = C.pointee] in $0 + ($1 - $0) * C } }
