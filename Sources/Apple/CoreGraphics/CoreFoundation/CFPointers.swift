public import Foundation

// Core Foundation's collections return their values as pointers to objects. Foundation's collections on Linux create an
// object for each access, so these functions keep it as long as the collection lives. A `CFString` is a `String` here,
// which is no object: a string's pointer is that of an `NSString`.

/// Returns a pointer to the object at an index, valid while the array lives; nil for an index outside the array.
public func CFArrayGetValueAtIndex(_ array: CFArray!, _ index: CFIndex) -> UnsafeRawPointer! {
    guard let array, index >= 0, index < array.count else { return nil }
    return LentObjects.shared.pointer(to: array.object(at: index), at: index, of: array)
}

/// Returns a pointer to the object for a key, valid while the dictionary lives; nil if there is none.
///
/// - Parameter key: a pointer to an object, such as `Unmanaged.passUnretained(key).toOpaque()`.
public func CFDictionaryGetValue(_ dictionary: CFDictionary!, _ key: UnsafeRawPointer!) -> UnsafeRawPointer! {
    guard let dictionary, let key,
        let name = Unmanaged<AnyObject>.fromOpaque(key).takeUnretainedValue() as? NSObject,
        let value = dictionary.object(forKey: name)
    else { return nil }
    return LentObjects.shared.pointer(to: value, at: name, of: dictionary)
}

/// Stores a pointer to the object for a key, as `CFDictionaryGetValue` returns it.
///
/// - Returns: false if there is none.
@discardableResult
public func CFDictionaryGetValueIfPresent(
    _ dictionary: CFDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeMutablePointer<UnsafeRawPointer?>!
) -> Bool {
    guard let found = CFDictionaryGetValue(dictionary, key) else { return false }
    value?.pointee = found
    return true
}

extension Unmanaged where Instance == NSString {
    /// Returns a reference to an object for a text. Equal texts have the same object, which is never released: meant
    /// for the constants that are keys of dictionaries.
    public static func passUnretained(_ text: String) -> Unmanaged<NSString> {
        passUnretained(LentObjects.shared.text(text))
    }
}

/// The objects to which pointers were returned. Any thread may call.
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
    /// The number of collections above which those that no longer exist are removed.
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

    /// Returns the same pointer as before if the value is still equal.
    func pointer(to value: Any, at place: NSObject, of owner: AnyObject) -> UnsafeRawPointer {
        let object = Self.object(value)
        // Released after the lock: the end of a program's object may call these functions.
        var released: [Any] = []
        defer { withExtendedLifetime(released) {} }
        lock.lock()
        defer { lock.unlock() }
        let name = ObjectIdentifier(owner)
        var entry = Lent(owner: owner)
        if let earlier = lent.removeValue(forKey: name) {
            // Another collection may have had this address before.
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

    /// Returns Foundation's object for a value, which its collections return as a value of Swift.
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
