public import Foundation

// On Linux, Core Foundation's attributed strings are Foundation's.

public typealias CFAttributedString = NSAttributedString
public typealias CFMutableAttributedString = NSMutableAttributedString

/// Creates an attributed string with the same attributes for all of its characters.
public func CFAttributedStringCreate(
    _ allocator: CFAllocator!, _ text: CFString!, _ attributes: CFDictionary!
) -> CFAttributedString! {
    guard let text else { return nil }
    return NSAttributedString(string: text, attributes: keyed(attributes))
}

/// Creates an empty, mutable attributed string. `maxLength` is a hint.
public func CFAttributedStringCreateMutable(
    _ allocator: CFAllocator!, _ maxLength: CFIndex
) -> CFMutableAttributedString! {
    NSMutableAttributedString(string: "")
}

/// Replaces characters of a text. Does nothing if the range is not inside the text.
public func CFAttributedStringReplaceString(
    _ text: CFMutableAttributedString!, _ range: CFRange, _ replacement: CFString!
) {
    guard let text, let replacement, let range = inside(text, range) else { return }
    text.replaceCharacters(in: range, with: replacement)
}

/// Sets an attribute for a range of a text. Does nothing if the range is not inside the text.
public func CFAttributedStringSetAttribute(
    _ text: CFMutableAttributedString!, _ range: CFRange, _ name: CFString!, _ value: CFTypeRef!
) {
    guard let text, let name, let value, let range = inside(text, range) else { return }
    text.addAttribute(NSAttributedString.Key(name), value: value, range: range)
}

/// Sets attributes for a range of a text. Does nothing if the range is not inside the text.
///
/// - Parameter clearOtherAttributes: true to remove the range's existing attributes first.
public func CFAttributedStringSetAttributes(
    _ text: CFMutableAttributedString!, _ range: CFRange, _ attributes: CFDictionary!, _ clearOtherAttributes: Bool
) {
    guard let text, let range = inside(text, range) else { return }
    if clearOtherAttributes {
        text.setAttributes(keyed(attributes), range: range)
    } else {
        text.addAttributes(keyed(attributes), range: range)
    }
}

public func CFAttributedStringGetLength(_ text: CFAttributedString!) -> CFIndex { text?.length ?? 0 }
public func CFAttributedStringGetString(_ text: CFAttributedString!) -> CFString! { text?.string }

private func keyed(_ attributes: CFDictionary?) -> [NSAttributedString.Key: Any] {
    var result: [NSAttributedString.Key: Any] = [:]
    for (name, value) in attributes ?? NSDictionary() {
        if let name = name as? String { result[NSAttributedString.Key(name)] = value }
    }
    return result
}

private func inside(_ text: CFAttributedString, _ range: CFRange) -> NSRange? {
    let length = text.length
    guard range.location >= 0, range.length >= 0, range.location <= length, range.length <= length - range.location
    else { return nil }
    return NSRange(location: range.location, length: range.length)
}
