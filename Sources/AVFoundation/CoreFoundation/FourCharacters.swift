/// A code as the characters it is made of, for messages.
struct FourCharacters: CustomStringConvertible {
    let code: UInt32
    init(_ code: UInt32) { self.code = code }

    var description: String {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
        return bytes.allSatisfy { (0x20..<0x7F).contains($0) }
            ? String(decoding: bytes, as: UTF8.self) : "\(code)"
    }
}
