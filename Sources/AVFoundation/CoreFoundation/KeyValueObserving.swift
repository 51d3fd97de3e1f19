public import Foundation

/// The announcements of key-value observing. There is no observing on Linux, so nobody listens; they are here for classes
/// that announce their changes by hand. What this module's classes tell is told by notifications and asynchronous calls.
extension NSObjectProtocol where Self: NSObject {
    public func willChangeValue(forKey key: String) {}
    public func didChangeValue(forKey key: String) {}
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {}
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {}
}
