public import AVFoundation
public import Foundation
import MediaTypes
import RealTime

/// The destination of a session's samples. Programs use its subclasses.
open class AVCaptureOutput: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    private let joined = Locked<[AVCaptureConnection]>([])

    override init() { super.init() }

    open var connections: [AVCaptureConnection] { joined.withLock { $0 } }

    /// Returns the first connection that carries this kind of media.
    open func connection(with mediaType: AVMediaType) -> AVCaptureConnection? {
        connections.first { $0.mediaType == mediaType }
    }

    // MARK: The session's side

    /// Returns true if the output accepts a connection with this kind of media in addition to `connections`.
    func accepts(_ mediaType: AVMediaType, beside connections: [AVCaptureConnection]) -> Bool { false }

    /// Returns true if the output accepts a connection with this kind of media in addition to those that it has.
    final func accepts(_ mediaType: AVMediaType) -> Bool { accepts(mediaType, beside: connections) }

    /// Returns the receiver for a connection's events.
    func sink(for connection: AVCaptureConnection) -> (any CaptureSink)? { nil }

    /// Returns true if the output can rotate and mirror frames that a camera delivers in this codec.
    func canTurn(_ codec: VideoCodec) -> Bool { false }

    /// The reason why the output cannot work with its settings, or nil. If there is one, the session does not start.
    var fault: MediaError? { nil }

    /// Adds a connection.
    ///
    /// - Returns: false if the output accepts no further connection, e.g. because another thread has just added one.
    func join(_ connection: AVCaptureConnection) -> Bool {
        guard let mediaType = connection.mediaType else { return false }
        return joined.withLock { connections in
            guard accepts(mediaType, beside: connections) else { return false }
            connections.append(connection)
            return true
        }
    }

    func part(from connection: AVCaptureConnection) { joined.withLock { $0.removeAll { $0 === connection } } }

    /// Called when the session has started or stopped, not on a device's thread.
    func sessionIsRunning(_ isRunning: Bool) {}
}
