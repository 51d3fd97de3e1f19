package import CommandInterface

/// An owner's wish to keep a recording, with its time and a note: the contents of the recording's sidecar (`PinFile`).
package struct RecordingPin: Codable, Sendable, Hashable {
    /// The time at which the recording was first kept, in seconds since 1970.
    package var since: Double
    package var note: String?
    /// The inode number of the movie's file, which stays the same when the file gets its final name; nil if unknown.
    package var inode: UInt64?
    /// The requests for clips that still need the recording; the pin ends when the last of them ends. nil for a pin
    /// that the owner set: only the owner can end it.
    package var requests: [String]?

    package init(since: Double, note: String? = nil, inode: UInt64? = nil, requests: [String]? = nil) {
        (self.since, self.note, self.inode, self.requests) = (since, note, inode, requests)
    }

    /// Adds an earlier pin of the same recording: its time, its requests, and its note if this pin has none. If the
    /// owner set one of the two pins, the result also counts as set by the owner, and the owner's note has priority.
    mutating func add(_ known: RecordingPin) {
        since = known.since
        let isOwners = known.requests == nil && requests != nil
        note = isOwners ? known.note ?? note : note ?? known.note
        guard let own = requests, let earlier = known.requests else {
            requests = nil
            return
        }
        requests = earlier + own.filter { !earlier.contains($0) }
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
