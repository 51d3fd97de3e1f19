import CommandInterface
package import MediaTypes

/// What `recorder snapshot` has made; `docs/json.md` describes its JSON.
package struct SnapshotFile: Encodable, Sendable {
    let name: String
    /// Absolute.
    package let file: String
    let bytes: Int

    /// - Parameter path: absolute.
    package init(name: RecordingName, path: String, picture: MediaData) {
        self.name = name.description
        file = path
        bytes = picture.count
    }

    /// - Throws: what `write` would find in its way. Makes nothing.
    package static func check(_ path: String, overwrite: Bool) throws(MediaError) {
        try WholeFile.check(path, overwrite: overwrite)
    }

    /// Whole, or not at all.
    package static func write(_ picture: MediaData, to path: String, overwrite: Bool) throws(MediaError) {
        try WholeFile.write(picture, to: path, overwrite: overwrite)
    }
}
