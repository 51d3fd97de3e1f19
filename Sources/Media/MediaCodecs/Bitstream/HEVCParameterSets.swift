/// The parameter sets of an HEVC stream, and the record in which a movie file stores them. A pure value.
package struct HEVCParameterSets: Sendable {
    private var sets = NumberedSets()
    /// The payload of `hvcC`; empty without a set of each kind.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Accepts a NAL unit without its start code. Ignores units that are not parameter sets of the base layer.
    ///
    /// - Returns: true if the unit is a parameter set that differs from the earlier ones.
    package mutating func changes(with unit: UnsafeRawBufferPointer) -> Bool {
        guard Self.isSet(unit) else { return false }
        let kind = unit[0] >> 1 & 0x3F
        if sets.isKnown(unit, kind: kind, isOrdered: kind == 33) { return false }
        let isNew: Bool
        switch kind {
        case 32:
            isNew = sets.take(unit, kind: 32, number: UInt32(unit[2] >> 4), parent: nil, child: nil, limit: 16)
        case 33:
            guard let number = HEVCConfiguration.sequenceNumber(Array(unit)) else { return false }
            isNew = sets.take(unit, kind: 33, number: number, parent: nil, child: 34, limit: 16)
        default:
            var bits = BitReader(Array(unit.dropFirst(2).prefix(16))[...])
            guard let number = bits.golomb() else { return false }
            isNew = sets.take(unit, kind: 34, number: number, parent: bits.golomb(), child: nil, limit: 64)
        }
        if isNew { bytes = record }
        return isNew
    }

    /// Returns true if a unit is a parameter set of the base layer (ITU-T H.265, 7.3.1.2).
    package static func isSet(_ unit: UnsafeRawBufferPointer) -> Bool {
        unit.count > 2 && (32...34).contains(unit[0] >> 1 & 0x3F) && unit[0] & 1 == 0 && unit[1] >> 3 == 0
    }

    /// The frame size of the latest sequence parameter set in pixels; nil without a readable set.
    package var frameSize: (width: Int, height: Int)? { sets.latest(33).flatMap(HEVCConfiguration.frameSize) }

    /// The reorder depth that the latest sequence parameter set states; nil without a readable set.
    package var reorderDepth: Int? { sets.latest(33).flatMap(HEVCConfiguration.reorderDepth) }

    private var record: [UInt8] {
        guard let latest = sets.latest(33) else { return [] }
        // The record contains the profile of the first sequence parameter set, so the latest set comes first.
        let sequences = [latest] + sets.all(33).filter { $0 != latest }
        var header: [UInt8] = []
        for set in sets.all(32) + sequences + sets.all(34) { header += [0, 0, 0, 1] + set }
        return header.withUnsafeBytes { HEVCConfiguration.record($0) } ?? []
    }
}
