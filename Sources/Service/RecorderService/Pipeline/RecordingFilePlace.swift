import Glibc
import MediaTypes
import RecorderStorage

/// The rules for choosing a file's name. The closures access the disk, on the thread that opens the file.
struct RecordingFilePlace: Sendable {
    /// The file type of the name's extension.
    var fileType = FileType.mov
    /// Returns a name, the next one with each call; called again with the error if a name is taken.
    ///
    /// - Throws: The same error if there is no other name.
    var candidate: @Sendable (_ taken: MediaError?) throws(MediaError) -> OutputLocation
    /// Creates the missing directories that the recorder may create.
    var prepare: @Sendable (OutputLocation) throws(MediaError) -> Void = { location throws(MediaError) in
        _ = try location.makeDirectories()
    }
    /// Called when the file was created. It is still empty.
    var taken: @Sendable (OutputLocation) -> Void = { _ in }
    /// The location of its mirrored file; nil without one.
    var mirror: MirrorPlace?
    /// Bytes that stay free on either disk while the other can be written.
    var reserve: @Sendable () -> Int64 = { 0 }
    /// Returns true if the recorder waits for a missing directory: while the recording lasts.
    var mayWait: @Sendable () -> Bool = { false }
    /// Interval between two attempts, in nanoseconds.
    var patience: Int64 = 500_000_000
    /// Nanoseconds to wait before the file is created, because earlier files failed. The end of the recording cuts it
    /// short.
    var delay: Int64 = 0
    /// Runs after that delay and before the first name is tried: removes the remains of failed files.
    var clear: @Sendable () -> Void = {}

    /// Creates a place.
    ///
    /// - Parameter path: A path with the extension that every candidate has.
    init(
        _ path: String = "", candidate: @escaping @Sendable (MediaError?) throws(MediaError) -> OutputLocation
    ) {
        self.candidate = candidate
        if let type = FileType(fileExtension: String(path.split(separator: ".").last ?? "")) { fileType = type }
    }

    /// Finds a free name and creates the file.
    ///
    /// - Parameter open: Creates the file, exclusively.
    func take<File>(_ open: (OutputLocation) throws(MediaError) -> File) throws(MediaError) -> File {
        var location = try candidate(nil)
        var attempts = 0
        while true {
            do throws(MediaError) {
                // Each of the two files is prepared separately, because one is enough.
                if mirror == nil { try prepare(location) }
                let file = try open(location)
                taken(location)
                return file
            } catch {
                if error.code == .outputExists {
                    location = try candidate(error)
                } else if error.isMissingPlace, location.root != nil, attempts < 100 {
                    // Retention or the user removed the directory after it was created.
                    attempts += 1
                } else {
                    throw error
                }
            }
        }
    }
}

extension MediaError {
    /// True if the file or directory does not exist, or its disk is gone.
    var isMissingPlace: Bool { [.errno(ENOENT), .errno(ENOTDIR), .errno(ENODEV)].contains(underlying) }
}
