import FileSystem
import Foundation
import Glibc

/// Tells when something was entered into a catalogue, as soon as that is synced: inotify(7) on its directory, as the database
/// may not be there yet, or be made anew. One thread.
final class CatalogueWatch {
    private let watch: Int32
    private let name: String

    /// - Parameter path: of the catalogue. Its directory is made.
    init(_ path: String) {
        name = (path as NSString).lastPathComponent
        let directory = (path as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard watch >= 0 else { return }
        // A commit ends with a write to the database itself; a new one comes by its making.
        _ = inotify_add_watch(watch, directory, UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_ONLYDIR))
    }

    /// For `poll`. Below 0 where the system has no more of them: then it is looked from time to time.
    var descriptor: Int32 { watch }

    /// Whether it was about this catalogue. Takes what was told until now.
    func hasNews() -> Bool {
        guard watch >= 0 else { return true }
        var isNews = false
        var events = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(watch, &events, events.count)
            guard count > 0 else { return isNews }
            var place = 0
            while place + 16 <= count {
                // struct inotify_event: watch, mask, cookie and length of the name, each of four bytes; then the name.
                let (mask, length) = events.withUnsafeBytes { bytes in
                    (
                        bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self),
                        Int(bytes.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
                    )
                }
                let text = events[(place + 16)..<min(count, place + 16 + length)].prefix { $0 != 0 }
                isNews = isNews || mask & UInt32(IN_Q_OVERFLOW) != 0 || PathText.text(text) == name
                place += 16 + length
            }
        }
    }

    deinit { if watch >= 0 { close(watch) } }
}
