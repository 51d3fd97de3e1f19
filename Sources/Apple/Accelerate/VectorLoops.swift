/// A number of elements.
public typealias vDSP_Length = UInt
/// The distance from one element to the next: 1 if they are contiguous; negative for reverse order.
public typealias vDSP_Stride = Int

// The loops that all vDSP functions here use. For contiguous elements a loop has no stride, so that the optimizer
// vectorizes it; the body is always inlined. The target may be the source itself.

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

/// Reduces the elements, for example adds them, in eight independent accumulators, like a vector unit. The order of the
/// additions therefore differs from that of a plain loop.
@inline(__always)
func reduceElements<T>(
    _ a: UnsafePointer<T>, _ step: vDSP_Stride, _ length: vDSP_Length, _ start: T, _ body: (T, T) -> T,
    _ joined: (T, T) -> T
) -> T {
    let count = Int(clamping: length)
    var (s0, s1, s2, s3, s4, s5, s6, s7) = (start, start, start, start, start, start, start, start)
    var index = 0
    if step == 1 {
        while index &+ 8 <= count {
            s0 = body(s0, a[index])
            s1 = body(s1, a[index &+ 1])
            s2 = body(s2, a[index &+ 2])
            s3 = body(s3, a[index &+ 3])
            s4 = body(s4, a[index &+ 4])
            s5 = body(s5, a[index &+ 5])
            s6 = body(s6, a[index &+ 6])
            s7 = body(s7, a[index &+ 7])
            index &+= 8
        }
    }
    while index < count {
        s0 = body(s0, a[index &* step])
        index &+= 1
    }
    return joined(joined(joined(s0, s1), joined(s2, s3)), joined(joined(s4, s5), joined(s6, s7)))
}

/// Converts to an integer: toward 0, or to the nearest if `rounds`; the type's minimum or maximum if out of range, 0
/// for NaN.
@inline(__always)
func wholeNumber<T: BinaryFloatingPoint, N: FixedWidthInteger>(_ value: T, rounds: Bool) -> N {
    let whole = value.rounded(rounds ? .toNearestOrEven : .towardZero)
    if whole >= T(N.max) { return N.max }
    if whole <= T(N.min) { return N.min }
    return whole.isNaN ? 0 : N(whole)
}

/// Returns the first element whose value precedes all others, and its index times the stride; `start` and 0 if none
/// precedes `start`.
@inline(__always)
func foundElement<T>(
    _ a: UnsafePointer<T>, _ step: vDSP_Stride, _ length: vDSP_Length, _ start: T, _ value: (T) -> T,
    _ isBefore: (T, T) -> Bool
) -> (value: T, place: vDSP_Length) {
    var (found, place) = (start, 0)
    for index in 0..<Int(clamping: length) {
        let next = value(a[index &* step])
        if isBefore(next, found) { (found, place) = (next, index &* step) }
    }
    return (found, vDSP_Length(bitPattern: place))
}
