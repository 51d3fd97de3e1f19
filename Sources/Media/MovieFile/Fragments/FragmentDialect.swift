import MediaTypes

/// Values that fragments of other programs omit: defaults from the leading header, and offsets relative to the start of
/// the file (ISO/IEC 14496-12, 8.8.3 and 8.8.7).
struct FragmentDialect {
    /// The default duration, size and flags of each track's samples (`trex`), by track ID.
    let defaults: [UInt32: FragmentReader.Run]
    /// The default entry of the sample description table, by track ID.
    let descriptions: [UInt32: UInt32]
    /// The offset of the `moof` in the file, to which some offsets are relative.
    var fragment: UInt64 = 0

    /// Reads the values from the leading header's `mvex`.
    init(leading: Atom) {
        var defaults: [UInt32: FragmentReader.Run] = [:]
        var descriptions: [UInt32: UInt32] = [:]
        for trex in leading["mvex"]?.all("trex") ?? [] {
            var reader = ByteReader(trex.payload)
            guard reader.skip(4), let id = reader.u32(), let description = reader.u32(), let duration = reader.u32(),
                let size = reader.u32(), let flags = reader.u32()
            else { continue }
            descriptions[id] = max(1, description)
            defaults[id] = FragmentReader.Run(
                count: 1, duration: duration, size: size, compositionOffset: 0,
                isKeyframe: FragmentReader.isKey(flags))
        }
        self.defaults = defaults
        self.descriptions = descriptions
    }

    /// Returns the dialect for the fragment at an offset.
    func at(_ offset: UInt64) -> FragmentDialect {
        var own = self
        own.fragment = offset
        return own
    }
}
