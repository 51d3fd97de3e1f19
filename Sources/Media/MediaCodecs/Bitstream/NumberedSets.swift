/// The parameter sets of a stream by kind and number, in the order of their first appearance. A pure value.
///
/// A set with a known number but other contents replaces the previous set of this number. The sets that refer to the
/// previous set are then removed (ITU-T H.264, 7.4.1.2.1; H.265, 7.4.2.4.2).
struct NumberedSets: Sendable {
    private struct Entry: Sendable {
        var kind: UInt8
        var number: UInt32
        /// The number of the set that this set refers to; nil if it refers to no set.
        var parent: UInt32?
        var bytes: [UInt8]
    }

    private var entries: [Entry] = []
    /// The number of the latest set of each kind.
    private var latest: [UInt8: UInt32] = [:]

    /// Adds a set.
    ///
    /// - Parameters:
    ///   - child: the kind of the sets that refer to this set; nil if no sets do.
    ///   - limit: the maximum number of sets of this kind.
    /// - Returns: true if the set is new, differs from the previous one, or has become the latest set that others refer
    ///   to.
    mutating func take(
        _ unit: UnsafeRawBufferPointer, kind: UInt8, number: UInt32, parent: UInt32?, child: UInt8?, limit: Int
    ) -> Bool {
        let place = entries.firstIndex { $0.kind == kind && $0.number == number }
        if let place, entries[place].bytes.elementsEqual(unit) {
            defer { latest[kind] = number }
            return child != nil && latest[kind] != number
        }
        let entry = Entry(kind: kind, number: number, parent: parent, bytes: Array(unit))
        if let place {
            entries[place] = entry
            if let child { entries.removeAll { $0.kind == child && $0.parent == number } }
        } else {
            guard all(kind).count < limit else { return false }
            entries.append(entry)
        }
        latest[kind] = number
        return true
    }

    /// Returns true if adding a set would change nothing.
    ///
    /// - Parameter isOrdered: true if the set must also be the last one of its kind.
    func isKnown(_ unit: UnsafeRawBufferPointer, kind: UInt8, isOrdered: Bool) -> Bool {
        guard let number = latest[kind] else { return false }
        return entries.contains {
            $0.kind == kind && (!isOrdered || $0.number == number) && $0.bytes.elementsEqual(unit)
        }
    }

    func all(_ kind: UInt8) -> [[UInt8]] { entries.filter { $0.kind == kind }.map(\.bytes) }

    /// Returns the latest set of a kind; nil if there is none.
    func latest(_ kind: UInt8) -> [UInt8]? {
        guard let number = latest[kind] else { return nil }
        return entries.first { $0.kind == kind && $0.number == number }?.bytes
    }
}
