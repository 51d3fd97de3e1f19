public import Foundation

/// The notification calls of key-value observing. They do nothing, because Linux has no key-value observing. Without
/// them, classes that announce their changes manually would not compile. This module's classes report changes by
/// notifications and asynchronous calls.
extension NSObjectProtocol where Self: NSObject {
    public func willChangeValue(forKey key: String) {}
    public func didChangeValue(forKey key: String) {}
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {}
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {}
}
