public import Foundation

/// The conversion between `CGFloat` and `NSNumber` in `Any` and `AnyObject`, as on Apple's systems. Foundation on Linux
/// converts all other types of numbers, but not `CGFloat`. Without this conformance, `settings[AVVideoWidthKey] as!
/// CGFloat` would stop the program.
///
/// A cast looks for a conformance at run time, so the conformance must apply to the entire program. Its results are
/// those of Foundation's conformance for `Double`. A program that declares the same conformance must remove its own on
/// Linux, because the compiler rejects a second one. If Foundation declares it one day, the compiler will warn here,
/// and this declaration can be removed.
extension CGFloat: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSNumber { NSNumber(value: Double(self)) }

    public static func _forceBridgeFromObjectiveC(_ source: NSNumber, result: inout CGFloat?) {
        result = CGFloat(source.doubleValue)
    }

    /// Like the conversion to `Double`, returns false for a number that a `CGFloat` cannot represent exactly.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSNumber, result: inout CGFloat?) -> Bool {
        var exact: Double?
        guard Double._conditionallyBridgeFromObjectiveC(source, result: &exact) else { return false }
        result = exact.map { CGFloat($0) }
        return true
    }

    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSNumber?) -> CGFloat {
        CGFloat(source?.doubleValue ?? 0)
    }
}
