/// Apple's one-byte truth value in the signatures of C functions.
public struct DarwinBoolean: ExpressibleByBooleanLiteral, Sendable, Hashable {
    public var boolValue: Bool

    public init(_ value: Bool) { boolValue = value }
    public init(booleanLiteral value: Bool) { boolValue = value }
}
