import FileSystem
package import Foundation
import Glibc
package import MediaTypes

/// The file that a recording will become, looked at before any device is opened.
///
/// What is looked at may change; a name is only taken by making the file that is recorded into, exclusively. Whoever finds
/// it taken then goes on to the `next` one.
package struct OutputLocation: Sendable, Hashable {
    /// Absolute.
    package let path: String
    /// Directories below this one may be made, and go again when they are empty: what the pattern's fields name. nil: none.
    package let root: String?
    /// The default's videos directory itself may be made too; one that somebody gave never.
    private let makesRoot: Bool
    /// Leave to replace what has this very name, in one step at the end.
    let overwrites: Bool
    /// A name that is taken gets a number: one pattern is meant for many recordings, and a service has nobody to ask.
    let isNumbered: Bool
    /// The path without a number, and which one this is.
    private let base: String
    private let number: Int

    /// The name while recording: it already plays, and `recorder` can make it whole after a power cut.
    package var temporaryPath: String { Self.temporaryPath(of: path) }

    package var directory: String { (path as NSString).deletingLastPathComponent }

    package init(path: String) { self.init(path: path, root: nil) }

    init(
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

    /// Another file in the same place.
    func renamed(_ path: String) -> OutputLocation {
        OutputLocation(path: path, root: root, makesRoot: makesRoot, isNumbered: true)
    }

    /// The name after this one: `a.mov`, `a-2.mov`, `a-3.mov` …; nil where another name is not what was asked for, and
    /// after ten thousand.
    var next: OutputLocation? {
        guard isNumbered, number < 10_000 else { return nil }
        return OutputLocation(
            base: base, number + 1, root: root, makesRoot: makesRoot, overwrites: false, isNumbered: true)
    }

    /// `a.mov` with something in front of its extension.
    static func adding(_ suffix: String, to path: String) -> String {
        "\((path as NSString).deletingPathExtension)\(suffix).\((path as NSString).pathExtension)"
    }

    /// Expands the configured pattern and looks at what is there. Makes nothing.
    ///
    /// - Parameters:
    ///   - videos: where recordings without `--output` go.
    ///   - now: the wall clock, for the pattern.
    ///   - numbersTaken: a fixed name that is taken gets a number too, as a pattern's always does.
    ///   - isChecked: otherwise whoever asks looks by himself whether a file can be made there.
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

    /// What the pattern gives at a moment, whatever is there.
    ///
    /// - Returns: the absolute path, and the directory that its fields are below, nil when they are in the name alone.
    static func expand(
        _ configuration: RecordingConfiguration, videos: @autoclosure () -> String = VideosDirectory.path(),
        workingDirectory: String = ProcessText.workingDirectory, now: Date = Date()
    ) throws(MediaError) -> (path: String, root: String?) {
        let pattern: OutputPattern
        do { pattern = try OutputPattern(parsing: configuration.output ?? OutputPattern.standard) } catch {
            throw MediaError(.invalidSettings, "cannot use --output", reason: error.description)
        }
        let base = configuration.output == nil ? videos() : workingDirectory
        func absolute(_ path: String) -> String {
            let path = path.hasPrefix("/") ? path : (base as NSString).appendingPathComponent(path)
            return (path as NSString).standardizingPath
        }
        let path = absolute(pattern.path(name: configuration.name, at: now))
        return (path, pattern.hasFieldsInDirectory ? absolute(pattern.fixedDirectory) : nil)
    }

    /// The first name that looks free, so that few are tried.
    var likely: OutputLocation {
        var location = self
        while (Self.isThere(location.path) && !location.overwrites) || Self.isThere(location.temporaryPath) {
            guard let next = location.next else { return self }
            location = next
        }
        return location
    }

    /// Makes the directories that are missing, as far as that is ours to do.
    ///
    /// - Returns: those it made, the innermost first; for `removeDirectories` when nothing came of the recording.
    func makeDirectories() throws(MediaError) -> [String] {
        guard root != nil else { return [] }
        var missing: [String] = []
        var next = directory
        while next.count > 1, !Self.isThere(next), mayMake(next) {
            missing.append(next)
            next = (next as NSString).deletingLastPathComponent
        }
        var made: [String] = []
        for path in missing.reversed() {
            // Another recording may make the same one at this moment.
            guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
                let number = errno
                Self.removeDirectories(made)
                throw MediaError(
                    number == EACCES || number == EPERM ? .notPermitted : .cannotCreate, "cannot create \(path)",
                    reason: String(cString: strerror(number)), underlying: .errno(number),
                    wayOut: "choose another place with --output")
            }
            made.insert(path, at: 0)
            // FAT would lose it in a power cut, with every file in it. Where it cannot be synced the recording may go on.
            try? DirectoryEntries.synchronize((path as NSString).deletingLastPathComponent)
        }
        do { try check() } catch {
            Self.removeDirectories(made)
            throw error
        }
        return made
    }

    /// Takes back what `makeDirectories` made, unless something is in it by now.
    static func removeDirectories(_ made: [String]) {
        for path in made where rmdir(path) != 0 { break }
    }

    private func mayMake(_ directory: String) -> Bool {
        guard let root else { return false }
        return makesRoot || directory.hasPrefix(root.hasSuffix("/") ? root : root + "/")
    }

    /// Looks whether a file can be made there.
    func check() throws(MediaError) {
        var kind = stat()
        // What will be made is made in the next directory that is there.
        var directory = directory
        while directory.count > 1, !Self.isThere(directory), mayMake(directory) {
            directory = (directory as NSString).deletingLastPathComponent
        }
        guard stat(directory, &kind) == 0 else {
            throw MediaError(
                .cannotCreate, "cannot create \(path)", reason: "there is no directory \(directory)",
                wayOut: "`mkdir -p \(directory)` makes it")
        }
        guard kind.st_mode & S_IFMT == S_IFDIR else {
            throw MediaError(.cannotCreate, "cannot create \(path)", reason: "\(directory) is not a directory")
        }
        if stat(path, &kind) == 0, kind.st_mode & S_IFMT != S_IFREG {
            throw MediaError(
                .cannotCreate, "cannot create \(path)",
                reason: kind.st_mode & S_IFMT == S_IFDIR ? "it is a directory" : "it is not an ordinary file")
        }
        guard overwrites || !Self.isThere(path) else {
            throw MediaError(
                .outputExists, "cannot create \(path)", reason: "it exists", wayOut: "choose another name")
        }
        guard !Self.isThere(temporaryPath) else { throw temporaryPathIsTaken }
        guard access(directory, W_OK | X_OK) == 0 else {
            throw MediaError(
                .notPermitted, "cannot create \(path)", reason: "no permission to write in \(directory)",
                underlying: .errno(errno), wayOut: "choose another place with --output")
        }
    }

    private var temporaryPathIsTaken: MediaError {
        let action = "cannot create \(path)"
        if let owner = RecordingOwner.text(of: temporaryPath) {
            return MediaError(
                .outputExists, action, reason: "\(temporaryPath) is there: \(owner)", wayOut: "choose another name")
        }
        return MediaError(
            .outputExists, action, reason: "\(temporaryPath) is there, left by a recording that was interrupted",
            wayOut: "choose another name; `recorder repair \(temporaryPath)` finishes that recording")
    }

    /// Something is there, even a link that points nowhere.
    static func isThere(_ path: String) -> Bool {
        var kind = stat()
        return lstat(path, &kind) == 0
    }

    static func temporaryPath(of path: String) -> String {
        (path as NSString).deletingPathExtension + ".recording." + (path as NSString).pathExtension
    }

    /// The name that such a file gets; nil for another one.
    package static func finalPath(of temporary: String) -> String? {
        let stem = (temporary as NSString).deletingPathExtension
        guard (stem as NSString).pathExtension == "recording" else { return nil }
        return (stem as NSString).deletingPathExtension + "." + (temporary as NSString).pathExtension
    }
}

/// Names that have to outlast a power cut: what was made in a directory, or renamed there, is only certain once the directory
/// itself is synced. Most file systems do it with the file; FAT does not, and a list may be on another one than the files.
enum DirectoryEntries {
    /// Blocks for as long as the disk takes.
    ///
    /// - Parameter directory: an absolute path.
    static func synchronize(_ directory: String) throws(MediaError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw MediaError(errno: errno, "cannot open directory \(directory)") }
        defer { close(descriptor) }
        // Some file systems cannot; then nothing better is known.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw MediaError(errno: errno, "cannot sync directory \(directory)")
        }
    }
}
