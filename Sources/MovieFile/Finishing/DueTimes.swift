import MediaTypes

/// When the next sample of each track is due, by the fragments so far. Finds a part of a fragment whose track number is damaged: its times
/// would be those of another track, in ticks of another length.
struct DueTimes {
    let lines: [UInt32: FinalHeader.TimeLine]
    /// By the tracks' numbers, in their ticks.
    private(set) var due: [UInt32: UInt64] = [:]

    /// What no part of a fragment is ahead of the track's last sample, in seconds, where the number is right.
    private static let longestJump = 60.0

    init(_ header: FinalHeader) {
        lines = Dictionary(
            header.tracks.map { ($0.id, FinalHeader.TimeLine($0.trak)) }, uniquingKeysWith: { first, _ in first })
    }

    subscript(id: UInt32) -> UInt64? {
        get { due[id] }
        set { due[id] = newValue }
    }

    /// Takes note of a fragment's parts.
    mutating func note(_ parts: [FragmentReader.Track]) {
        for part in parts { due[part.id] = part.decodeTime &+ Self.length(of: part) }
    }

    /// Ticks from a part's first sample to the end of its last.
    static func length(of part: FragmentReader.Track) -> UInt64 {
        part.chunks.reduce(UInt64(0)) { sum, chunk in
            chunk.runs.reduce(sum) { $0 &+ UInt64($1.duration) &* UInt64($1.count) }
        }
    }

    /// The track that a part of a fragment belongs to where that is not the one that it names: there is no such track, or the part would leap
    /// ahead of it; and it begins on the tick at which exactly one track is due of which the fragment has nothing.
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

    /// Whether each part of a fragment belongs to the track that it names, as far as times tell.
    func agree(with parts: [FragmentReader.Track]) -> Bool { parts.allSatisfy { owner(of: $0, in: parts) == nil } }

    /// A fragment's parts, each with the number of its track.
    func numbered(_ parts: [FragmentReader.Track]) -> [FragmentReader.Track] {
        parts.map { part in
            var part = part
            part.id = owner(of: part, in: parts) ?? part.id
            return part
        }
    }
}
