import FileSystem
package import Foundation
import Glibc
package import MediaTypes

/// The file that a recording will become, checked before any device is opened.
///
/// The result of a check may be outdated at once. A name is reserved only when the recording file is created
/// exclusively (`O_EXCL`). If the name is taken, the caller continues with `next`.
package struct OutputLocation: Sendable, Hashable {
    /// The absolute path of the finished file.
    package let path: String
    /// The directory below which the recorder may create directories for the pattern's fields; nil if it may create
    /// none. It also removes these directories when they are empty.
    package let root: String?
    /// True if the recorder may also create the default videos directory itself, but never one that the user gave.
    private let makesRoot: Bool
    /// True if the finished file may atomically replace a file with the same name.
    package let overwrites: Bool
    /// True if a name that is taken gets a number. A pattern needs this, because it is used for many recordings; a
    /// service needs it, because it cannot ask for another name.
    package let isNumbered: Bool
    /// The path without a number. `number` is the number that was appended.
    private let base: String
    private let number: Int

    /// The name while recording. The file is playable already, and `recorder` can repair it after a power loss.
    package var temporaryPath: String { Self.temporaryPath(of: path) }

    package var directory: String { path.parentDirectory }

    package init(path: String) { self.init(path: path, root: nil) }

    package init(
        path: String, root: String?, makesRoot: Bool = false, overwrites: Bool = false, isNumbered: Bool = false
    ) {
        self.init(base: path, 1, root: root, makesRoot: makesRoot, overwrites: overwrites, isNumbered: isNumbered)
    }

    private init(
        base: String, _ number: Int, root: String?, makesRoot: Bool, overwrites: Bool, isNumbered: Bool
    ) {
        self.base = base
        self.number = number
        path = number == 1 ? base : Self.adding("-\(number)", to: base)
        self.root = root
        self.makesRoot = makesRoot
        self.overwrites = overwrites
        self.isNumbered = isNumbered
    }

    /// Returns the location of another file, with the same rules for creating directories.
    package func renamed(_ path: String) -> OutputLocation {
        OutputLocation(path: path, root: root, makesRoot: makesRoot, isNumbered: true)
    }

    /// The location with the next name: `a.mov`, `a-2.mov`, `a-3.mov` …; nil if only this name was requested, or after
    /// ten thousand names.
    package var next: OutputLocation? {
        guard isNumbered, number < 10_000 else { return nil }
        return OutputLocation(
            base: base, number + 1, root: root, makesRoot: makesRoot, overwrites: false, isNumbered: true)
    }

    /// Inserts a suffix before the extension of a path.
    package static func adding(_ suffix: String, to path: String) -> String {
        "\(path.removingExtension)\(suffix).\(path.fileExtension)"
    }

    /// Expands the configured pattern and checks the result. Creates nothing.
    ///
    /// - Parameters:
    ///   - videos: The directory for recordings without `--output`.
    ///   - now: The wall clock, for the pattern.
    ///   - numbersTaken: True if a fixed name that is taken also gets a number, as a pattern's name always does.
    ///   - isChecked: True to check that a file can be created; otherwise the caller has to check it.
    /// - Throws: `outputExists`, `cannotCreate` or `notPermitted`, with the path.
    package static func resolve(
        _ configuration: RecordingConfiguration, videos: @autoclosure () -> String = VideosDirectory.path(),
        workingDirectory: String = ProcessText.workingDirectory, now: Date = Date(),
        numbersTaken: Bool = false, isChecked: Bool = true
    ) throws(MediaError) -> OutputLocation {
        let (path, root) = try expand(configuration, videos: videos(), workingDirectory: workingDirectory, now: now)
        let isDefault = configuration.output == nil
        let isPattern = configuration.output.flatMap { try? OutputPattern(parsing: $0) }?.hasTimeFields ?? true
        let location = OutputLocation(
            path: path, root: root, makesRoot: isDefault, overwrites: configuration.overwrite && !isDefault,
            isNumbered: isPattern || numbersTaken || configuration.numbersTakenNames
        ).likely
        if !isDefault, isChecked { try location.check() }
        return location
    }

    /// Expands the pattern for a time, without checking the disk.
    ///
    /// - Returns: The absolute path, and as `root` the directory above the pattern's fields. `root` is nil if only the
    ///   name has fields.
    package static func expand(
        _ configuration: RecordingConfiguration, videos: @autoclosure () -> String = VideosDirectory.path(),
        workingDirectory: String = ProcessText.workingDirectory, now: Date = Date()
    ) throws(MediaError) -> (path: String, root: String?) {
        let pattern: OutputPattern
        do { pattern = try OutputPattern(parsing: configuration.output ?? OutputPattern.standard) } catch {
            throw MediaError(.invalidSettings, "cannot use --output", reason: error.description)
        }
        let base = configuration.output == nil ? videos() : workingDirectory
        func absolute(_ path: String) -> String {
            let path = path.hasPrefix("/") ? path : base.appendingComponent(path)
            return (path as NSString).standardizingPath
        }
        let path = absolute(pattern.path(name: configuration.name, at: now))
        return (path, pattern.hasFieldsInDirectory ? absolute(pattern.fixedDirectory) : nil)
    }

    /// The location with the first name that seems to be free. Trying it first limits the number of attempts.
    package var likely: OutputLocation {
        var location = self
        while location.isTaken || Self.isThere(location.temporaryPath) {
            guard let next = location.next else { return self }
            location = next
        }
        return location
    }

    /// True if a file has the final name and may not be replaced. A kept file may never be replaced.
    private var isTaken: Bool { Self.isThere(path) && !(overwrites && !PinFile.isThere(path)) }

    /// Creates the missing directories that the recorder may create.
    ///
    /// - Returns: The created directories, the innermost first, for `removeDirectories` if there is no recording.
    package func makeDirectories() throws(MediaError) -> [String] {
        guard root != nil else { return [] }
        var missing: [String] = []
        var next = directory
        while next.count > 1, !Self.isThere(next), mayMake(next) {
            missing.append(next)
            next = next.parentDirectory
        }
        var made: [String] = []
        for path in missing.reversed() {
            // Another recording may create the same directory at the same time.
            guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
                let number = errno
                Self.removeDirectories(made)
                throw MediaError(
                    number == EACCES || number == EPERM ? .notPermitted : .cannotCreate, "cannot create \(path)",
                    reason: String(cString: strerror(number)), underlying: .errno(number),
                    wayOut: "choose another place with --output")
            }
            made.insert(path, at: 0)
            // Without this sync, FAT would lose the directory and every file in it in a power loss. If the sync fails,
            // the recording continues.
            synchronizeDirectory(path.parentDirectory)
        }
        do { try check() } catch {
            Self.removeDirectories(made)
            throw error
        }
        return made
    }

    /// Removes the directories that `makeDirectories` created, unless they contain files.
    package static func removeDirectories(_ made: [String]) {
        for path in made where rmdir(path) != 0 { break }
    }

    private func mayMake(_ directory: String) -> Bool {
        guard let root else { return false }
        return makesRoot || directory.hasPrefix(root.hasSuffix("/") ? root : root + "/")
    }

    /// Checks that a file can be created.
    package func check() throws(MediaError) {
        var kind = stat()
        // Missing directories are created in the nearest existing one.
        var directory = directory
        while directory.count > 1, !Self.isThere(directory), mayMake(directory) {
            directory = directory.parentDirectory
        }
        guard stat(directory, &kind) == 0 else {
            throw MediaError(
                .cannotCreate, "cannot create \(path)", reason: "there is no directory \(directory)",
                wayOut: "create it with `mkdir -p \(directory)`")
        }
        guard kind.st_mode & S_IFMT == S_IFDIR else {
            throw MediaError(.cannotCreate, "cannot create \(path)", reason: "\(directory) is not a directory")
        }
        if stat(path, &kind) == 0, kind.st_mode & S_IFMT != S_IFREG {
            throw MediaError(
                .cannotCreate, "cannot create \(path)",
                reason: kind.st_mode & S_IFMT == S_IFDIR ? "it is a directory" : "it is not a regular file")
        }
        guard !isTaken else {
            throw MediaError(
                .outputExists, "cannot create \(path)",
                reason: PinFile.isThere(path) ? "it exists, and `recorder keep` protects it" : "it exists",
                wayOut: "choose another name")
        }
        guard !Self.isThere(temporaryPath) else { throw temporaryPathIsTaken }
        guard access(directory, W_OK | X_OK) == 0 else {
            throw MediaError(
                .notPermitted, "cannot create \(path)", reason: "no permission to write in \(directory)",
                underlying: .errno(errno), wayOut: "choose another place with --output")
        }
    }

    /// Checks that a mirror's directory is not the directory of the recordings, under any path. Both mirrored files would
    /// have the same name then.
    package func check(mirror: String) throws(MediaError) {
        guard PathIdentity.areSame(root ?? directory, mirror) else { return }
        throw MediaError(
            .invalidSettings, "cannot mirror to \(mirror)", reason: "it is the directory of the recordings themselves",
            wayOut: "choose a directory on another disk")
    }

    private var temporaryPathIsTaken: MediaError {
        let action = "cannot create \(path)"
        if let owner = RecordingOwner.text(of: temporaryPath) {
            return MediaError(
                .outputExists, action, reason: "\(temporaryPath) exists: \(owner)", wayOut: "choose another name")
        }
        return MediaError(
            .outputExists, action, reason: "\(temporaryPath) exists, left by an interrupted recording",
            wayOut: "choose another name; `recorder repair \(temporaryPath)` finalizes that recording")
    }

    /// Returns true if the path exists, even as a dangling link.
    package static func isThere(_ path: String) -> Bool {
        var kind = stat()
        return lstat(path, &kind) == 0
    }

    package static func temporaryPath(of path: String) -> String {
        path.removingExtension + ".recording." + path.fileExtension
    }

    /// Returns the final path of a temporary one; nil for any other path.
    package static func finalPath(of temporary: String) -> String? {
        let stem = temporary.removingExtension
        guard stem.fileExtension == "recording" else { return nil }
        return stem.removingExtension + "." + temporary.fileExtension
    }
}
