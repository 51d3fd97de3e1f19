import Glibc
import TestSupport

@testable import RecorderControl
@testable import RecorderStorage

/// A recorder whose process runs and accepts connections, and never answers.
final class SilentRecorder: Sendable {
    private let descriptor: Int32
    private let lock: InstanceLock

    /// - Parameter isLive: true to accept connections for viewers instead of those for control.
    init(_ name: String, in runtime: RuntimeDirectory, isLive: Bool = false) throws {
        let name = try RecordingName(parsing: name)
        lock = try InstanceLock(name, in: runtime)
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        // The kernel accepts connections up to the backlog.
        guard let address = SocketAddress(isLive ? runtime.liveSocket(name) : runtime.socket(name)),
            address.withPointer({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 16) == 0
        else { throw TooLate() }
    }

    deinit { close(descriptor) }
}
