public import Foundation

/// The notification calls of key-value observing, which does not exist on Linux, so they do nothing. They are provided
/// for classes that announce their changes manually. This module's classes report changes by notifications and
/// asynchronous calls.
extension NSObjectProtocol where Self: NSObject {
    public func willChangeValue(forKey key: String) {}
    public func didChangeValue(forKey key: String) {}
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {}
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {}
}
