import Cryptography
import Foundation
import MediaTypes
import RecorderStorage

/// A remote that is accessed with rclone. Reads the remote's features and files, and sends files to it. Blocks, like
/// `RcloneProgram`.
struct RemoteStore {
    struct Abilities: Equatable {
        /// The best kind of checksum that the remote supports; nil if it supports none, as is the case for plain
        /// WebDAV, and for SFTP without a shell.
        let hash: CopyHash?
        /// True if a file appears only when it is complete, as in an object store's bucket, or if the remote cannot
        /// rename files. False if a file is visible while it grows, and can be renamed.
        let isWholeAtOnce: Bool
        /// The absolute path of the remote if it is a directory of this machine; otherwise nil.
        var directory: String?
    }

    struct Found: Equatable {
        /// The size in bytes; negative if unknown.
        let size: Int64
        /// The checksum; nil if unknown.
        let digest: String?
        var isDirectory = false
    }

    let remote: CopyRemote
    let program: RcloneProgram
    /// The maximum rate in bytes per second, or nil for no limit.
    var limit: Int64?

    /// The relevant part of the output of `rclone backend features`.
    private struct Features: Decodable {
        struct Flags: Decodable {
            var bucketBased: Bool?
            var move: Bool?
            var isLocal: Bool?

            private enum CodingKeys: String, CodingKey {
                case bucketBased = "BucketBased"
                case move = "Move"
                case isLocal = "IsLocal"
            }
        }
        var root: String?
        var hashes: [String]?
        var flags: Flags

        private enum CodingKeys: String, CodingKey {
            case root = "Root"
            case hashes = "Hashes"
            case flags = "Features"
        }
    }

    /// The output of `rclone lsjson --stat`.
    private struct Entry: Decodable {
        var size: Int64
        var isDirectory: Bool
        var hashes: [String: String]?

        private enum CodingKeys: String, CodingKey {
            case size = "Size"
            case isDirectory = "IsDir"
            case hashes = "Hashes"
        }
    }

    /// Maximum time without output, in nanoseconds, while the remote reads or moves a file of this size.
    private static func patience(_ size: Int64) -> Int64 {
        300_000_000_000 + min(size, 1 << 44) / 10_000_000 * 1_000_000_000
    }

    func abilities() throws(CopyFailure) -> Abilities {
        let action = "cannot use \(remote.text)"
        let text = try read(["backend", "features", remote.text], action)
        guard let features = try? JSONDecoder().decode(Features.self, from: text) else {
            throw strange(action, "it did not report its features")
        }
        let flags = features.flags
        return Abilities(
            hash: CopyHash.best(of: features.hashes ?? []),
            isWholeAtOnce: flags.bucketBased == true || flags.move != true,
            directory: flags.isLocal == true ? features.root.flatMap { $0.hasPrefix("/") ? $0 : nil } : nil)
    }

    /// Returns the remote's file or directory with that name; nil if there is none.
    ///
    /// - Parameters:
    ///   - abilities: The features of this remote, which determine the checksum.
    ///   - size: The size of the local file. The larger it is, the longer the remote may take.
    func look(at name: String, _ abilities: Abilities, size: Int64) throws(CopyFailure) -> Found? {
        let hash = abilities.hash
        let action = "cannot check \(remote.path(of: name))"
        let words = ["lsjson", "--stat"] + (hash.map { ["--hash", "--hash-type", $0.rawValue] } ?? [])
        var text: [UInt8] = []
        let end = try program.run(
            words + ["--", remote.path(of: name)], action: action, silence: Self.patience(size)
        ) { text += $0 }
        // Status 3 means that the directory does not exist, status 4 that the file does not exist (rclone.org, "Exit
        // code").
        if end.status == 3 || end.status == 4 { return nil }
        guard end.status == 0 else { throw RcloneFailure.failure(action, status: end.status, errors: end.errors) }
        guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(text)) else {
            throw strange(action, "it did not report the file")
        }
        // An object store has no directories, but rclone reports a directory for every missing name.
        if entry.isDirectory { return abilities.isWholeAtOnce ? nil : Found(size: -1, digest: nil, isDirectory: true) }
        let digest = hash.flatMap { entry.hashes?[$0.rawValue] }.flatMap { $0.isEmpty ? nil : $0.lowercased() }
        return Found(size: entry.size, digest: digest)
    }

    /// Sends a file under a name. Replaces an existing file of that name, so the name must be unused, or used only by
    /// this program.
    ///
    /// - Parameter size: The size of the file. The larger it is, the longer the remote may take after the last byte.
    func send(
        _ path: String, as name: String, size: Int64, progress: (Int64) -> Void
    ) throws(CopyFailure) {
        try run(
            ["copyto"] + limits + ["--ignore-times", "--no-traverse", "--", path, remote.path(of: name)],
            "cannot copy \(path) to \(remote.path(of: name))", file: (size, Self.patience(size)), progress: progress)
    }

    /// Renames a file on the remote, unless the new name is taken.
    func rename(_ name: String, to new: String, size: Int64) throws(CopyFailure) {
        try run(
            ["moveto", "--ignore-existing", "--", remote.path(of: name), remote.path(of: new)],
            "cannot rename \(remote.path(of: name))", silence: Self.patience(size))
    }

    /// Reads the entire file back, and returns its checksum.
    func digest(of name: String, _ hash: CopyHash, progress: (Int64) -> Void) throws(CopyFailure) -> String {
        let action = "cannot read \(remote.path(of: name)) back"
        var digest = IncrementalHash(hash.function)
        var count: Int64 = 0
        let end = try program.run(["cat"] + limits + ["--", remote.path(of: name)], action: action) { part in
            digest.update(data: part)
            count += Int64(part.count)
            progress(count)
        }
        guard end.status == 0 else { throw RcloneFailure.failure(action, status: end.status, errors: end.errors) }
        return digest.finalize().hexadecimal
    }

    private var limits: [String] { limit.map { ["--bwlimit", "\($0)B"] } ?? [] }

    private func run(
        _ words: [String], _ action: String, silence: Int64 = RcloneProgram.patience,
        file: (size: Int64, silence: Int64)? = nil, progress: (Int64) -> Void = { _ in }
    ) throws(CopyFailure) {
        let end = try program.run(words, action: action, silence: silence, file: file, progress: progress)
        guard end.status == 0 else { throw RcloneFailure.failure(action, status: end.status, errors: end.errors) }
    }

    private func read(_ words: [String], _ action: String) throws(CopyFailure) -> Data {
        var text: [UInt8] = []
        let end = try program.run(words, action: action) { if text.count < 1 << 22 { text += $0 } }
        guard end.status == 0 else { throw RcloneFailure.failure(action, status: end.status, errors: end.errors) }
        return Data(text)
    }

    private func strange(_ action: String, _ reason: String) -> CopyFailure {
        CopyFailure(
            .remote,
            MediaError(
                .unsupported, action, reason: "unexpected answer from rclone: \(reason)",
                wayOut: "rclone 1.60 or later is needed; check with `rclone version`"))
    }
}
