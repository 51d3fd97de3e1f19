/// The format of a track of timed metadata. It lists the keys whose values the track's samples may contain (QTFF,
/// "Timed metadata media").
public struct MetadataFormat: Sendable, Hashable {
    /// A key, with the type of its values.
    public struct Key: Sendable, Hashable {
        /// The number of the key in samples; neither 0 nor 0xFFFFFFFF, which QTFF reserves.
        public let id: UInt32
        /// The vocabulary of the name; `mdta` for names in reverse domain notation.
        public let keySpace: FourCharCode
        /// The bytes of the name.
        public let name: [UInt8]
        public let dataType: DataType
        /// The BCP 47 tag of the values' language; nil for all languages.
        public let language: String?

        public init(
            id: UInt32, keySpace: FourCharCode = "mdta", name: [UInt8], dataType: DataType, language: String? = nil
        ) {
            self.id = id
            self.keySpace = keySpace
            self.name = name
            self.dataType = dataType
            self.language = language
        }
    }

    /// The type of a key's values.
    public enum DataType: Sendable, Hashable {
        /// A number from QTFF, "Well-known types", such as 1 for UTF-8.
        case wellKnown(UInt32)
        /// A name in reverse domain notation.
        case named(String)
    }

    /// A value in a sample, with the number of its key.
    public struct Value: Sendable, Hashable {
        public var key: UInt32
        public var bytes: [UInt8]

        public init(key: UInt32, bytes: [UInt8]) {
            self.key = key
            self.bytes = bytes
        }
    }

    public let keys: [Key]
    /// The sample description of a file after its code; nil for a format that was not read from a file.
    package let stored: [UInt8]?

    /// Creates a format. An input refuses a format without keys or with invalid keys.
    public init(keys: [Key]) { self.init(keys: keys, stored: nil) }

    package init(keys: [Key], stored: [UInt8]?) {
        self.keys = keys
        self.stored = stored
    }

    /// The reason why samples cannot have this format; nil if they can.
    package var fault: String? {
        if stored != nil { return nil }
        if keys.isEmpty { return "it has no keys" }
        let ids = Set(keys.map(\.id))
        if ids.count < keys.count { return "two of its keys have the same number" }
        if ids.contains(0) || ids.contains(.max) { return "0 and 0xFFFFFFFF cannot be numbers of keys" }
        if keys.contains(where: { $0.name.isEmpty }) { return "one of its keys has no name" }
        return nil
    }

    /// Returns a sample with values that are valid from `time` until the next sample.
    ///
    /// - Parameter values: the values; several may have the same key. Empty if nothing is known about this time.
    public func sample(_ values: [Value], at time: MediaTime, duration: MediaTime? = nil) -> SampleBuffer {
        // A sample has at least one atom. An atom with key 0 belongs to no key.
        let values = values.isEmpty ? [Value(key: 0, bytes: [])] : values
        var bytes: [UInt8] = []
        for value in values {
            for number in [UInt32(clamping: 8 + value.bytes.count), value.key] {
                bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
            }
            bytes += value.bytes
        }
        return SampleBuffer(
            format: .metadata(self), content: .data(MediaData(bytes)), presentationTime: time, duration: duration)
    }

    /// Returns the values of this format's keys in a sample, in the order of the sample. Truncated values are left out.
    public func values(in sample: SampleBuffer) -> [Value] {
        guard case .data(let data) = sample.content else { return [] }
        let known = Set(keys.map(\.id))
        var values: [Value] = []
        _ = Self.forEachAtom(data.bytes) { id, bytes in
            if known.contains(id) { values.append(Value(key: id, bytes: Array(bytes))) }
        }
        return values
    }

    /// Returns true if a sample's bytes consist only of complete atoms.
    package static func isWhole(_ bytes: UnsafeRawBufferPointer) -> Bool { forEachAtom(bytes) { _, _ in } }

    /// Calls `body` with the type and the payload of each atom.
    ///
    /// - Returns: false if the bytes do not end with a complete atom.
    private static func forEachAtom(
        _ bytes: UnsafeRawBufferPointer, _ body: (UInt32, UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        var position = 0
        while bytes.count - position >= 8 {
            func number(_ offset: Int) -> UInt32 {
                (0..<4).reduce(0) { $0 << 8 | UInt32(bytes[position + offset + $1]) }
            }
            let size = Int(number(0))
            guard size >= 8, size <= bytes.count - position else { return false }
            body(number(4), UnsafeRawBufferPointer(rebasing: bytes[(position + 8)..<(position + size)]))
            position += size
        }
        return position == bytes.count
    }
}
