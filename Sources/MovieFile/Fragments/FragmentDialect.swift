import MediaTypes

/// What fragments of other programs leave unsaid: defaults of the leading header, places that count from the file's
/// beginning (ISO/IEC 14496-12, 8.8.3 and 8.8.7).
struct FragmentDialect {
    /// For each track id.
    let defaults: [UInt32: FragmentReader.Run]
    /// The entry of the sample description table that samples have, for each track id.
    let descriptions: [UInt32: UInt32]
    /// Where the `moof` begins.
    var fragment: UInt64 = 0

    /// By the leading header's `mvex`.
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
                isKeyFrame: FragmentReader.isKey(flags))
        }
        self.defaults = defaults
        self.descriptions = descriptions
    }

    /// For the fragment at an offset.
    func at(_ offset: UInt64) -> FragmentDialect {
        var own = self
        own.fragment = offset
        return own
    }
}
