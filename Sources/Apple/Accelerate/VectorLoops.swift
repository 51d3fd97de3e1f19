/// A number of elements.
public typealias vDSP_Length = UInt
/// The distance from one element to the next: 1 if the elements are contiguous, negative for reverse order.
public typealias vDSP_Stride = Int

// The loops that all vDSP functions here use. For contiguous elements, there is a loop without a stride, so that the
// optimizer vectorizes it. The body is always inlined. The target may be the source itself.

@inline(__always)
func eachElement<A, C>(
    _ a: UnsafePointer<A>, _ stepA: vDSP_Stride, _ c: UnsafeMutablePointer<C>, _ stepC: vDSP_Stride,
    _ length: vDSP_Length, _ body: (A) -> C
) {
    let count = Int(clamping: length)
    if stepA == 1, stepC == 1 {
        for index in 0..<count { c[index] = body(a[index]) }
    } else {
        for index in 0..<count { c[index &* stepC] = body(a[index &* stepA]) }
    }
}

/// A variant with a number as the second operand. The number is read before the loop, because the loop may overwrite
/// it.
@inline(__always)
func eachElement<T>(
    _ a: UnsafePointer<T>, _ stepA: vDSP_Stride, _ b: UnsafePointer<T>, _ c: UnsafeMutablePointer<T>,
    _ stepC: vDSP_Stride, _ length: vDSP_Length, _ body: (T, T) -> T
) {
    let b = b.pointee
    eachElement(a, stepA, c, stepC, length) { body($0, b) }
}

/// A variant with two numbers as operands.
@inline(__always)
func eachElement<T>(
    _ a: UnsafePointer<T>, _ stepA: vDSP_Stride, _ b: UnsafePointer<T>, _ c: UnsafePointer<T>,
    _ d: UnsafeMutablePointer<T>, _ stepD: vDSP_Stride, _ length: vDSP_Length, _ body: (T, T, T) -> T
) {
    let (b, c) = (b.pointee, c.pointee)
    eachElement(a, stepA, d, stepD, length) { body($0, b, c) }
}

@inline(__always)
func eachPair<A, B, C>(
    _ a: UnsafePointer<A>, _ stepA: vDSP_Stride, _ b: UnsafePointer<B>, _ stepB: vDSP_Stride,
    _ c: UnsafeMutablePointer<C>, _ stepC: vDSP_Stride, _ length: vDSP_Length, _ body: (A, B) -> C
) {
    let count = Int(clamping: length)
    if stepA == 1, stepB == 1, stepC == 1 {
        for index in 0..<count { c[index] = body(a[index], b[index]) }
    } else {
        for index in 0..<count { c[index &* stepC] = body(a[index &* stepA], b[index &* stepB]) }
    }
}

@inline(__always)
func eachTriple<T>(
    _ a: UnsafePointer<T>, _ stepA: vDSP_Stride, _ b: UnsafePointer<T>, _ stepB: vDSP_Stride, _ c: UnsafePointer<T>,
    _ stepC: vDSP_Stride, _ d: UnsafeMutablePointer<T>, _ stepD: vDSP_Stride, _ length: vDSP_Length,
    _ body: (T, T, T) -> T
) {
    let count = Int(clamping: length)
    if stepA == 1, stepB == 1, stepC == 1, stepD == 1 {
        for index in 0..<count { d[index] = body(a[index], b[index], c[index]) }
    } else {
        for index in 0..<count { d[index &* stepD] = body(a[index &* stepA], b[index &* stepB], c[index &* stepC]) }
    }
}

/// Converts to an integer. Rounds to the nearest if `rounds` is true, otherwise toward 0. Returns the type's minimum or
/// maximum for a value out of range, and 0 for NaN.
@inline(__always)
func wholeNumber<T: BinaryFloatingPoint, N: FixedWidthInteger>(_ value: T, rounds: Bool) -> N {
    let whole = value.rounded(rounds ? .toNearestOrEven : .towardZero)
    if whole >= T(N.max) { return N.max }
    if whole <= T(N.min) { return N.min }
    return whole.isNaN ? 0 : N(whole)
}
