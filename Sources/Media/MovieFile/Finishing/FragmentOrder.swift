import MediaTypes

/// Sorts the fragments of a damaged recording by the order in which they were recorded, and removes repeated ones.
///
/// The sequence numbers of fragments increase. The longest increasing sequence is trusted. Any other fragment is
/// misplaced, is repeated, or has a damaged number. It is inserted by its time.
///
/// Fragments without times stay in the order of the file, and none of them is removed.
struct FragmentOrder {
    /// The removed fragments: for each of them, another one with the same time is kept.
    private(set) var repeated: [(removed: FoundFragment, kept: FoundFragment)] = []
    private let lines: [UInt32: FinalHeader.TimeLine]

    init(_ header: FinalHeader) {
        lines = Dictionary(
            header.tracks.map { ($0.id, header.line(of: $0.trak)) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func ordered(_ fragments: [FoundFragment]) -> [FoundFragment] {
        guard fragments.allSatisfy(\.hasTime) else { return fragments }
        let row = Self.longestRow(fragments)
        guard row.count < fragments.count else { return fragments }
        var ordered = row.map { fragments[$0] }
        let isInRow = Set(row)
        for index in fragments.indices where !isInRow.contains(index) { place(fragments[index], in: &ordered) }
        return ordered
    }

    private mutating func place(_ fragment: FoundFragment, in ordered: inout [FoundFragment]) {
        let time = seconds(fragment)
        let behind = ordered.partition { seconds($0) > time }
        // The fragment is a repetition. The more complete one is kept.
        for index in max(0, behind - 4)..<min(ordered.count, behind + 4)
        where ordered[index].track == fragment.track && ordered[index].time == fragment.time {
            let other = ordered[index]
            let isBetter = fragment.isChained == other.isChained ? fragment.room > other.room : fragment.isChained
            if isBetter { ordered[index] = fragment }
            repeated.append(isBetter ? (other, fragment) : (fragment, other))
            return
        }
        ordered.insert(fragment, at: behind)
    }

    private func seconds(_ fragment: FoundFragment) -> Double {
        guard let line = lines[fragment.track] else { return 0 }
        return line.delay.seconds + (Double(fragment.time) - Double(line.sessionStart)) / Double(line.scale)
    }

    /// Returns the indices of the longest sequence of fragments with increasing numbers.
    private static func longestRow(_ fragments: [FoundFragment]) -> [Int] {
        // For each length, the best sequence is the one that ends with the smallest number. This array contains the
        // index of the last fragment of each best sequence.
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
