import Foundation
import MediaTypes

/// The way of one file to a remote: sent under a name that nobody takes for a film, renamed, and looked at there.
///
/// Nothing that is there is ever replaced. What is there already, byte for byte, is not sent again. Blocks; one thread.
struct CopyTransfer {
    struct Copy: Equatable {
        /// Below the remote.
        let name: String
        /// It was there before; only verified.
        let wasThere: Bool
    }

    /// So many names are tried beside one that is taken by something else.
    private static let mostNames = 100

    let store: RemoteStore
    let abilities: RemoteStore.Abilities
    let stop: CopyStop
    /// Learns how much of the file went over the line.
    let progress: (Int64) -> Void

    /// Until it has its final name.
    static func partial(_ name: String) -> String { name + ".partial" }

    /// - Parameters:
    ///   - file: absolute.
    ///   - name: below the remote.
    ///   - wasBegun: an earlier try may have left all of it under its name until then.
    func copy(_ file: String, as name: String, wasBegun: Bool) throws(CopyFailure) -> Copy {
        let size = try CopyFingerprint.identity(of: file).size
        var fingerprint: CopyFingerprint?
        var place = name
        var number = 1
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
                        reason: "other files have its name at \(store.remote.path(of: name)), and all with a number",
                        wayOut: "copy to another directory there (copy-to)"))
            }
            place = OutputLocation.adding("-\(number)", to: name)
        }
        let own = if let fingerprint { fingerprint } else { try self.fingerprint(of: file) }
        if abilities.isWholeAtOnce {
            try store.send(file, as: place, progress: progress)
            try own.check(file)
        } else {
            try sendInTwoSteps(file, place, own, wasBegun: wasBegun)
        }
        // With a checksum what counts is what is there in the end; without one all of it was read back before it got its name.
        let isReadBack = abilities.hash == nil && !abilities.isWholeAtOnce
        guard let found = try store.look(at: place, abilities, size: own.identity.size),
            try isReadBack ? found.size == own.identity.size : isSame(found, place, own)
        else { throw mismatch(place) }
        try own.check(file)
        return Copy(name: place, wasThere: false)
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
            try store.send(file, as: partial, progress: progress)
            // What was sent while it changed is nobody's film.
            try own.check(file)
            if abilities.hash == nil {
                guard try store.digest(of: partial, hash, progress: { _ in }) == own.digest else {
                    throw mismatch(partial)
                }
            }
        }
        try store.rename(partial, to: place, size: size)
    }

    /// For what the remote does not say by itself, SHA-256 of what is read back.
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
                reason: "what is there is not what was sent",
                wayOut: "it is sent again; look at that disk"))
    }
}

extension CopyFingerprint {
    /// - Throws: `changed` where the path means another file by now, or this one was changed.
    func check(_ path: String) throws(CopyFailure) {
        guard try Self.identity(of: path) == identity else { throw Self.changed(path) }
    }
}
