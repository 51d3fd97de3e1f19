import FileSystem
import Glibc

/// Tells what changed in many directories: inotify(7). One thread.
final class FolderWatch {
    enum News: Equatable {
        /// A file or directory of this name came, went, or was written.
        case changed(directory: String, name: String)
        /// More happened than the system remembers: everything has to be looked at again.
        case lost
        /// A directory went away, or is elsewhere now.
        case gone(directory: String)
    }

    /// Directories that are watched; those beyond are looked at from time to time.
    private static let most = 8192
    private static let events = UInt32(
        IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_ONLYDIR
    )

    private var directories: [Int32: String] = [:]
    private var numbers: [String: Int32] = [:]
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// For `poll`. Below 0 where the system has no more of them.
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))

    deinit { if descriptor >= 0 { close(descriptor) } }

    func isWatched(_ directory: String) -> Bool { numbers[directory] != nil }

    /// - Parameter tellsWrites: each of them, not only the last.
    /// - Returns: false where it is not there, or cannot be watched.
    @discardableResult
    func add(_ directory: String, tellsWrites: Bool = false) -> Bool {
        guard descriptor >= 0, numbers[directory] != nil || numbers.count < Self.most else { return false }
        let number = inotify_add_watch(descriptor, directory, Self.events | UInt32(tellsWrites ? IN_MODIFY : 0))
        guard number >= 0 else { return false }
        // The same directory may have had another name.
        if let old = directories[number], old != directory { numbers[old] = nil }
        directories[number] = directory
        numbers[directory] = number
        return true
    }

    /// Takes what was told until now; at most some thousands of it, the rest the next time.
    func take() -> [News] {
        var news: [News] = []
        while news.count < 4096 {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            var place = 0
            while place + 16 <= count {
                // struct inotify_event: watch, mask, cookie and length of the name, each of four bytes; then the name.
                let (number, mask, length) = buffer.withUnsafeBytes { bytes in
                    (
                        bytes.loadUnaligned(fromByteOffset: place, as: Int32.self),
                        bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self),
                        Int(bytes.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
                    )
                }
                let name = buffer[(place + 16)..<min(count, place + 16 + length)].prefix { $0 != 0 }
                place += 16 + length
                if mask & UInt32(IN_Q_OVERFLOW) != 0 {
                    news.append(.lost)
                } else if let directory = directories[number] {
                    if mask & UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) != 0 {
                        forget(number)
                        news.append(.gone(directory: directory))
                    } else if !name.isEmpty {
                        news.append(.changed(directory: directory, name: PathText.text(name)))
                    }
                }
            }
        }
        return news
    }

    private func forget(_ number: Int32) {
        guard let directory = directories.removeValue(forKey: number) else { return }
        if numbers[directory] == number { numbers[directory] = nil }
        _ = inotify_rm_watch(descriptor, number)
    }
}
