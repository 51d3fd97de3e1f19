import FileSystem
import Foundation
import Glibc

/// Detects changes of a catalogue with inotify(7), once they are synced. Watches the catalogue's directory, because the
/// database may not exist yet, or may be created again. For one thread.
final class CatalogueWatch {
    private let watch: Int32
    private let name: String

    /// Starts watching.
    ///
    /// - Parameter path: The catalogue's path. The directory is created if it does not exist.
    init(_ path: String) {
        name = path.lastComponent
        let directory = path.parentDirectory
        _ = FolderContents.create(directory, mode: 0o700)
        watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard watch >= 0 else { return }
        // A commit ends with a write to the database file. A new database is created in the directory, or moved to it.
        _ = inotify_add_watch(watch, directory, UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_ONLYDIR))
    }

    /// The descriptor for `poll`; negative if no descriptor is free. In that case, the catalogue is checked at
    /// intervals.
    var descriptor: Int32 { watch }

    /// Reads all events, and returns true if one is about this catalogue.
    func hasNews() -> Bool {
        guard watch >= 0 else { return true }
        var isNews = false
        var events = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(watch, &events, events.count)
            guard count > 0 else { return isNews }
            var place = 0
            while place + 16 <= count {
                // A struct inotify_event contains watch, mask, cookie and length of the name, four bytes each, and then
                // the name.
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
