public import Foundation

/// What Apple's types for names, as `AVFileType` and `AVMediaType`, have in common: a text, and that an `Any` or `AnyObject`
/// which holds one is a string to whoever casts it, as Objective-C's string behind it is.
///
/// That an `AVVideoCodecType` can stand in a `[String: AnyObject]` and come out of it again, and
/// `AVMetadataKey.commonKeyTitle as NSCopying & NSObjectProtocol` compiles, rests on the bridging.
public protocol StringConstant: RawRepresentable, Hashable, Sendable, CustomStringConvertible, _ObjectiveCBridgeable
where RawValue == String, _ObjectiveCType == NSString {
    init(rawValue: String)
}

extension StringConstant {
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }

    public var description: String { rawValue }

    public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout Self?) {
        result = Self(rawValue: String._unconditionallyBridgeFromObjectiveC(source))
    }

    public static func _conditionallyBridgeFromObjectiveC(_ source: NSString, result: inout Self?) -> Bool {
        _forceBridgeFromObjectiveC(source, result: &result)
        return true
    }

    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> Self {
        Self(rawValue: source.map { String._unconditionallyBridgeFromObjectiveC($0) } ?? "")
    }
}
