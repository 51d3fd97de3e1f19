// The reductions that all vDSP functions here use.

/// Combines the values that `body` reads at each index, in order, for example by adding them.
@inline(__always)
private func reduceInOrder<T>(_ indices: Range<Int>, _ start: T, _ body: (T, Int) -> T) -> T {
    var result = start
    for index in indices { result = body(result, index) }
    return result
}

/// Reduces the values that `body` reads at each index: first into the eight lanes of a vector, then the lanes into one
/// value. The order of the additions therefore differs from that of a plain loop.
@inline(__always)
private func reduceInLanes<T: SIMDScalar>(
    _ count: Int, _ start: T, _ body: (T, Int) -> T, _ joined: (T, T) -> T
) -> T {
    var lanes = SIMD8(repeating: start)
    var index = 0
    while index &+ 8 <= count {
        lanes = SIMD8(
            body(lanes[0], index), body(lanes[1], index &+ 1), body(lanes[2], index &+ 2), body(lanes[3], index &+ 3),
            body(lanes[4], index &+ 4), body(lanes[5], index &+ 5), body(lanes[6], index &+ 6),
            body(lanes[7], index &+ 7))
        index &+= 8
    }
    var first = lanes[0]
    while index < count {
        first = body(first, index)
        index &+= 1
    }
    // With fewer than eight elements, the other lanes still contain `start`, so they are not joined. If this test were
    // before the loop, the loop would take six times as long.
    if count < 8 { return first }
    return joined(
        joined(joined(first, lanes[1]), joined(lanes[2], lanes[3])),
        joined(joined(lanes[4], lanes[5]), joined(lanes[6], lanes[7])))
}

/// Reduces the elements. Uses lanes if the elements are contiguous.
@inline(__always)
private func reduceElements<T: SIMDScalar>(
    _ a: UnsafePointer<T>, _ step: vDSP_Stride, _ length: vDSP_Length, _ start: T, _ body: (T, T) -> T,
    _ joined: (T, T) -> T
) -> T {
    let count = Int(clamping: length)
    if step == 1 { return reduceInLanes(count, start, { body($0, a[$1]) }, joined) }
    return reduceInOrder(0..<count, start) { body($0, a[$1 &* step]) }
}

/// Returns the sum of the values that `value` returns for the elements.
@inline(__always)
func sum<T: FloatingPoint & SIMDScalar>(
    _ a: UnsafePointer<T>, _ step: vDSP_Stride, _ length: vDSP_Length, _ value: (T) -> T
) -> T { reduceElements(a, step, length, 0, { $0 + value($1) }, { $0 + $1 }) }

/// Returns the mean of the values that `value` returns for the elements; NaN without elements.
@inline(__always)
func mean<T: BinaryFloatingPoint & SIMDScalar>(
    _ a: UnsafePointer<T>, _ step: vDSP_Stride, _ length: vDSP_Length, _ value: (T) -> T
) -> T { sum(a, step, length, value) / T(Int(clamping: length)) }

/// Returns the value that is first in the order `isBefore`; `start` if no value is before `start`.
@inline(__always)
func extreme<T: SIMDScalar>(
    _ a: UnsafePointer<T>, _ step: vDSP_Stride, _ length: vDSP_Length, _ start: T, _ value: (T) -> T,
    _ isBefore: (T, T) -> Bool
) -> T {
    reduceElements(
        a, step, length, start, { isBefore(value($1), $0) ? value($1) : $0 }, { isBefore($0, $1) ? $0 : $1 })
}

/// Returns the value that is first in the order `isBefore`, and the index of its first occurrence times the stride.
/// Returns `start` and 0 if no value is before `start`.
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

/// Returns the sum of the products of two vectors.
@inline(__always)
func sumOfProducts<T: FloatingPoint & SIMDScalar>(
    _ a: UnsafePointer<T>, _ stepA: vDSP_Stride, _ b: UnsafePointer<T>, _ stepB: vDSP_Stride, _ length: vDSP_Length
) -> T {
    let count = Int(clamping: length)
    if stepA == 1, stepB == 1 { return reduceInLanes(count, 0, { $0 + a[$1] * b[$1] }, { $0 + $1 }) }
    return reduceInOrder(0..<count, 0) { $0 + a[$1 &* stepA] * b[$1 &* stepB] }
}
