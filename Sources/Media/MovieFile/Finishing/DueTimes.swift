import MediaTypes

/// The decode time at which the next sample of each track is due, according to the previous fragments. Detects parts of
/// fragments that have a damaged track ID. Such a part has the times of another track, in ticks of a different length.
struct DueTimes {
    let lines: [UInt32: FinalHeader.TimeLine]
    /// The due times by track ID, in ticks of the track.
    private(set) var due: [UInt32: UInt64] = [:]

    /// The maximum time, in seconds, by which a part of a fragment can be ahead of its track's last sample. If a part
    /// is further ahead, its track ID may be wrong.
    private static let longestJump = 60.0

    init(_ header: FinalHeader) {
        lines = Dictionary(
            header.tracks.map { ($0.id, header.line(of: $0.trak)) }, uniquingKeysWith: { first, _ in first })
    }

    subscript(id: UInt32) -> UInt64? {
        get { due[id] }
        set { due[id] = newValue }
    }

    /// Records the parts of a fragment.
    mutating func record(_ parts: [FragmentReader.Track]) {
        for part in parts { due[part.id] = part.decodeTime &+ Self.length(of: part) }
    }

    /// Returns the ticks from a part's first sample to the end of its last sample.
    static func length(of part: FragmentReader.Track) -> UInt64 {
        part.chunks.reduce(UInt64(0)) { sum, chunk in
            chunk.runs.reduce(sum) { $0 &+ UInt64($1.duration) &* UInt64($1.count) }
        }
    }

    /// Returns the ID of the track to which a part of a fragment really belongs, if the part has the ID of another
    /// track; nil otherwise.
    ///
    /// The part's ID is wrong if no track has this ID, or if the part would be far ahead of the track with this ID. In
    /// addition, exactly one track without samples in the fragment must be due on the tick on which the part begins.
    func owner(of part: FragmentReader.Track, in parts: [FragmentReader.Track]) -> UInt32? {
        guard part.decodeTime > 0, isStray(part) else { return nil }
        let fitting = due.filter { id, time in
            time == part.decodeTime && !parts.contains { $0.id == id }
        }
        return fitting.count == 1 ? fitting.first?.key : nil
    }

    private func isStray(_ part: FragmentReader.Track) -> Bool {
        guard let line = lines[part.id] else { return true }
        guard let own = due[part.id], part.decodeTime > own else { return false }
        return Double(part.decodeTime - own) > Self.longestJump * Double(line.scale)
    }

    /// Returns true if no part of a fragment has the ID of a wrong track, according to the parts' times.
    func agree(with parts: [FragmentReader.Track]) -> Bool { parts.allSatisfy { owner(of: $0, in: parts) == nil } }

    /// Returns a fragment's parts, each with the ID of its track.
    func numbered(_ parts: [FragmentReader.Track]) -> [FragmentReader.Track] {
        parts.map { part in
            var part = part
            part.id = owner(of: part, in: parts) ?? part.id
            return part
        }
    }
}
