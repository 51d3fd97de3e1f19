public import Foundation

// Core Foundation's collections return their values as pointers to objects. Foundation's collections on Linux create a
// new object for each access. These functions therefore retain the object as long as the collection exists. A
// `CFString` is a `String` here, which is not an object. The pointer for a string points to an `NSString`.

/// Returns a pointer to the object at an index, valid while the array exists; nil for an index outside the array.
public func CFArrayGetValueAtIndex(_ array: CFArray!, _ index: CFIndex) -> UnsafeRawPointer! {
    guard let array, index >= 0, index < array.count else { return nil }
    return LentObjects.shared.pointer(to: array.object(at: index), at: index, of: array)
}

/// Returns a pointer to the object for a key, valid while the dictionary exists; nil if the dictionary does not contain
/// the key.
///
/// - Parameter key: a pointer to an object, such as `Unmanaged.passUnretained(key).toOpaque()`.
public func CFDictionaryGetValue(_ dictionary: CFDictionary!, _ key: UnsafeRawPointer!) -> UnsafeRawPointer! {
    guard let dictionary, let key,
        let name = Unmanaged<AnyObject>.fromOpaque(key).takeUnretainedValue() as? NSObject,
        let value = dictionary.object(forKey: name)
    else { return nil }
    return LentObjects.shared.pointer(to: value, at: name, of: dictionary)
}

/// Gets the same pointer as `CFDictionaryGetValue`, and stores it in `value`.
///
/// - Returns: false if the dictionary does not contain the key.
@discardableResult
public func CFDictionaryGetValueIfPresent(
    _ dictionary: CFDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeMutablePointer<UnsafeRawPointer?>!
) -> Bool {
    guard let found = CFDictionaryGetValue(dictionary, key) else { return false }
    value?.pointee = found
    return true
}

extension Unmanaged where Instance == NSString {
    /// Returns a reference to an object for a string. Equal strings have the same object, which is never released. Use
    /// it for the constants that are keys of dictionaries.
    public static func passUnretained(_ text: String) -> Unmanaged<NSString> {
        passUnretained(LentObjects.shared.text(text))
    }
}

/// The objects to which pointers were returned. Safe to use from any thread.
private final class LentObjects: @unchecked Sendable {
    // Unchecked: `lock` protects everything.
    static let shared = LentObjects()

    private struct Lent {
        weak var owner: AnyObject?
        var objects: [NSObject: AnyObject] = [:]
    }

    private let lock = NSLock()
    private var texts: [String: NSString] = [:]
    private var lent: [ObjectIdentifier: Lent] = [:]
    /// The number of entries above which the entries of released collections are removed.
    private var limit = 64

    func text(_ text: String) -> NSString {
        lock.lock()
        defer { lock.unlock() }
        if let object = texts[text] { return object }
        let object = NSString(string: text)
        texts[text] = object
        return object
    }

    func pointer(to value: Any, at place: CFIndex, of owner: AnyObject) -> UnsafeRawPointer {
        pointer(to: value, at: NSNumber(value: place), of: owner)
    }

    /// Returns a pointer to the object at `place`. If the value is equal to the previous one at `place`, returns the
    /// same pointer as before.
    func pointer(to value: Any, at place: NSObject, of owner: AnyObject) -> UnsafeRawPointer {
        let object = Self.object(value)
        // These objects are released after the lock is, because the deinitializer of a program's object may call these
        // functions.
        var released: [Any] = []
        defer { withExtendedLifetime(released) {} }
        lock.lock()
        defer { lock.unlock() }
        let name = ObjectIdentifier(owner)
        var entry = Lent(owner: owner)
        if let earlier = lent.removeValue(forKey: name) {
            // An earlier collection may have had the same address.
            if earlier.owner === owner { entry = earlier } else { released.append(earlier) }
        }
        var kept = object
        if let before = entry.objects[place] {
            if before === object || (before as? NSObject)?.isEqual(object) == true {
                kept = before
            } else {
                released.append(before)
            }
        }
        entry.objects[place] = kept
        lent[name] = entry
        if lent.count > limit {
            released += lent.values.filter { $0.owner == nil } as [Any]
            lent = lent.filter { $0.value.owner != nil }
            limit = max(64, lent.count * 2)
        }
        return UnsafeRawPointer(Unmanaged.passUnretained(kept).toOpaque())
    }

    /// Returns a Foundation object for a value, because Foundation's collections return Swift values.
    private static func object(_ value: Any) -> AnyObject {
        switch value {
        case let text as String: NSString(string: text)
        case let dictionary as [AnyHashable: Any]: NSDictionary(dictionary: dictionary)
        case let array as [Any]: NSArray(array: array)
        case let data as Data: NSData(data: data)
        case let number as NSNumber: number
        default: value as AnyObject
        }
    }
}
