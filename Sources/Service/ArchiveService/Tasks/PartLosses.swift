import CommandInterface
import FileSystem
import Glibc
import MediaTypes

/// A file beside a part that lists what the part lacks, one line each. It exists only if something is missing.
///
/// Some losses, such as captions in frames, are known only after the frames were decoded. The task that joins the parts
/// decodes no frames, so it reads these files.
struct PartLosses {
    static let ending = ".losses"
    private let path: RawPath

    init(of part: RawPath) { path = RawPath(bytes: part.bytes + Array(Self.ending.utf8)) }

    /// Replaces the list. The new list survives a power loss.
    ///
    /// - Parameter place: The locked directory in which the part was made.
    func record(_ losses: [String], in place: PrivateDirectory) throws(MediaError) {
        guard !losses.isEmpty else {
            // Only this type writes files with this ending, and only the task that locks the directory changes them.
            guard path.withCString({ unlink($0) }) == 0 || errno == ENOENT else {
                throw MediaError(errno: errno, "cannot delete \(path.display)")
            }
            return
        }
        let list = place.path.appending("losses")
        try AtomicFile.write(
            losses.joined(separator: "\n").utf8, to: PathText.text(list.bytes), overwrite: true, isDurable: true)
        try place.replace(path, with: list)
        try FileMetadata.synchronize(path.directory)
    }

    /// Returns the list; empty if the part lacks nothing.
    func read() throws(MediaError) -> [String] {
        if let bytes = FileContents.bytes(of: PathText.text(path.bytes)) {
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        guard errno == ENOENT else { throw MediaError(errno: errno, "cannot read \(path.display)") }
        return []
    }
}
