import CommandInterface
import FileSystem
import Foundation
import RecorderStorage

/// The current state of a copier, for other processes: a small file in the runtime directory. Permanent facts are in
/// the catalogue.
struct CopierState: Codable, Equatable {
    var state = CopyAccount.State.idle
    var sending: CopyAccount.Sending?
    var lastCopied: String?
    var nextTry: String?
    var error: String?

    /// Returns nil if there is no valid file.
    init?(at path: String) {
        guard let bytes = FileContents.bytes(of: path),
            let state = try? JSONDecoder().decode(CopierState.self, from: Data(bytes))
        else { return nil }
        self = state
    }

    init() {}

    /// Replaces the file atomically. If the disk is full, the old file remains.
    func store(at path: String) {
        let temporary = path + ".new"
        guard let data = try? JSONText.data(self) else { return }
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return }
        let count = data.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        close(file)
        if count == data.count { rename(temporary, path) }
    }
}
