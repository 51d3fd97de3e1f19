public import Foundation

/// A range of a collection, like `NSRange`.
public struct CFRange: Sendable, Hashable {
    public var location: CFIndex
    public var length: CFIndex

    public init() { self.init(location: 0, length: 0) }
    public init(location: CFIndex, length: CFIndex) {
        self.location = location
        self.length = length
    }
}

public func CFRangeMake(_ location: CFIndex, _ length: CFIndex) -> CFRange {
    CFRange(location: location, length: length)
}

public func CFEqual(_ first: CFTypeRef!, _ second: CFTypeRef!) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    return first === second || (first as? NSObject)?.isEqual(second) ?? false
}

public func CFHash(_ object: CFTypeRef!) -> CFHashCode {
    guard let object else { return 0 }
    return UInt(bitPattern: (object as? NSObject)?.hash ?? ObjectIdentifier(object).hashValue)
}

public func CFArrayGetCount(_ array: CFArray!) -> CFIndex { array?.count ?? 0 }
public func CFDictionaryGetCount(_ dictionary: CFDictionary!) -> CFIndex { dictionary?.count ?? 0 }
public func CFDataGetLength(_ data: CFData!) -> CFIndex { data?.length ?? 0 }
public func CFStringGetLength(_ string: CFString!) -> CFIndex { string?.utf16.count ?? 0 }
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool { boolean?.boolValue ?? false }

/// Returns the address of the bytes, valid while the data exists and is not changed.
public func CFDataGetBytePtr(_ data: CFData!) -> UnsafePointer<UInt8>! {
    data?.bytes.assumingMemoryBound(to: UInt8.self)
}

public func CFDataGetMutableBytePtr(_ data: CFMutableData!) -> UnsafeMutablePointer<UInt8>! {
    data?.mutableBytes.assumingMemoryBound(to: UInt8.self)
}

/// Creates data with a copy of the bytes; nil for a negative length, and for a null pointer with a positive length.
public func CFDataCreate(_ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) -> CFData! {
    guard length >= 0 else { return nil }
    guard let bytes else { return length == 0 ? NSData() : nil }
    return NSData(bytes: bytes, length: length)
}

/// Creates empty mutable data; `capacity` is a hint, and 0 means no limit.
public func CFDataCreateMutable(_ allocator: CFAllocator!, _ capacity: CFIndex) -> CFMutableData! {
    NSMutableData(capacity: max(0, capacity))
}

public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }
