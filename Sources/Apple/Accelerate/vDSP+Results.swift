// The common parts of the vDSP functions in Swift’s form. Each vDSP function passes them the C function that computes
// its result.

/// The three forms of vDSP functions: on one vector, on a vector and a number, and on two vectors.
typealias VectorOperation<A, C> = (
    UnsafePointer<A>, vDSP_Stride, UnsafeMutablePointer<C>, vDSP_Stride, vDSP_Length
) -> Void
typealias ScalarOperation<T> = (
    UnsafePointer<T>, vDSP_Stride, UnsafePointer<T>, UnsafeMutablePointer<T>, vDSP_Stride, vDSP_Length
) -> Void
typealias PairOperation<T> = (
    UnsafePointer<T>, vDSP_Stride, UnsafePointer<T>, vDSP_Stride, UnsafeMutablePointer<T>, vDSP_Stride, vDSP_Length
) -> Void

// These functions are always inlined. Their callers are generic over the vector, but know the type of the elements.
extension AccelerateBuffer {
    /// Returns a new array with the same count, filled by `operation`.
    @inline(__always)
    func mapped<T: ExpressibleByIntegerLiteral>(_ operation: VectorOperation<Element, T>) -> [T] {
        var result = [T](repeating: 0, count: count)
        result.withUnsafeMutableBufferPointer { target in
            guard let start = target.baseAddress else { return }
            withElements { source, length in operation(source, 1, start, 1, length) }
        }
        return result
    }

    @inline(__always)
    func mapped(_ scalar: Element, _ operation: ScalarOperation<Element>) -> [Element]
    where Element: ExpressibleByIntegerLiteral {
        withUnsafePointer(to: scalar) { scalar in mapped { operation($0, $1, scalar, $2, $3, $4) } }
    }

    /// Returns the result of `operation`, or `empty` if there are no elements.
    @inline(__always)
    func reduced(
        _ operation: (UnsafePointer<Element>, vDSP_Stride, UnsafeMutablePointer<Element>, vDSP_Length) -> Void,
        empty: Element
    ) -> Element {
        var result = empty
        withElements { operation($0, 1, &result, $1) }
        return result
    }

    /// Returns the index and the value that `operation` finds; 0 and NaN without elements.
    @inline(__always)
    func found(
        _ operation: (
            UnsafePointer<Element>, vDSP_Stride, UnsafeMutablePointer<Element>, UnsafeMutablePointer<vDSP_Length>,
            vDSP_Length
        ) -> Void
    ) -> (vDSP_Length, Element) where Element: FloatingPoint {
        var (place, result): (vDSP_Length, Element) = (0, .nan)
        withElements { operation($0, 1, &result, &place, $1) }
        return (place, result)
    }
}

extension vDSP {
    public enum RoundingMode: Sendable {
        case towardZero
        case towardNearestInteger
    }

    /// Fills an existing vector, with as many elements as the shorter of the two vectors has.
    static func fill<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ result: inout V, from vector: U, _ operation: VectorOperation<U.Element, V.Element>
    ) {
        result.withUnsafeMutableBufferPointer { target in
            let target = target
            vector.withElements { source, length in
                guard let start = target.baseAddress else { return }
                operation(source, 1, start, 1, min(length, vDSP_Length(target.count)))
            }
        }
    }

    @inline(__always)
    static func fill<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ result: inout V, from vector: U, _ scalar: U.Element, _ operation: ScalarOperation<U.Element>
    ) where U.Element == V.Element {
        withUnsafePointer(to: scalar) { scalar in
            fill(&result, from: vector) { operation($0, $1, scalar, $2, $3, $4) }
        }
    }

    @inline(__always)
    static func paired<T: ExpressibleByIntegerLiteral, U: AccelerateBuffer, V: AccelerateBuffer>(
        _ a: U, _ b: V, _ operation: PairOperation<T>
    ) -> [T] where U.Element == T, V.Element == T {
        var result = [T](repeating: 0, count: min(a.count, b.count))
        result.withUnsafeMutableBufferPointer { target in
            guard let start = target.baseAddress else { return }
            let length = vDSP_Length(target.count)
            a.withElements { a, _ in b.withElements { b, _ in operation(a, 1, b, 1, start, 1, length) } }
        }
        return result
    }

    /// Reduces two vectors to a sum, over as many elements as the shorter vector has.
    @inline(__always)
    static func reduced<T: ExpressibleByIntegerLiteral, U: AccelerateBuffer, V: AccelerateBuffer>(
        _ a: U, _ b: V,
        _ operation: (
            UnsafePointer<T>, vDSP_Stride, UnsafePointer<T>, vDSP_Stride, UnsafeMutablePointer<T>, vDSP_Length
        ) -> Void
    ) -> T where U.Element == T, V.Element == T {
        var result: T = 0
        a.withElements { a, countA in
            b.withElements { b, countB in operation(a, 1, b, 1, &result, min(countA, countB)) }
        }
        return result
    }

    @inline(__always)
    static func clipped<T: ExpressibleByIntegerLiteral, U: AccelerateBuffer>(
        _ vector: U, _ bounds: ClosedRange<T>,
        _ operation: (
            UnsafePointer<T>, vDSP_Stride, UnsafePointer<T>, UnsafePointer<T>, UnsafeMutablePointer<T>, vDSP_Stride,
            vDSP_Length
        ) -> Void
    ) -> [T] where U.Element == T {
        withUnsafePointer(to: bounds.upperBound) { high in
            vector.mapped(bounds.lowerBound) { operation($0, $1, $2, high, $3, $4, $5) }
        }
    }

    @inline(__always)
    static func downsampled<T: ExpressibleByIntegerLiteral, U: AccelerateBuffer, V: AccelerateBuffer>(
        _ source: U, _ factor: Int, _ filter: V,
        _ operation: (
            UnsafePointer<T>, vDSP_Stride, UnsafePointer<T>, UnsafeMutablePointer<T>, vDSP_Length, vDSP_Length
        ) -> Void
    ) -> [T] where U.Element == T, V.Element == T {
        precondition(factor > 0 && filter.count > 0, "decimationFactor must be positive and filter not empty")
        guard source.count >= filter.count else { return [] }
        var result = [T](repeating: 0, count: (source.count - filter.count) / factor + 1)
        result.withUnsafeMutableBufferPointer { target in
            guard let start = target.baseAddress else { return }
            let count = vDSP_Length(target.count)
            source.withElements { source, _ in
                filter.withElements { filter, length in operation(source, factor, filter, start, count, length) }
            }
        }
        return result
    }

    @inline(__always)
    static func ramped<T: ExpressibleByIntegerLiteral>(
        _ a: T, _ b: T, _ count: Int,
        _ operation: (
            UnsafePointer<T>, UnsafePointer<T>, UnsafeMutablePointer<T>, vDSP_Stride, vDSP_Length
        ) -> Void
    ) -> [T] {
        var (a, b, result) = (a, b, [T](repeating: 0, count: count))
        operation(&a, &b, &result, 1, vDSP_Length(count))
        return result
    }
}
