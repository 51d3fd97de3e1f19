import CommandInterface
import FileSystem
import Foundation
import MediaTypes

/// Asks the file systems for their free space, before and after each deletion for space. Deletions on a file system end
/// when one of them frees nothing (`FreedSpace`).
///
/// The calls access the disks. Only one thread at a time may use this object.
final class FreeSpaceCheck: @unchecked Sendable {
    // Unchecked: only accessed while `Retention.applying` is held.
    /// The deletions on one file system that have not raised its free space yet.
    private struct Unproven {
        /// The free bytes before the deletions.
        let before: Int64
        var bytes: Int64 = 0
        var path = ""
    }

    private let path: String
    private let free: @Sendable (String) -> Int64?
    private let settle: @Sendable (String, () -> Bool) -> Void
    private var freed = FreedSpace()
    private var stored: FreedSpace?
    private var unproven: [String: Unproven] = [:]
    /// The file systems on which no more recordings are deleted for space in this run.
    private var closed: Set<String> = []

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - path: The path of the file that keeps the results for the next process.
    ///   - free: Returns the free bytes on the file system of a directory.
    ///   - settle: Makes the file system of a directory free the space of deleted files: `DiskSpace.settle`.
    init(
        storedAt path: String, free: @escaping @Sendable (String) -> Int64?,
        settle: @escaping @Sendable (String, () -> Bool) -> Void
    ) {
        self.path = path
        self.free = free
        self.settle = settle
    }

    /// Begins a run.
    ///
    /// - Parameter mounts: The mount points of the file systems.
    /// - Returns: The free bytes of each file system on which recordings may be deleted for space, and the errors of
    ///   the others.
    func begin(
        _ mounts: [UInt64: String], least: Int64, at now: Moment
    ) -> (free: [UInt64: Int64], errors: [MediaError]) {
        // A result that cannot be stored because the disk is full still holds for this process.
        if stored == freed || stored == nil {
            freed =
                FileContents.bytes(of: path).flatMap { try? JSONDecoder().decode(FreedSpace.self, from: Data($0)) }
                ?? FreedSpace()
            stored = freed
        }
        (unproven, closed) = ([:], [])
        var result: [UInt64: Int64] = [:]
        var errors: [MediaError] = []
        for (system, mount) in mounts.sorted(by: { $0.value < $1.value }) {
            guard var left = free(mount) else { continue }
            if left < least {
                // Another program may have deleted files.
                settle(mount) { true }
                left = free(mount) ?? left
            }
            if freed.allows(mount, free: left, at: now) || left >= least {
                result[system] = left
            } else if let error = freed.error(of: mount, at: now) {
                errors.append(error)
            }
        }
        return (result, errors)
    }

    /// Returns true if the next recording must be deleted for space.
    ///
    /// - Parameter isFirst: True if nothing else was deleted in this run.
    func needs(_ least: Int64, on mount: String, isFirst: Bool) -> Bool {
        guard !closed.contains(mount) else { return false }
        // The deletions for other reasons may have freed enough.
        if unproven[mount] == nil, !isFirst { settle(mount) { true } }
        guard let left = free(mount), left < least else { return false }
        if unproven[mount] == nil { unproven[mount] = Unproven(before: left) }
        return true
    }

    /// Records a deletion for space.
    func record(_ removal: RetentionPlanner.Removal, on mount: String, at now: Moment) {
        guard var new = unproven[mount] else { return }
        new.bytes = new.bytes &+ max(0, removal.size)
        new.path = removal.path
        unproven[mount] = new
        judge(mount, isLast: false, at: now)
    }

    /// Ends a run, and stores its results.
    ///
    /// - Returns: Warnings about deletions that freed nothing.
    func end(at now: Moment) throws(MediaError) -> [String] {
        for mount in unproven.keys.sorted() { judge(mount, isLast: true, at: now) }
        defer { closed = [] }
        if freed != stored {
            do { try AtomicFile.write(JSONText.data(freed), to: path, overwrite: true) } catch {
                throw MediaError(
                    .ioFailure, "cannot write \(path)", reason: (error as? MediaError)?.reason ?? "\(error)")
            }
            stored = freed
        }
        return closed.sorted().map { mount in
            "the free space of \(mount) has not risen yet after a deletion; until it rises, no more recordings are "
                + "deleted there for keep-free"
        }
    }

    private func judge(_ mount: String, isLast: Bool, at now: Moment) {
        guard let new = unproven[mount], new.bytes > 0 else { return }
        func hasRisen() -> Bool {
            free(mount).map { FreedSpace.hasRisen(from: new.before, to: $0, by: new.bytes) } ?? false
        }
        var isProven = hasRisen()
        if !isProven {
            guard isLast || new.bytes >= FreedSpace.leastProof else { return }
            settle(mount, hasRisen)
            isProven = hasRisen()
        }
        unproven[mount] = nil
        guard !isProven else { return freed.trust(mount) }
        freed.doubt(mount, path: new.path, bytes: new.bytes, free: free(mount) ?? new.before, at: now)
        closed.insert(mount)
    }
}
