public import Foundation

/// A compression, decompression or pixel transfer session.
public typealias VTSession = CFTypeRef

/// The properties of a session. Safe to use from any thread.
protocol PropertySession: AnyObject {
    /// Sets a property, or resets it if the value is nil.
    func setProperty(_ key: String, _ value: Any?) -> OSStatus
    /// Returns a property's value, which may be nil, and `noErr`. If the property cannot be read, returns the error.
    func property(_ key: String) -> (value: Any?, status: OSStatus)
    /// The keys of all properties that exist, and whether each may be set.
    var supportedProperties: [String: PropertyAccess] { get }
}

enum PropertyAccess { case readOnly, readWrite }

/// Sets a property of a session.
///
/// - Parameter propertyValue: the value. It may also be a `CFString`, which is not an object on Linux.
/// - Returns: `kVTPropertyNotSupportedErr` for a property that has no effect on Linux, such as the properties of
///   hardware; `kVTParameterErr` for an invalid value.
@discardableResult
public func VTSessionSetProperty(_ session: VTSession, key propertyKey: CFString, value propertyValue: Any?) -> OSStatus
{
    guard let session = session as? any PropertySession else { return kVTInvalidSessionErr }
    return session.setProperty(propertyKey, propertyValue)
}

/// Sets properties in the order of their keys.
///
/// - Returns: the first error. The other properties are set even after an error.
@discardableResult
public func VTSessionSetProperties(_ session: VTSession, propertyDictionary: CFDictionary) -> OSStatus {
    guard let properties = propertyDictionary as? [String: Any] else { return kVTParameterErr }
    var result = noErr
    for (key, value) in properties.sorted(by: { $0.key < $1.key }) {
        let status = VTSessionSetProperty(session, key: key, value: value)
        if result == noErr { result = status }
    }
    return result
}

/// Stores a property's value, or nil if the property is not set.
///
/// - Parameter propertyValueOut: an optional variable of the value's type, such as `CFNumber?`, or of the type
///   `CFTypeRef?`.
/// - Returns: `kVTParameterErr` if the variable has another type.
@discardableResult
public func VTSessionCopyProperty<Value>(
    _ session: VTSession, key propertyKey: CFString, allocator: CFAllocator?,
    valueOut propertyValueOut: UnsafeMutablePointer<Value?>?
) -> OSStatus {
    guard let session = session as? any PropertySession else { return kVTInvalidSessionErr }
    let (found, status) = session.property(propertyKey)
    guard status == noErr else { return status }
    guard let found else {
        propertyValueOut?.pointee = nil
        return noErr
    }
    var value = found as? Value
    // A variable of type `CFTypeRef` gets a Foundation string object, not a box around the Swift string.
    if Value.self == AnyObject.self, let text = found as? String { value = NSString(string: text) as? Value }
    guard let value else { return kVTParameterErr }
    propertyValueOut?.pointee = value
    return noErr
}

/// Stores a dictionary with a description of each property that the session supports.
@discardableResult
public func VTSessionCopySupportedPropertyDictionary(
    _ session: VTSession, supportedPropertyDictionaryOut: UnsafeMutablePointer<CFDictionary?>
) -> OSStatus {
    guard let session = session as? any PropertySession else { return kVTInvalidSessionErr }
    let descriptions = session.supportedProperties.mapValues { access in
        [
            kVTPropertyReadWriteStatusKey: access == .readOnly
                ? kVTPropertyReadWriteStatus_ReadOnly : kVTPropertyReadWriteStatus_ReadWrite
        ]
    }
    supportedPropertyDictionaryOut.pointee = descriptions as NSDictionary
    return noErr
}
