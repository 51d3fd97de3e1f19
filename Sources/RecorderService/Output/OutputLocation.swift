public import Foundation
public import MediaTypes

/// The file that a recording will become, checked before any device is opened.
public struct OutputLocation: Sendable, Hashable {
    /// Absolute.
    public let path: String
    /// The directories may have to be made: those of the default pattern, never those of a path that somebody gave.
    private let makesDirectories: Bool

    /// The name while recording: it already plays, and `recorder` can make it whole after a power cut.
    public var temporaryPath: String { Self.temporaryPath(of: path) }

    public var directory: String { (path as NSString).deletingLastPathComponent }

    public init(path: String, makesDirectories: Bool = false) {
        self.path = path
        self.makesDirectories = makesDirectories
    }

    /// Expands the configured pattern and looks at what is there. Makes nothing.
    ///
    /// - Parameters:
    ///   - videos: where recordings without `--output` go.
    ///   - now: the wall clock, for the pattern.
    /// - Throws: `outputExists`, `cannotCreate` or `notPermitted`, with the path.
    public static func resolve(
        _ configuration: RecordingConfiguration, videos: @autoclosure () -> String = VideosDirectory.path(),
        workingDirectory: String = FileManager.default.currentDirectoryPath, now: Date = Date()
    ) throws(MediaError) -> OutputLocation {
        let path = try expand(
            configuration, videos: videos(), workingDirectory: workingDirectory, now: now)
        guard configuration.output != nil else { return OutputLocation(path: path, makesDirectories: true).numbered() }
        let location = OutputLocation(path: path)
        try location.check(overwrite: configuration.overwrite)
        return location
    }

    /// The absolute path that the pattern gives at a moment, whatever is there.
    static func expand(
        _ configuration: RecordingConfiguration, videos: @autoclosure () -> String = VideosDirectory.path(),
        workingDirectory: String = FileManager.default.currentDirectoryPath, now: Date = Date()
    ) throws(MediaError) -> String {
        let pattern: OutputPattern
        do { pattern = try OutputPattern(parsing: configuration.output ?? OutputPattern.standard) } catch {
            throw MediaError(.invalidSettings, "cannot use --output", reason: error.description)
        }
        let path = pattern.path(name: configuration.name, at: now)
        guard configuration.output != nil else { return videos() + "/" + path }
        let absolute = path.hasPrefix("/") ? path : (workingDirectory as NSString).appendingPathComponent(path)
        return (absolute as NSString).standardizingPath
    }

    /// The first of `a.mov`, `a-2.mov`, `a-3.mov` … that is free: two recordings may begin in one second.
    private func numbered() -> OutputLocation {
        let stem = (path as NSString).deletingPathExtension
        let kind = (path as NSString).pathExtension
        return (1...1000).lazy
            .map { OutputLocation(path: $0 == 1 ? path : "\(stem)-\($0).\(kind)", makesDirectories: makesDirectories) }
            .first { !Self.isThere($0.path) && !Self.isThere($0.temporaryPath) } ?? self
    }

    /// Makes the directories that are missing, as far as that is ours to do.
    ///
    /// - Returns: those it made, the innermost first; for `removeDirectories` when nothing came of the recording.
    func makeDirectories() throws(MediaError) -> [String] {
        guard makesDirectories else { return [] }
        var missing: [String] = []
        var next = directory
        while next.count > 1, !Self.isThere(next) {
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
        do { try check(overwrite: false) } catch {
            Self.removeDirectories(made)
            throw error
        }
        return made
    }

    /// Takes back what `makeDirectories` made, unless something is in it by now.
    static func removeDirectories(_ made: [String]) {
        for path in made where rmdir(path) != 0 { break }
    }

    private func check(overwrite: Bool) throws(MediaError) {
        var kind = stat()
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
        guard overwrite || !Self.isThere(path) else {
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
    private static func isThere(_ path: String) -> Bool {
        var kind = stat()
        return lstat(path, &kind) == 0
    }

    static func temporaryPath(of path: String) -> String {
        (path as NSString).deletingPathExtension + ".recording." + (path as NSString).pathExtension
    }
}
