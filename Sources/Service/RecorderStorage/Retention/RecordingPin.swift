package import CommandInterface

/// Why and since when an owner keeps a recording: the contents of its sidecar (`PinFile`).
package struct RecordingPin: Codable, Sendable, Hashable {
    /// The time at which it was kept, in seconds since 1970.
    package var since: Double
    package var note: String?
    /// The number of the movie's file. It stays the same when the file gets its final name.
    package var inode: UInt64?

    package init(since: Double, note: String? = nil, inode: UInt64? = nil) {
        (self.since, self.note, self.inode) = (since, note, inode)
    }

    /// The maximum number of characters (Unicode scalars) of a note.
    package static let longestNote = 256

    /// Parses a note.
    ///
    /// - Throws: An error if it is not one line of 1 to `longestNote` characters.
    package static func parse(note: String) throws(OptionError) -> String {
        let isLine = note.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard !note.isEmpty, note.unicodeScalars.count <= longestNote, isLine else {
            throw OptionError(note, isNot: "a note", write: "one line of 1 to \(longestNote) characters")
        }
        return note
    }
}
