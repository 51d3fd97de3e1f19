import Foundation
import Glibc
import RealTime
import TestSupport

@testable import RecorderControl
@testable import RecorderStorage

/// A recorder whose process runs, and ends every connection without an answer. Unlike a process that hangs, it does not
/// make a test wait for the deadline.
final class BrokenRecorder: Sendable {
    private let descriptor: Int32
    private let lock: InstanceLock

    init(_ name: String, in command: Command) throws {
        let (name, runtime) = (try RecordingName(parsing: name), RuntimeDirectory(path: command.path("run/recorder")))
        lock = try InstanceLock(name, in: runtime)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard let address = SocketAddress(runtime.socket(name)),
            address.withPointer({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 16) == 0
        else { throw TooLate() }
        self.descriptor = descriptor
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { break }
                close(connection)
            }
            close(descriptor)
        }
    }

    // Ends the thread's accept(2).
    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
