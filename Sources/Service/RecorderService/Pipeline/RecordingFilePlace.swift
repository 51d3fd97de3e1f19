import Glibc
import MediaTypes
import RecorderStorage

/// The rules for choosing a file's name. The closures access the disk, on the thread that opens the file.
struct RecordingFilePlace: Sendable {
    /// The file type of the name's extension.
    var fileType = FileType.mov
    /// Returns the next location to try. The argument is nil in the first call. In later calls it is the error of the
    /// previous location, whose name was taken.
    ///
    /// - Throws: The error that was passed, if there is no other name.
    var candidate: @Sendable (_ taken: MediaError?) throws(MediaError) -> OutputLocation
    /// Creates the missing directories that the recorder may create.
    var prepare: @Sendable (OutputLocation) throws(MediaError) -> Void = { location throws(MediaError) in
        _ = try location.makeDirectories()
    }
    /// Called when the file was created. The file is still empty.
    var taken: @Sendable (OutputLocation) -> Void = { _ in }
    /// The directory on the second disk; nil without a mirror.
    var mirror: MirrorPlace?
    /// Returns the reserve in bytes. A disk whose free space does not exceed the reserve is used only if the other disk
    /// cannot be used.
    var reserve: @Sendable () -> Int64 = { 0 }
    /// Returns true if the recorder may wait for a missing directory. This is allowed until the recording ends.
    var mayWait: @Sendable () -> Bool = { false }
    /// Interval between two attempts to create the file in a missing directory, in nanoseconds.
    var patience: Int64 = 500_000_000
    /// Nanoseconds to wait before the file is created, because earlier files failed. The end of the recording also ends
    /// this wait.
    var delay: Int64 = 0
    /// Removes the remains of failed files. Called after `delay`, before the first name is tried.
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
                // With a mirror, each of the two files is prepared separately, because one of them is enough.
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
    /// True if the error means that the file or its directory does not exist, or that its disk is disconnected.
    var isMissingPlace: Bool { [.errno(ENOENT), .errno(ENOTDIR), .errno(ENODEV)].contains(underlying) }
}
