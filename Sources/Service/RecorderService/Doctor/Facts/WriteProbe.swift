import FileSystem
import Glibc
import MediaTypes
import RealTime

/// Measures how fast a disk stores data. Writes only to a new file that no other process can open.
///
/// The file has no name (open(2), O_TMPFILE), so that nothing is left if the process is killed. If the file system does
/// not support such files, the file is created exclusively with a hidden random name. The name is removed before the
/// first write. If the process is killed between the two calls, an empty hidden file is left.
enum WriteProbe {
    struct Speed: Sendable, Equatable {
        var bytes: Int64
        var nanoseconds: Int64
        var bytesPerSecond: Double { Double(bytes) / (Double(max(1, nanoseconds)) / 1e9) }
    }

    /// The maximum number of bytes that are written.
    static let most: Int64 = 32 << 20
    /// The time in nanoseconds after which no further block is written.
    static let patience: Int64 = 1_500_000_000
    private static let blockBytes = 2 << 20
    /// O_TMPFILE of open(2), which Swift does not import.
    private static let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY

    /// Writes blocks and syncs each of them, as a recording does with its fragments.
    ///
    /// - Parameter isNamed: True to use a file with a name, as on file systems that do not support files without names.
    static func measure(
        in folder: String, most: Int64 = WriteProbe.most, patience: Int64 = WriteProbe.patience, isNamed: Bool = false
    ) throws(MediaError) -> Speed {
        let action = "cannot write in \(folder)"
        let file = try openFile(in: folder, isNamed: isNamed, action)
        defer { close(file) }
        // The bytes are random, so that no file system can compress them.
        var generator = SystemRandomNumberGenerator()
        let block = (0..<blockBytes / 8).map { _ in generator.next() }
        let clock = MonotonicClock()
        let begin = clock.nanoseconds
        var written: Int64 = 0
        repeat {
            let code = store(block, in: file)
            guard code == 0 else { throw MediaError(errno: code, action) }
            written += Int64(blockBytes)
        } while written < most && clock.nanoseconds - begin < patience
        return Speed(bytes: written, nanoseconds: clock.nanoseconds - begin)
    }

    private static func openFile(in folder: String, isNamed: Bool, _ action: String) throws(MediaError) -> Int32 {
        if !isNamed {
            let file = open(folder, O_RDWR | O_CLOEXEC | unnamed, 0o600)
            if file >= 0 { return file }
        }
        // This is tried after any error, because the file system may not support files without names. An error with
        // another cause, such as a missing permission, occurs here again.
        let path = PrivateName.beside(folder.appendingComponent("recorder"), for: "speed")
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw MediaError(errno: errno, action) }
        unlink(path)
        return file
    }

    /// Writes and syncs a block. Returns 0 if it is on the disk, else the errno.
    private static func store(_ block: [UInt64], in file: Int32) -> Int32 {
        let code = block.withUnsafeBytes { bytes -> Int32 in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count == 0 {
                    return EIO
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
        guard code == 0 else { return code }
        while fdatasync(file) != 0 {
            guard errno == EINTR else { return errno }
        }
        return 0
    }
}
