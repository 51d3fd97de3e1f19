import MediaTypes

/// Writes atoms, the nested length-type-payload records of a QuickTime file (QTFF, "Atoms"; ISO/IEC 14496-12, 4.2).
///
/// Numbers are big-endian. All bytes are in one array; an atom's length is filled in after its body is written.
struct AtomWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    var count: Int { bytes.count }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func u8(_ value: UInt8) { bytes.append(value) }
    mutating func u16(_ value: UInt16) { bigEndian(value) }
    mutating func u24(_ value: UInt32) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 16))
        u16(UInt16(truncatingIfNeeded: value))
    }
    mutating func u32(_ value: UInt32) { bigEndian(value) }
    mutating func s32(_ value: Int32) { bigEndian(UInt32(bitPattern: value)) }
    mutating func u64(_ value: UInt64) { bigEndian(value) }
    mutating func s64(_ value: Int64) { bigEndian(UInt64(bitPattern: value)) }
    mutating func code(_ value: FourCharCode) { u32(value.rawValue) }
    mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }
    mutating func raw(_ source: some Sequence<UInt8>) { bytes.append(contentsOf: source) }
    mutating func raw(_ source: UnsafeRawBufferPointer) { bytes.append(contentsOf: source) }

    /// Writes a 16.16 fixed-point number. Values beyond ±32,768 are clamped.
    mutating func fixed(_ value: Double) { s32(Self.scaled(value, by: 65536)) }

    /// Writes a 2.30 fixed-point number, the format of a matrix's third column.
    mutating func fixed30(_ value: Double) { s32(Self.scaled(value, by: 1_073_741_824)) }

    /// Writes an 8.8 fixed-point number, the format of a volume.
    mutating func fixed8(_ value: Double) {
        u16(UInt16(bitPattern: Int16(clamping: Self.scaled(value, by: 256))))
    }

    private static func scaled(_ value: Double, by factor: Double) -> Int32 {
        let scaled = (value * factor).rounded()
        return Int32(clamping: scaled)
    }

    /// Writes a byte with the length of a string, and then the string. A string that does not fit is shortened to
    /// complete characters.
    ///
    /// - Parameter size: the total size in bytes, padded with zeros; if nil, the size of the string.
    mutating func pascalString(_ text: String, size: Int? = nil) {
        var shown = text
        let room = min(255, (size ?? 256) - 1)
        while shown.utf8.count > room { shown.removeLast() }
        u8(UInt8(shown.utf8.count))
        raw(shown.utf8)
        if let size { zeros(size - 1 - shown.utf8.count) }
    }

    /// Writes an atom with the body that `content` writes. The length has 32 bits, which is enough for headers; media
    /// data has its own writer.
    mutating func atom(_ type: FourCharCode, _ content: (inout AtomWriter) -> Void) {
        let start = bytes.count
        u32(0)
        code(type)
        content(&self)
        patch(UInt32(bytes.count - start), at: start)
    }

    /// Writes an atom that begins with a version byte and 24 bits of flags.
    mutating func fullAtom(
        _ type: FourCharCode, version: UInt8 = 0, flags: UInt32 = 0, _ content: (inout AtomWriter) -> Void
    ) {
        atom(type) { atom in
            atom.u8(version)
            atom.u24(flags)
            content(&atom)
        }
    }

    /// Overwrites four bytes written earlier.
    mutating func patch(_ value: UInt32, at offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index)) }
    }

    /// Calls `fill` to replace bytes written earlier.
    mutating func overwrite(_ fill: (UnsafeMutableRawBufferPointer) throws(MediaError) -> Void) throws(MediaError) {
        // A closure passed to a rethrowing function of the standard library cannot throw a typed error.
        var failure: MediaError?
        bytes.withUnsafeMutableBytes { buffer in
            do throws(MediaError) { try fill(buffer) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private mutating func bigEndian<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Returns the bytes of a single atom.
    static func build(_ type: FourCharCode, _ content: (inout AtomWriter) -> Void) -> [UInt8] {
        var writer = AtomWriter()
        writer.atom(type, content)
        return writer.bytes
    }
}
