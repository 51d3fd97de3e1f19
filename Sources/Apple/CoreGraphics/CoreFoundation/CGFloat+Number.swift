public import Foundation

/// The conversion between `CGFloat` and `NSNumber` in `Any` and `AnyObject`, as on Apple's systems. Foundation on Linux
/// has it for all other types of numbers, but not for this one: `settings[AVVideoWidthKey] as! CGFloat` would stop the
/// program.
///
/// A cast finds its conformance at run time, so no narrower way exists. The conformance applies to the entire program,
/// with the results of Foundation's own for `Double`. A program that declares the same one must remove its own on Linux,
/// because the compiler refuses the second. Once Foundation declares it, the compiler warns here, and this one is
/// removed.
extension CGFloat: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSNumber { NSNumber(value: Double(self)) }

    public static func _forceBridgeFromObjectiveC(_ source: NSNumber, result: inout CGFloat?) {
        result = CGFloat(source.doubleValue)
    }

    /// Returns false for a number that a `CGFloat` cannot represent exactly, as `Double` does.
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
