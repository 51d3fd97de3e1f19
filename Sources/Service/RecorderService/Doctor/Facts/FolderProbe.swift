import FileSystem
import Glibc
import MediaTypes
import RecorderStorage

/// Finds the folders in which one recorder would write. Blocks until their disks respond.
struct FolderProbe: Sendable {
    struct Folder: Sendable {
        var facts: FolderFacts
        /// The folder itself, or the nearest existing one above it.
        var existing: String
        /// The file system's device number (stat(2)); nil if unknown.
        var disk: UInt64?
    }

    /// One error for each setting that names a file or folder that does not exist.
    let missing: [MediaError]
    let folders: [Folder]

    init(_ effective: EffectiveConfiguration) {
        let configuration = effective.configuration
        missing = effective.missingPlaces
        var folders: [Folder] = []
        do throws(MediaError) {
            let location = try OutputLocation.resolve(configuration, isChecked: false)
            var folder = Self.folder(location.root ?? location.directory, configuration)
            folder.facts.problem = Self.problem(of: location)
            folders.append(folder)
        } catch {
            var folder = Self.folder(configuration.output ?? ".", configuration)
            folder.facts.problem = error
            folders.append(folder)
        }
        if let mirror = configuration.mirror {
            var folder = Self.folder(mirror, configuration)
            folder.facts.isMirror = true
            if access(mirror, W_OK | X_OK) != 0 {
                folder.facts.problem = MediaError(
                    errno: errno, "cannot write in \(mirror)", wayOut: "choose another folder with --mirror")
            }
            folders.append(folder)
        }
        // Problems that are in `missing` too are left out here: `missing` also has the line in the configuration file.
        let known = Set(missing.map(\.reason))
        self.folders = folders.filter { folder in
            guard let problem = folder.facts.problem else { return true }
            let isMissing = folder.facts.isMirror && problem.code == .notFound
            return !isMissing && !known.contains(problem.reason)
        }
    }

    /// Returns the reason why a recording cannot be created; nil if it can. A name that is taken is ignored, because it
    /// may be free when the recording begins.
    private static func problem(of location: OutputLocation) -> MediaError? {
        do throws(MediaError) {
            try location.check()
            return nil
        } catch { return error.code == .outputExists ? nil : error }
    }

    private static func folder(_ path: String, _ configuration: RecordingConfiguration) -> Folder {
        var existing = path
        while existing.count > 1, !FolderContents.isDirectory(existing) { existing = existing.parentDirectory }
        if existing.isEmpty { existing = "/" }
        var facts = stat()
        let disk = stat(existing, &facts) == 0 ? UInt64(facts.st_dev) : nil
        return Folder(
            facts: FolderFacts(
                recorder: configuration.name.description, path: path, free: DiskSpace.free(at: existing),
                reserve: configuration.diskReserve, deletesOldest: !configuration.retention.keepsEverything,
                writing: .skipped("it was not measured")),
            existing: existing, disk: disk)
    }
}
