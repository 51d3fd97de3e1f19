import Glibc
import MediaTypes
import MovieFile
import RealTime

/// A disk that can fail, fill up or stall.
final class FaultyDisk: MovieStorage, @unchecked Sendable {
    // Unchecked: `file` is used by the writer's thread alone; the lock protects the rest.
    private struct State {
        var writes = 0
        var failingWrite: Int?
        var isStalled = false
        var failure: Int32 = ENOSPC
    }

    private let file: DiskFile
    private let state: Locked<State>

    /// - Parameters:
    ///   - failingWrite: the first write that fails, counted from 1; it and all later ones fail after half of their
    ///     bytes.
    ///   - failure: the errno of the failure.
    init(_ path: String, failingWrite: Int? = nil, failure: Int32 = ENOSPC) throws(MediaError) {
        file = try DiskFile(path: path, mode: .create)
        state = Locked(State(failingWrite: failingWrite, failure: failure))
    }

    var writeCount: Int { state.withLock { $0.writes } }

    func stall() { state.withLock { $0.isStalled = true } }

    func resume() {
        state.withLock { $0.isStalled = false }
        state.broadcast()
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError) {
        let failure: Int32? = state.waiting { state in
            guard !state.isStalled else { return nil }
            state.writes += 1
            return .some(state.failingWrite.map { state.writes >= $0 } == true ? state.failure : nil)
        }
        if let failure {
            try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), at: offset)
            throw MediaError(errno: failure, "cannot write the movie")
        }
        try file.write(bytes, at: offset)
    }

    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MediaError) -> Int {
        try file.read(into: bytes, at: offset)
    }

    func size() throws(MediaError) -> UInt64 { try file.size() }
    func truncate(to size: UInt64) throws(MediaError) { try file.truncate(to: size) }
    func synchronize() throws(MediaError) { try file.synchronize() }
    func close() { file.close() }
}
