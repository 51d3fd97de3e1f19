/// The vDSP functions in Swift’s form. They operate on arrays and return new arrays.
public enum vDSP {}

/// Elements that are contiguous in memory.
public protocol AccelerateBuffer {
    associatedtype Element
    var count: Int { get }
    func withUnsafeBufferPointer<R>(_ body: (UnsafeBufferPointer<Element>) throws -> R) rethrows -> R
}

/// Contiguous elements that can be written.
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
    /// Calls `body` with the address of the first element and the count. Does not call it for an empty buffer.
    func withElements(_ body: (UnsafePointer<Element>, vDSP_Length) -> Void) {
        withUnsafeBufferPointer { elements in
            if let start = elements.baseAddress, !elements.isEmpty { body(start, vDSP_Length(elements.count)) }
        }
    }
}
