public import Foundation

/// The common behavior of Apple's string types, such as `AVFileType` and `AVMediaType`. A value that is stored in an
/// `Any` or `AnyObject` can be cast to a string. The same works on Apple's systems, where the value is an Objective-C
/// string.
///
/// Because of the bridging, an `AVVideoCodecType` can be stored in a `[String: AnyObject]` and read back. It also makes
/// `AVMetadataKey.commonKeyTitle as NSCopying & NSObjectProtocol` compile.
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
