/// How many elements.
public typealias vDSP_Length = UInt
/// Elements from one to the next: 1 where they lie side by side; negative to go back.
public typealias vDSP_Stride = Int

// The loops that all of vDSP here is made of. Where elements lie side by side a loop has no step of its own, so that the
// optimiser makes vector code of it; the body is always inlined. The target may be the source itself.

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

/// Adds up, or whatever `body` does, in eight sums that do not wait for each other, as a vector does; so that the order of
/// the additions is not that of a plain loop.
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

/// The whole number next to 0, or the nearest one where `rounds`; the nearest end of its type for what is beyond, and 0 for
/// what is no number.
@inline(__always)
func wholeNumber<T: BinaryFloatingPoint, N: FixedWidthInteger>(_ value: T, rounds: Bool) -> N {
    let whole = value.rounded(rounds ? .toNearestOrEven : .towardZero)
    if whole >= T(N.max) { return N.max }
    if whole <= T(N.min) { return N.min }
    return whole.isNaN ? 0 : N(whole)
}

/// The first element whose value comes before all others, and how many elements from the start it stands; `start` at 0 where
/// none comes before that.
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
