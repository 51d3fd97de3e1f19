import MediaTypes

/// Puts the fragments of a damaged recording into the order in which they were recorded, each once.
///
/// Their sequence numbers increase. The longest increasing sequence is trusted. A fragment outside of it is in another
/// place, is repeated, or has a damaged number; it is inserted by its time.
struct FragmentOrder {
    private let lines: [UInt32: FinalHeader.TimeLine]

    init(_ header: FinalHeader) {
        lines = Dictionary(
            header.tracks.map { ($0.id, FinalHeader.TimeLine($0.trak)) }, uniquingKeysWith: { first, _ in first })
    }

    func ordered(_ fragments: [FoundFragment]) -> [FoundFragment] {
        let row = Self.longestRow(fragments)
        guard row.count < fragments.count else { return fragments }
        var ordered = row.map { fragments[$0] }
        let isInRow = Set(row)
        for index in fragments.indices where !isInRow.contains(index) { place(fragments[index], in: &ordered) }
        return ordered
    }

    private func place(_ fragment: FoundFragment, in ordered: inout [FoundFragment]) {
        let time = seconds(fragment)
        let behind = ordered.partition { seconds($0) > time }
        // A repeated fragment: the more complete one is kept.
        for index in max(0, behind - 4)..<min(ordered.count, behind + 4)
        where ordered[index].track == fragment.track && ordered[index].time == fragment.time {
            let other = ordered[index]
            let isBetter = fragment.isChained == other.isChained ? fragment.room > other.room : fragment.isChained
            if isBetter { ordered[index] = fragment }
            return
        }
        ordered.insert(fragment, at: behind)
    }

    private func seconds(_ fragment: FoundFragment) -> Double {
        guard let line = lines[fragment.track] else { return 0 }
        return (Double(fragment.time) - Double(line.sessionStart)) / Double(line.scale)
    }

    /// Returns the indices of the longest sequence of fragments with increasing numbers.
    private static func longestRow(_ fragments: [FoundFragment]) -> [Int] {
        // For each length, the last index of the sequence of that length that ends with the smallest number.
        var ends: [Int] = []
        var before = [Int](repeating: -1, count: fragments.count)
        for index in fragments.indices where fragments[index].sequence > 0 {
            let number = fragments[index].sequence
            let place = ends.partition { fragments[$0].sequence >= number }
            if place > 0 { before[index] = ends[place - 1] }
            if place < ends.count { ends[place] = index } else { ends.append(index) }
        }
        var row: [Int] = []
        var index = ends.last ?? -1
        while index >= 0 {
            row.append(index)
            index = before[index]
        }
        return row.reversed()
    }
}
