public import NIOCore
public import NIOEmbedded

/// An in-memory channel whose other end is root: the kernel's answers are all zeros.
// swift-format-ignore: AvoidRetroactiveConformances
extension EmbeddedChannel: @retroactive SocketOptionProvider {
    public func unsafeSetSocketOption<Value: Sendable>(
        level: SocketOptionLevel, name: SocketOptionName, value: Value
    ) -> EventLoopFuture<Void> { eventLoop.makeSucceededVoidFuture() }

    public func unsafeSetSocketOption<Value: Sendable>(
        level: NIOBSDSocket.OptionLevel, name: NIOBSDSocket.Option, value: Value
    ) -> EventLoopFuture<Void> { eventLoop.makeSucceededVoidFuture() }

    public func unsafeGetSocketOption<Value: Sendable>(
        level: SocketOptionLevel, name: SocketOptionName
    ) -> EventLoopFuture<Value> { zeros() }

    public func unsafeGetSocketOption<Value: Sendable>(
        level: NIOBSDSocket.OptionLevel, name: NIOBSDSocket.Option
    ) -> EventLoopFuture<Value> { zeros() }

    /// Returns zeros. Only plain numbers are requested here: process, user and group.
    private func zeros<Value: Sendable>() -> EventLoopFuture<Value> {
        precondition(_isPOD(Value.self))
        return withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
            UnsafeMutableRawBufferPointer(buffer).initializeMemory(as: UInt8.self, repeating: 0)
            return eventLoop.makeSucceededFuture(buffer[0])
        }
    }
}
