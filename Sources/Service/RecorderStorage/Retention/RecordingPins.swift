import CommandInterface
import FileSystem
import Foundation
import MediaTypes

/// Finds, writes and removes the sidecars of movies. The calls access the disk.
///
/// Every deletion follows this rule: a movie is kept if it has a sidecar, or if it may have one.
package enum RecordingPins {
    /// The contents of a movie's sidecar.
    enum Contents: Equatable {
        case none
        case pin(RecordingPin)
        /// The sidecar was made by hand, or is damaged. It keeps the movie.
        case other(size: Int)
        /// The sidecar cannot be read. It keeps the movie.
        case unreadable(Int32)
    }

    /// Returns true if a sidecar keeps a finished movie, or if this cannot be determined.
    ///
    /// - Parameters:
    ///   - path: The final path of the movie.
    ///   - directory: The movie's open directory, which may have been renamed; nil to use the directory in `path`.
    package static func isKept(_ path: String, in directory: Int32? = nil) -> Bool {
        if isThere(path, directory) { return true }
        // A kept recording in progress gets a number if its name is taken when it ends. Its sidecar still has the name
        // without the number.
        guard let base = unnumbered(path), isThere(base, directory) else { return false }
        switch contents(of: base) {
        case .pin(let pin):
            guard let number = inode(base, directory) else { return true }
            return pin.inode.map { $0 != number } ?? false
        case .other: return inode(base, directory) == nil
        case .none, .unreadable: return true
        }
    }

    private static func isThere(_ path: String, _ directory: Int32?) -> Bool {
        directory.map { PinFile.isThere(path.lastComponent, in: $0) } ?? PinFile.isThere(path)
    }

    /// Returns a file's inode number; nil if there is no such file, or if it cannot be inspected.
    private static func inode(_ path: String, _ directory: Int32?) -> UInt64? {
        var kind = stat()
        let code =
            directory.map { fstatat($0, path.lastComponent, &kind, AT_SYMLINK_NOFOLLOW) } ?? lstat(path, &kind)
        return code == 0 ? UInt64(kind.st_ino) : nil
    }

    /// Returns the name that a movie would have without its number: `a.mov` for `a-2.mov`; nil without a number.
    static func unnumbered(_ path: String) -> String? {
        let (stem, ending) = (path.removingExtension, path.fileExtension)
        guard let dash = stem.utf8.lastIndex(of: UInt8(ascii: "-")) else { return nil }
        let digits = stem.utf8[stem.utf8.index(after: dash)...]
        let base = String(stem[..<dash])
        guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.first != UInt8(ascii: "0"), !base.isEmpty, base.utf8.last != UInt8(ascii: "/")
        else { return nil }
        return ending.isEmpty ? base : "\(base).\(ending)"
    }

    /// The maximum size of a sidecar in bytes.
    private static let largest = 65_536

    /// Reads the sidecar of a movie.
    static func contents(of path: String) -> Contents {
        let sidecar = PinFile.path(of: path)
        var kind = stat()
        guard lstat(sidecar, &kind) == 0 else {
            let number = errno
            return number == ENOENT || number == ENAMETOOLONG ? .none : .unreadable(number)
        }
        // Reading a pipe would block.
        guard kind.st_mode & S_IFMT == S_IFREG, kind.st_size <= largest else { return .other(size: largest) }
        guard let bytes = FileContents.bytes(of: sidecar) else { return .unreadable(errno) }
        guard let pin = try? JSONDecoder().decode(RecordingPin.self, from: Data(bytes)) else {
            return .other(size: bytes.count)
        }
        return .pin(pin)
    }

    /// Returns the pin of a kept movie, for display; nil if the movie is not kept. For an unreadable sidecar, returns a
    /// pin with the time `now` and without a note.
    static func pin(of path: String, now: Double) -> RecordingPin? {
        guard isKept(path) else { return nil }
        let own = PinFile.isThere(path) ? path : unnumbered(path)
        if let own, case .pin(let pin) = contents(of: own) { return pin }
        return RecordingPin(since: now)
    }

    /// Writes a movie's sidecar. Blocks until the sidecar would survive a power loss.
    static func write(_ pin: RecordingPin, of path: String) throws(MediaError) {
        let sidecar = PinFile.path(of: path)
        guard let data = try? JSONText.data(pin) else {
            throw MediaError(.invalidState, "cannot write \(sidecar)", reason: "it cannot be encoded")
        }
        try AtomicFile.write(data, to: sidecar, overwrite: true, isDurable: true)
    }

    /// Removes a movie's sidecar, if there is one. Blocks until the removal would survive a power loss.
    ///
    /// - Throws: The disk's error; `notPermitted` if another program may have made the file. The file then stays.
    static func remove(of path: String) throws(MediaError) {
        let sidecar = PinFile.path(of: path)
        switch contents(of: path) {
        case .none: return
        case .other(let size) where size > 0:
            throw MediaError(
                .notPermitted, "cannot delete \(sidecar)", reason: "recorder did not write it",
                wayOut: "delete it yourself if it is not needed")
        case .unreadable(let number): throw MediaError(errno: number, "cannot read \(sidecar)")
        case .pin, .other: break
        }
        guard unlink(sidecar) == 0 || errno == ENOENT else {
            throw MediaError(errno: errno, "cannot delete \(sidecar)")
        }
        guard synchronizeDirectory(path.parentDirectory) == 0 else {
            throw MediaError(errno: errno, "cannot sync directory \(path.parentDirectory)")
        }
    }

    /// Writes a movie's sidecar, with the time, the note and the requests of an earlier sidecar.
    ///
    /// - Parameter pin: The new pin, to which `RecordingPin.add` adds the earlier pin.
    /// - Throws: The disk's error; `busy` if the sidecar belongs to another movie that still has this name.
    static func set(_ pin: inout RecordingPin, of path: String) throws(MediaError) {
        switch contents(of: path) {
        case .none: break
        // The owner may have made the sidecar by hand.
        case .unreadable, .other(size: 0): pin.requests = nil
        case .pin(let known):
            let isOthers = known.inode != nil && known.inode != pin.inode && known.inode == inode(path, nil)
            guard !isOthers else {
                throw MediaError(
                    .busy, "cannot write \(PinFile.path(of: path))", reason: "it keeps another file, \(path)",
                    wayOut: "keep the recording once it is finalized: it cannot replace that file")
            }
            pin.add(known)
        case .other:
            throw MediaError(
                .outputExists, "cannot write \(PinFile.path(of: path))", reason: "recorder did not write this file",
                wayOut: "move it away")
        }
        try write(pin, of: path)
    }

    /// Removes the pin of a movie: its sidecar, or the sidecar with its earlier name.
    ///
    /// - Parameter isUnfinished: True if `path` is the final name of a movie in progress.
    /// - Throws: An error if the movie is still kept: the disk's error; `notPermitted` if the sidecar may belong to
    ///   another movie; `busy` if it belongs to a movie in progress.
    static func release(_ path: String, isUnfinished: Bool = false) throws(MediaError) {
        giveBack(path)
        let unfinished = OutputLocation.temporaryPath(of: path)
        if !isUnfinished, case .pin(let pin) = contents(of: path), let number = pin.inode,
            number == inode(unfinished, nil)
        {
            throw MediaError(
                .busy, "cannot stop keeping \(path)",
                reason: "\(PinFile.path(of: path)) keeps \(unfinished), which is being recorded",
                wayOut: "`recorder unkeep \(unfinished)` ends the protection of both")
        }
        try remove(of: path)
        guard isKept(path), let base = unnumbered(path) else { return }
        guard case .pin(let pin) = contents(of: base), pin.inode == inode(path, nil) || inode(base, nil) == nil else {
            throw MediaError(
                .notPermitted, "cannot stop keeping \(path)",
                reason: "\(PinFile.path(of: base)) may still keep it",
                wayOut: "delete that file if it keeps no other recording")
        }
        try remove(of: base)
    }

    /// Removes a request from a movie's sidecar. Removes the sidecar too if this was its last request. A pin of the
    /// owner stays.
    ///
    /// - Returns: true if the sidecar was removed.
    static func release(_ path: String, of request: String) throws(MediaError) -> Bool {
        guard case .pin(var pin) = contents(of: path), let requests = pin.requests, requests.contains(request) else {
            return false
        }
        let others = requests.filter { $0 != request }
        guard others.isEmpty else {
            pin.requests = others
            try write(pin, of: path)
            return false
        }
        try remove(of: path)
        return true
    }

    /// Finds the movie for which the sidecar with this name was written, if the movie later got a number. Renames the
    /// sidecar to match the movie's current name.
    private static func giveBack(_ path: String) {
        guard case .pin(let pin) = contents(of: path), let number = pin.inode, number != inode(path, nil) else {
            return
        }
        let directory = path.parentDirectory
        for name in FolderContents.names(in: directory) ?? [] {
            let other = directory.appendingComponent(name)
            if unnumbered(other) == path { settle(other) }
        }
    }

    /// Gives a finished movie its own sidecar if the movie got a number after it was kept. If that fails, the earlier
    /// sidecar still keeps the movie.
    static func settle(_ path: String) {
        guard !PinFile.isThere(path), let base = unnumbered(path), case .pin(let pin) = contents(of: base),
            let number = inode(path, nil), pin.inode == number
        else { return }
        do throws(MediaError) {
            try write(pin, of: path)
            try remove(of: base)
        } catch {
            // At least one of the two sidecars is left, and keeps the movie.
        }
    }
}
