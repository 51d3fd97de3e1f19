import FileSystem

/// The board or machine, for `recorder doctor --report`.
enum BoardFacts {
    /// Returns the model from the device tree of a board, or the product name from DMI; nil if the kernel has neither.
    static func model() -> String? {
        ["/sys/firmware/devicetree/base/model", "/sys/class/dmi/id/product_name"].lazy
            .compactMap { FileContents.bytes(of: $0).flatMap { text(of: $0) } }.first
    }

    /// Returns the first line without the terminating zero; nil if it is empty.
    static func text(of bytes: [UInt8]) -> String? {
        let line = bytes.prefix { $0 != 0 && $0 != 10 }.map { (0x20...0x7E).contains($0) ? $0 : 0x3F }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
