import Glibc
import MediaTypes

/// How a file comes by its name. What is called touches the disk, on the thread that opens the file.
struct RecordingFilePlace: Sendable {
    /// What its name says that it is.
    var fileType = FileType.mov
    /// A name for it, the next one each time: asked again with the error when that is taken.
    ///
    /// - Throws: that error where there is no other name.
    var candidate: @Sendable (_ taken: MediaError?) throws(MediaError) -> OutputLocation
    /// Makes the directories that it needs, as far as that is ours to do.
    var prepare: @Sendable (OutputLocation) throws(MediaError) -> Void = { location throws(MediaError) in
        _ = try location.makeDirectories()
    }
    /// The file is there and ours, and nothing is in it yet.
    var taken: @Sendable (OutputLocation) -> Void = { _ in }
    /// Where its second copy goes; nil: it has none.
    var mirror: MirrorPlace?
    /// Bytes that stay free on either disk, as far as the other can be written.
    var reserve: @Sendable () -> Int64 = { 0 }
    /// Whether a directory that is gone is waited for: as long as the recording goes on.
    var mayWait: @Sendable () -> Bool = { false }
    /// How often it is looked for, in nanoseconds.
    var patience: Int64 = 500_000_000
    /// Nanoseconds to wait before the file is made: files before it failed. Shorter when the recording ends.
    var delay: Int64 = 0
    /// Runs after that wait and before the first name is tried: removes what failed files left.
    var clear: @Sendable () -> Void = {}

    /// - Parameter path: with the extension that every candidate has.
    init(
        _ path: String = "", candidate: @escaping @Sendable (MediaError?) throws(MediaError) -> OutputLocation
    ) {
        self.candidate = candidate
        if let type = FileType(fileExtension: String(path.split(separator: ".").last ?? "")) { fileType = type }
    }

    /// Finds a name and takes it.
    ///
    /// - Parameter open: makes the file, exclusively.
    func take<File>(_ open: (OutputLocation) throws(MediaError) -> File) throws(MediaError) -> File {
        var location = try candidate(nil)
        var attempts = 0
        while true {
            do throws(MediaError) {
                // Of two copies each is prepared for itself: one is enough.
                if mirror == nil { try prepare(location) }
                let file = try open(location)
                taken(location)
                return file
            } catch {
                if error.code == .outputExists {
                    location = try candidate(error)
                } else if error.isMissingPlace, location.root != nil, attempts < 100 {
                    // Somebody removed the directory between its making and the file's: the retention, or its owner.
                    attempts += 1
                } else {
                    throw error
                }
            }
        }
    }
}

extension MediaError {
    /// There is no such file or directory, or its disk is gone.
    var isMissingPlace: Bool { [.errno(ENOENT), .errno(ENOTDIR), .errno(ENODEV)].contains(underlying) }
}
