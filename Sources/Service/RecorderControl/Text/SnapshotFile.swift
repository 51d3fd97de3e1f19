import CommandInterface
package import MediaTypes
package import RecorderStorage

/// The output of `recorder snapshot`; `docs/reference/json.md` describes its JSON.
package struct SnapshotFile: Encodable, Sendable {
    let name: String
    /// The absolute path.
    package let file: String
    let bytes: Int

    /// Creates the output for one image.
    ///
    /// - Parameter path: An absolute path.
    package init(name: RecordingName, path: String, image: MediaData) {
        self.name = name.description
        file = path
        bytes = image.count
    }

    /// Checks that the image can be written. Creates nothing.
    ///
    /// - Throws: The error that `write` would throw.
    package static func check(_ path: String, overwrite: Bool) throws(MediaError) {
        try AtomicFile.check(path, overwrite: overwrite)
    }

    /// Writes the image completely, or not at all.
    package static func write(_ image: MediaData, to path: String, overwrite: Bool) throws(MediaError) {
        try AtomicFile.write(image, to: path, overwrite: overwrite)
    }
}
