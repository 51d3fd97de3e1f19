// Creating and rearranging vectors.

/// a, a + b, a + 2b, …
public func vDSP_vramp(
    _ A: UnsafePointer<Float>, _ B: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { ramp(A, B, C, IC, N) }

/// a, a + b, a + 2b, …
public func vDSP_vrampD(
    _ A: UnsafePointer<Double>, _ B: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { ramp(A, B, C, IC, N) }

/// Values from a to b in equal steps, both included.
public func vDSP_vgen(
    _ A: UnsafePointer<Float>, _ B: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { steps(A, B, C, IC, N) }

/// Values from a to b in equal steps, both included.
public func vDSP_vgenD(
    _ A: UnsafePointer<Double>, _ B: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { steps(A, B, C, IC, N) }

/// Fades in or out: multiplies each element by a ramp, and stores the ramp’s next value in `Start` for the next call.
public func vDSP_vrampmul(
    _ I: UnsafePointer<Float>, _ IS: vDSP_Stride, _ Start: UnsafeMutablePointer<Float>, _ Step: UnsafePointer<Float>,
    _ O: UnsafeMutablePointer<Float>, _ OS: vDSP_Stride, _ N: vDSP_Length
) { fade(I, IS, Start, Step, O, OS, N) }

/// Fades in or out: multiplies each element by a ramp, and stores the ramp’s next value in `Start` for the next call.
public func vDSP_vrampmulD(
    _ I: UnsafePointer<Double>, _ IS: vDSP_Stride, _ Start: UnsafeMutablePointer<Double>, _ Step: UnsafePointer<Double>,
    _ O: UnsafeMutablePointer<Double>, _ OS: vDSP_Stride, _ N: vDSP_Length
) { fade(I, IS, Start, Step, O, OS, N) }

/// Fills the vector with one number.
public func vDSP_vfill(
    _ A: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { fillElements(C, IC, N, A.pointee) }

/// Fills the vector with one number.
public func vDSP_vfillD(
    _ A: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { fillElements(C, IC, N, A.pointee) }

public func vDSP_vclr(_ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length) {
    fillElements(C, IC, N, 0)
}

public func vDSP_vclrD(_ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length) {
    fillElements(C, IC, N, 0)
}

/// The elements at the indices B, counted from 1.
public func vDSP_vgathr(
    _ A: UnsafePointer<Float>, _ B: UnsafePointer<vDSP_Length>, _ IB: vDSP_Stride, _ C: UnsafeMutablePointer<Float>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(B, IB, C, IC, N) { A[Int(bitPattern: $0) &- 1] } }

/// The elements at the indices B, counted from 1.
public func vDSP_vgathrD(
    _ A: UnsafePointer<Double>, _ B: UnsafePointer<vDSP_Length>, _ IB: vDSP_Stride, _ C: UnsafeMutablePointer<Double>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(B, IB, C, IC, N) { A[Int(bitPattern: $0) &- 1] } }

/// Reverses the order of the elements.
public func vDSP_vrvrs(_ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length) {
    reverseElements(C, IC, N)
}

/// Reverses the order of the elements.
public func vDSP_vrvrsD(_ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length) {
    reverseElements(C, IC, N)
}

public func vDSP_vswap(
    _ A: UnsafeMutablePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafeMutablePointer<Float>, _ IB: vDSP_Stride,
    _ N: vDSP_Length
) { swapElements(A, IA, B, IB, N) }

public func vDSP_vswapD(
    _ A: UnsafeMutablePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafeMutablePointer<Double>, _ IB: vDSP_Stride,
    _ N: vDSP_Length
) { swapElements(A, IA, B, IB, N) }

/// Sorts the elements in ascending order if `Order` is 1, in descending order if it is −1.
public func vDSP_vsort(_ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length, _ Order: Int32) {
    sortElements(C, N, Order)
}

/// Sorts the elements in ascending order if `Order` is 1, in descending order if it is −1.
public func vDSP_vsortD(_ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length, _ Order: Int32) {
    sortElements(C, N, Order)
}

/// Interpolates linearly. The integer part of b is the index of an element. The fraction of b is the position between
/// that element and the next. `M` is the number of elements in A.
public func vDSP_vlint(
    _ A: UnsafePointer<Float>, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride, _ C: UnsafeMutablePointer<Float>,
    _ IC: vDSP_Stride, _ N: vDSP_Length, _ M: vDSP_Length
) { interpolate(A, B, IB, C, IC, N, M) }

/// Interpolates linearly. The integer part of b is the index of an element. The fraction of b is the position between
/// that element and the next. `M` is the number of elements in A.
public func vDSP_vlintD(
    _ A: UnsafePointer<Double>, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride, _ C: UnsafeMutablePointer<Double>,
    _ IC: vDSP_Stride, _ N: vDSP_Length, _ M: vDSP_Length
) { interpolate(A, B, IB, C, IC, N, M) }

@inline(__always)
private func ramp<T: BinaryFloatingPoint>(
    _ a: UnsafePointer<T>, _ b: UnsafePointer<T>, _ c: UnsafeMutablePointer<T>, _ step: vDSP_Stride,
    _ length: vDSP_Length
) {
    let (a, b) = (a.pointee, b.pointee)
    for index in 0..<Int(clamping: length) { c[index &* step] = a + T(index) * b }
}

@inline(__always)
private func steps<T: BinaryFloatingPoint>(
    _ a: UnsafePointer<T>, _ b: UnsafePointer<T>, _ c: UnsafeMutablePointer<T>, _ step: vDSP_Stride,
    _ length: vDSP_Length
) {
    let (a, b, count) = (a.pointee, b.pointee, Int(clamping: length))
    let steps = T(max(1, count - 1))
    for index in 0..<count { c[index &* step] = a + (b - a) * (T(index) / steps) }
}

@inline(__always)
private func fade<T: BinaryFloatingPoint>(
    _ a: UnsafePointer<T>, _ stepA: vDSP_Stride, _ start: UnsafeMutablePointer<T>, _ increment: UnsafePointer<T>,
    _ c: UnsafeMutablePointer<T>, _ stepC: vDSP_Stride, _ length: vDSP_Length
) {
    let (first, increment, count) = (start.pointee, increment.pointee, Int(clamping: length))
    for index in 0..<count { c[index &* stepC] = a[index &* stepA] * (first + T(index) * increment) }
    start.pointee = first + T(count) * increment
}

@inline(__always)
private func fillElements<T>(_ c: UnsafeMutablePointer<T>, _ step: vDSP_Stride, _ length: vDSP_Length, _ value: T) {
    for index in 0..<Int(clamping: length) { c[index &* step] = value }
}

@inline(__always)
private func reverseElements<T>(_ c: UnsafeMutablePointer<T>, _ step: vDSP_Stride, _ length: vDSP_Length) {
    let count = Int(clamping: length)
    for index in 0..<count / 2 {
        let (one, other) = (index &* step, (count - 1 - index) &* step)
        (c[one], c[other]) = (c[other], c[one])
    }
}

@inline(__always)
private func swapElements<T>(
    _ a: UnsafeMutablePointer<T>, _ stepA: vDSP_Stride, _ b: UnsafeMutablePointer<T>, _ stepB: vDSP_Stride,
    _ length: vDSP_Length
) {
    for index in 0..<Int(clamping: length) {
        (a[index &* stepA], b[index &* stepB]) = (b[index &* stepB], a[index &* stepA])
    }
}

@inline(__always)
private func sortElements<T: Comparable>(_ c: UnsafeMutablePointer<T>, _ length: vDSP_Length, _ order: Int32) {
    var elements = UnsafeMutableBufferPointer(start: c, count: Int(clamping: length))
    if order >= 0 { elements.sort(by: <) } else { elements.sort(by: >) }
}

@inline(__always)
private func interpolate<T: BinaryFloatingPoint>(
    _ a: UnsafePointer<T>, _ b: UnsafePointer<T>, _ stepB: vDSP_Stride, _ c: UnsafeMutablePointer<T>,
    _ stepC: vDSP_Stride, _ length: vDSP_Length, _ count: vDSP_Length
) {
    let last = Int(clamping: count) - 1
    guard last >= 0 else { return }
    eachElement(b, stepB, c, stepC, length) { place in
        let index: Int = min(max(0, wholeNumber(place, rounds: false)), last)
        let next = min(index + 1, last)
        return a[index] + (a[next] - a[index]) * (place - place.rounded(.down))
    }
}
