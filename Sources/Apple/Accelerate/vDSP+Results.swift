extension vDSP {
    public enum RoundingMode: Sendable {
        case towardZero
        case towardNearestInteger
    }

    static func fill<U: AccelerateBuffer, V: AccelerateMutableBuffer>(
        _ result: inout V, from vector: U,
        _ body: (UnsafePointer<U.Element>, UnsafeMutablePointer<V.Element>, vDSP_Length) -> Void
    ) {
        result.withUnsafeMutableBufferPointer { target in
            let target = target
            vector.withElements { source, length in
                guard let start = target.baseAddress else { return }
                body(source, start, min(length, vDSP_Length(target.count)))
            }
        }
    }

    static func paired<T: ExpressibleByIntegerLiteral, U: AccelerateBuffer, V: AccelerateBuffer>(
        _ a: U, _ b: V, _ body: (UnsafePointer<T>, UnsafePointer<T>, UnsafeMutablePointer<T>, vDSP_Length) -> Void
    ) -> [T] where U.Element == T, V.Element == T {
        var result = [T](repeating: 0, count: min(a.count, b.count))
        result.withUnsafeMutableBufferPointer { target in
            guard let start = target.baseAddress else { return }
            let length = vDSP_Length(target.count)
            a.withElements { a, _ in b.withElements { b, _ in body(a, b, start, length) } }
        }
        return result
    }
}
