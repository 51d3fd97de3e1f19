// Creating and rearranging vectors.

/// a, a + b, a + 2b, …
public func vDSP_vramp(
    _ A: UnsafePointer<Float>, _ B: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    let (A, B) = (A.pointee, B.pointee)
    for index in 0..<Int(clamping: N) { C[index &* IC] = A + Float(index) * B }
}

/// Values from a to b in equal steps, both included.
public func vDSP_vgen(
    _ A: UnsafePointer<Float>, _ B: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    let (A, B, steps) = (A.pointee, B.pointee, Float(max(1, Int(clamping: N) - 1)))
    for index in 0..<Int(clamping: N) { C[index &* IC] = A + (B - A) * (Float(index) / steps) }
}

/// Fades: multiplies each element by the ramp, and stores the ramp’s next value in `Start` for the next call.
public func vDSP_vrampmul(
    _ I: UnsafePointer<Float>, _ IS: vDSP_Stride, _ Start: UnsafeMutablePointer<Float>, _ Step: UnsafePointer<Float>,
    _ O: UnsafeMutablePointer<Float>, _ OS: vDSP_Stride, _ N: vDSP_Length
) {
    let (start, step) = (Start.pointee, Step.pointee)
    for index in 0..<Int(clamping: N) { O[index &* OS] = I[index &* IS] * (start + Float(index) * step) }
    Start.pointee = start + Float(N) * step
}

/// Fills the vector with one number.
public func vDSP_vfill(
    _ A: UnsafePointer<Float>, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    let A = A.pointee
    for index in 0..<Int(clamping: N) { C[index &* IC] = A }
}

public func vDSP_vclr(_ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length) {
    for index in 0..<Int(clamping: N) { C[index &* IC] = 0 }
}

/// The elements at the indices B, counted from 1.
public func vDSP_vgathr(
    _ A: UnsafePointer<Float>, _ B: UnsafePointer<vDSP_Length>, _ IB: vDSP_Stride, _ C: UnsafeMutablePointer<Float>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    eachElement(B, IB, C, IC, N) { A[Int(bitPattern: $0) &- 1] }
}

/// Reverses the order.
public func vDSP_vrvrs(_ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length) {
    let count = Int(clamping: N)
    for index in 0..<count / 2 {
        (C[index &* IC], C[(count - 1 - index) &* IC]) = (C[(count - 1 - index) &* IC], C[index &* IC])
    }
}

public func vDSP_vswap(
    _ A: UnsafeMutablePointer<Float>, _ IA: vDSP_Stride, _ B: UnsafeMutablePointer<Float>, _ IB: vDSP_Stride,
    _ N: vDSP_Length
) {
    for index in 0..<Int(clamping: N) { (A[index &* IA], B[index &* IB]) = (B[index &* IB], A[index &* IA]) }
}

/// Sorts, ascending if `Order` is 1, descending if it is −1.
public func vDSP_vsort(_ C: UnsafeMutablePointer<Float>, _ N: vDSP_Length, _ Order: Int32) {
    var elements = UnsafeMutableBufferPointer(start: C, count: Int(clamping: N))
    if Order >= 0 { elements.sort(by: <) } else { elements.sort(by: >) }
}

/// Interpolates linearly: the integer part of b is the index of an element, its fraction the position between it and
/// the next element. `M` is the number of elements in A.
public func vDSP_vlint(
    _ A: UnsafePointer<Float>, _ B: UnsafePointer<Float>, _ IB: vDSP_Stride, _ C: UnsafeMutablePointer<Float>,
    _ IC: vDSP_Stride, _ N: vDSP_Length, _ M: vDSP_Length
) {
    let last = Int(clamping: M) - 1
    guard last >= 0 else { return }
    eachElement(B, IB, C, IC, N) { place in
        let index: Int = min(max(0, wholeNumber(place, rounds: false)), last)
        let next = min(index + 1, last)
        return A[index] + (A[next] - A[index]) * (place - place.rounded(.down))
    }
}

/// a, a + b, a + 2b, …
public func vDSP_vrampD(
    _ A: UnsafePointer<Double>, _ B: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    let (A, B) = (A.pointee, B.pointee)
    for index in 0..<Int(clamping: N) { C[index &* IC] = A + Double(index) * B }
}

/// Values from a to b in equal steps, both included.
public func vDSP_vgenD(
    _ A: UnsafePointer<Double>, _ B: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) {
    let (A, B, steps) = (A.pointee, B.pointee, Double(max(1, Int(clamping: N) - 1)))
    for index in 0..<Int(clamping: N) { C[index &* IC] = A + (B - A) * (Double(index) / steps) }
}

/// Fades: multiplies each element by the ramp, and stores the ramp’s next value in `Start` for the next call.
public func vDSP_vrampmulD(
    _ I: UnsafePointer<Double>, _ IS: vDSP_Stride, _ Start: UnsafeMutablePointer<Double>, _ Step: UnsafePointer<Double>,
    _ O: UnsafeMutablePointer<Double>, _ OS: vDSP_Stride, _ N: vDSP_Length
) {
    let (start, step) = (Start.pointee, Step.pointee)
    for index in 0..<Int(clamping: N) { O[index &* OS] = I[index &* IS] * (start + Double(index) * step) }
    Start.pointee = start + Double(N) * step
}

/// Fills the vector with one number.
public func vDSP_vfillD(
    _ A: UnsafePointer<Double>, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    let A = A.pointee
    for index in 0..<Int(clamping: N) { C[index &* IC] = A }
}

public func vDSP_vclrD(_ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length) {
    for index in 0..<Int(clamping: N) { C[index &* IC] = 0 }
}

/// The elements at the indices B, counted from 1.
public func vDSP_vgathrD(
    _ A: UnsafePointer<Double>, _ B: UnsafePointer<vDSP_Length>, _ IB: vDSP_Stride, _ C: UnsafeMutablePointer<Double>,
    _ IC: vDSP_Stride, _ N: vDSP_Length
) {
    eachElement(B, IB, C, IC, N) { A[Int(bitPattern: $0) &- 1] }
}

/// Reverses the order.
public func vDSP_vrvrsD(_ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length) {
    let count = Int(clamping: N)
    for index in 0..<count / 2 {
        (C[index &* IC], C[(count - 1 - index) &* IC]) = (C[(count - 1 - index) &* IC], C[index &* IC])
    }
}

public func vDSP_vswapD(
    _ A: UnsafeMutablePointer<Double>, _ IA: vDSP_Stride, _ B: UnsafeMutablePointer<Double>, _ IB: vDSP_Stride,
    _ N: vDSP_Length
) {
    for index in 0..<Int(clamping: N) { (A[index &* IA], B[index &* IB]) = (B[index &* IB], A[index &* IA]) }
}

/// Sorts, ascending if `Order` is 1, descending if it is −1.
public func vDSP_vsortD(_ C: UnsafeMutablePointer<Double>, _ N: vDSP_Length, _ Order: Int32) {
    var elements = UnsafeMutableBufferPointer(start: C, count: Int(clamping: N))
    if Order >= 0 { elements.sort(by: <) } else { elements.sort(by: >) }
}

/// Interpolates linearly: the integer part of b is the index of an element, its fraction the position between it and
/// the next element. `M` is the number of elements in A.
public func vDSP_vlintD(
    _ A: UnsafePointer<Double>, _ B: UnsafePointer<Double>, _ IB: vDSP_Stride, _ C: UnsafeMutablePointer<Double>,
    _ IC: vDSP_Stride, _ N: vDSP_Length, _ M: vDSP_Length
) {
    let last = Int(clamping: M) - 1
    guard last >= 0 else { return }
    eachElement(B, IB, C, IC, N) { place in
        let index: Int = min(max(0, wholeNumber(place, rounds: false)), last)
        let next = min(index + 1, last)
        return A[index] + (A[next] - A[index]) * (place - place.rounded(.down))
    }
}
