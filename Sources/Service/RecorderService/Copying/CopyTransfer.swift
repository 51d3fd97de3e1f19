import Foundation
import MediaTypes
import RecorderControl
import RecorderStorage

/// Transfers one file to a remote. Sends the file under a temporary name that does not look like a movie, renames it,
/// and verifies it.
///
/// Existing files are never replaced. The name is reserved before it is checked, so that no other process of this user
/// sends another file under the same name meanwhile. If an identical file is already at the remote, the file is not sent
/// again. Blocks. For one thread.
struct CopyTransfer {
    struct Copy: Equatable {
        /// The copy's path, relative to the remote's root.
        let name: String
        /// True if an identical copy was already at the remote, so that it was only verified.
        let wasThere: Bool
    }

    /// Maximum number of other names that are tried if the name is taken.
    private static let mostNames = 100

    let store: RemoteStore
    let abilities: RemoteStore.Abilities
    let names: CopyNames
    let stop: CopyStop
    /// Called with the number of transferred bytes.
    let progress: (Int64) -> Void

    /// Returns the temporary name.
    static func partial(_ name: String) -> String { name + ".partial" }

    /// Copies and verifies a file.
    ///
    /// - Parameters:
    ///   - file: An absolute path.
    ///   - name: The copy's path, relative to the remote's root.
    ///   - wasBegun: True if an earlier attempt may have left a complete file under the temporary name.
    func copy(_ file: String, as name: String, wasBegun: Bool) throws(CopyFailure) -> Copy {
        let size = try CopyFingerprint.identity(of: file).size
        var fingerprint: CopyFingerprint?
        var place = name
        var number = 1
        var reservation: ByteLock? = try reserve(place)
        defer { withExtendedLifetime(reservation) {} }
        while let found = try store.look(at: place, abilities, size: size) {
            let own = if let fingerprint { fingerprint } else { try self.fingerprint(of: file) }
            fingerprint = own
            if try isSame(found, place, own) {
                try own.check(file)
                return Copy(name: place, wasThere: true)
            }
            number += 1
            guard number <= Self.mostNames else {
                throw CopyFailure(
                    .file,
                    MediaError(
                        .outputExists, "cannot copy \(file)",
                        reason:
                            "\(store.remote.path(of: name)) and all its numbered variants exist, with other contents",
                        wayOut: "choose another directory with copy-to"))
            }
            place = OutputLocation.adding("-\(number)", to: name)
            // A process that holds two names could wait for another one for ever.
            reservation = nil
            reservation = try reserve(place)
        }
        let own = if let fingerprint { fingerprint } else { try self.fingerprint(of: file) }
        if abilities.isWholeAtOnce {
            try store.send(file, as: place, size: own.identity.size, progress: progress)
            try own.check(file)
        } else {
            try sendInTwoSteps(file, place, own, wasBegun: wasBegun)
        }
        // If the remote computes checksums, the final file is verified. Otherwise the entire file was already read back
        // before it got its name.
        let isReadBack = abilities.hash == nil && !abilities.isWholeAtOnce
        guard let found = try store.look(at: place, abilities, size: own.identity.size),
            try isReadBack ? found.size == own.identity.size : isSame(found, place, own)
        else { throw mismatch(place) }
        try own.check(file)
        return Copy(name: place, wasThere: false)
    }

    private func reserve(_ place: String) throws(CopyFailure) -> ByteLock {
        try names.reserve(store.remote.path(of: place), stop: stop)
    }

    private func sendInTwoSteps(
        _ file: String, _ place: String, _ own: CopyFingerprint, wasBegun: Bool
    ) throws(CopyFailure) {
        let partial = Self.partial(place)
        let size = own.identity.size
        var isThere = false
        if wasBegun, let found = try store.look(at: partial, abilities, size: size) {
            isThere = try isSame(found, partial, own)
        }
        if !isThere {
            try store.send(file, as: partial, size: size, progress: progress)
            // If the file changed while it was sent, its copy is useless.
            try own.check(file)
            if abilities.hash == nil {
                guard try store.digest(of: partial, hash, progress: { _ in }) == own.digest else {
                    throw mismatch(partial)
                }
            }
        }
        try store.rename(partial, to: place, size: size)
    }

    /// The kind of checksum: the remote's, or SHA-256 if the remote supports none. In that case, the data is read back,
    /// and the checksum is computed here.
    private var hash: CopyHash { abilities.hash ?? .sha256 }

    private func fingerprint(of file: String) throws(CopyFailure) -> CopyFingerprint {
        try CopyFingerprint(of: file, hash, stop: stop)
    }

    private func isSame(
        _ found: RemoteStore.Found, _ name: String, _ own: CopyFingerprint
    ) throws(CopyFailure) -> Bool {
        guard !found.isDirectory, found.size < 0 || found.size == own.identity.size else { return false }
        if let digest = found.digest { return digest == own.digest }
        return try store.digest(of: name, hash, progress: { _ in }) == own.digest
    }

    private func mismatch(_ name: String) -> CopyFailure {
        CopyFailure(
            .file,
            MediaError(
                .corruptData, "cannot copy to \(store.remote.path(of: name))",
                reason: "the copy differs from what was sent",
                wayOut: "it is sent again; check the disk of the remote, and whether another machine copies to the "
                    + "same directory"))
    }
}

extension CopyFingerprint {
    /// Checks that the file has not changed.
    ///
    /// - Throws: `changed` if the file was changed, or if another file has its path now.
    func check(_ path: String) throws(CopyFailure) {
        guard try Self.identity(of: path) == identity else { throw Self.changed(path) }
    }
}
