public import Foundation
public import MediaTypes

/// The file that a recording will become, checked before any device is opened.
public struct OutputLocation: Sendable, Hashable {
    /// Absolute.
    public let path: String
    /// Directories below this one may be made, and go again when they are empty: what the pattern's fields name. nil: none.
    public let root: String?
    /// The default's videos directory itself may be made too; one that somebody gave never.
    private let makesRoot: Bool
    private let overwrites: Bool

    /// The name while recording: it already plays, and `recorder` can make it whole after a power cut.
    public var temporaryPath: String { Self.temporaryPath(of: path) }

    public var directory: String { (path as NSString).deletingLastPathComponent }

    public init(path: String) { self.init(path: path, root: nil) }

    init(path: String, root: String?, makesRoot: Bool = false, overwrites: Bool = false) {
        self.path = path
        self.root = root
        self.makesRoot = makesRoot
        self.overwrites = overwrites
    }

    /// Another file in the same place.
    func renamed(_ path: String) -> OutputLocation { OutputLocation(path: path, root: root, makesRoot: makesRoot) }

    /// Expands the configured pattern and looks at what is there. Makes nothing.
    ///
    /// - Parameters:
    ///   - videos: where recordings without `--output` go.
    ///   - now: the wall clock, for the pattern.
    ///   - numbersTaken: a name that is taken gets a number: one pattern is meant for many recordings.
    /// - Throws: `outputExists`, `cannotCreate` or `notPermitted`, with the path.
    public static func resolve(
        _ configuration: RecordingConfiguration, videos: @autoclosure () -> String = VideosDirectory.path(),
        workingDirectory: String = FileManager.default.currentDirectoryPath, now: Date = Date(),
        numbersTaken: Bool = false
    ) throws(MediaError) -> OutputLocation {
        let (path, root) = try expand(configuration, videos: videos(), workingDirectory: workingDirectory, now: now)
        let isDefault = configuration.output == nil
        let location = OutputLocation(
            path: path, root: root, makesRoot: isDefault, overwrites: configuration.overwrite && !isDefault)
        if isDefault { return location.numbered() }
        if numbersTaken, !configuration.overwrite {
            let numbered = location.numbered()
            try numbered.check()
            return numbered
        }
        try location.check()
        return location
    }

    /// What the pattern gives at a moment, whatever is there.
    ///
    /// - Returns: the absolute path, and the directory that its fields are below, nil when they are in the name alone.
    static func expand(
        _ configuration: RecordingConfiguration, videos: @autoclosure () -> String = VideosDirectory.path(),
        workingDirectory: String = FileManager.default.currentDirectoryPath, now: Date = Date()
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

    /// The first of `a.mov`, `a-2.mov`, `a-3.mov` … that is free: two recordings may begin in one second.
    private func numbered() -> OutputLocation {
        let stem = (path as NSString).deletingPathExtension
        let kind = (path as NSString).pathExtension
        return (1...1000).lazy
            .map { $0 == 1 ? self : renamed("\(stem)-\($0).\(kind)") }
            .first { !Self.isThere($0.path) && !Self.isThere($0.temporaryPath) } ?? self
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

    private func check() throws(MediaError) {
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
                .outputExists, "cannot create \(path)", reason: "it exists",
                wayOut: "--overwrite replaces it at the end")
        }
        guard !Self.isThere(temporaryPath) else {
            throw MediaError(
                .outputExists, "cannot create \(path)",
                reason: "\(temporaryPath) is there: the rest of an interrupted recording, or one that is running",
                wayOut: "choose another name, or move that file away")
        }
        guard access(directory, W_OK | X_OK) == 0 else {
            throw MediaError(
                .notPermitted, "cannot create \(path)", reason: "no permission to write in \(directory)",
                underlying: .errno(errno), wayOut: "choose another place with --output")
        }
    }

    /// Something is there, even a link that points nowhere.
    static func isThere(_ path: String) -> Bool {
        var kind = stat()
        return lstat(path, &kind) == 0
    }

    static func temporaryPath(of path: String) -> String {
        (path as NSString).deletingPathExtension + ".recording." + (path as NSString).pathExtension
    }
}
