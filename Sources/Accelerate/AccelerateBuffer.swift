/// The same calls in Swift’s form: on whole arrays, and giving new ones.
public enum vDSP {}

/// Elements that lie side by side in memory.
public protocol AccelerateBuffer {
    associatedtype Element
    var count: Int { get }
    func withUnsafeBufferPointer<R>(_ body: (UnsafeBufferPointer<Element>) throws -> R) rethrows -> R
}

/// Such elements, to be written.
public protocol AccelerateMutableBuffer: AccelerateBuffer {
    mutating func withUnsafeMutableBufferPointer<R>(
        _ body: (inout UnsafeMutableBufferPointer<Element>) throws -> R
    ) rethrows -> R
}

extension Array: AccelerateMutableBuffer {}
extension ArraySlice: AccelerateMutableBuffer {}
extension ContiguousArray: AccelerateMutableBuffer {}

extension UnsafeBufferPointer: AccelerateBuffer {
    public func withUnsafeBufferPointer<R>(_ body: (UnsafeBufferPointer<Element>) throws -> R) rethrows -> R {
        try body(self)
    }
}

extension UnsafeMutableBufferPointer: AccelerateMutableBuffer {
    public func withUnsafeBufferPointer<R>(_ body: (UnsafeBufferPointer<Element>) throws -> R) rethrows -> R {
        try body(UnsafeBufferPointer(self))
    }

    public mutating func withUnsafeMutableBufferPointer<R>(
        _ body: (inout UnsafeMutableBufferPointer<Element>) throws -> R
    ) rethrows -> R {
        try body(&self)
    }
}

extension AccelerateBuffer {
    /// Calls with the first element; not at all where there is none.
    func withElements(_ body: (UnsafePointer<Element>, vDSP_Length) -> Void) {
        withUnsafeBufferPointer { elements in
            if let start = elements.baseAddress, !elements.isEmpty { body(start, vDSP_Length(elements.count)) }
        }
    }

    /// A new array of as many elements, that the body fills.
    func mapped<T: ExpressibleByIntegerLiteral>(
        _ body: (UnsafePointer<Element>, UnsafeMutablePointer<T>, vDSP_Length) -> Void
    ) -> [T] {
        var result = [T](repeating: 0, count: count)
        withElements { source, length in
            result.withUnsafeMutableBufferPointer { target in
                if let target = target.baseAddress { body(source, target, length) }
            }
        }
        return result
    }
}
