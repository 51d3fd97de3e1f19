/// The bytes of a file that a request asks for (RFC 9110, 14).
enum ByteRange: Equatable {
    case whole
    case part(Range<Int64>)
    /// The file has none of the requested bytes.
    case outside

    /// Parses a header.
    ///
    /// - Parameter header: The value of `Range`. An invalid value, or several ranges, means the entire file.
    init(_ header: String?, size: Int64) {
        self = .whole
        guard let header, header.lowercased().hasPrefix("bytes=") else { return }
        let words = header.dropFirst("bytes=".count).filter { $0 != " " && $0 != "\t" }
        let parts = words.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let first = Self.number(parts[0]), let last = Self.number(parts[1]) else { return }
        switch (first, last) {
        case (nil, nil): return
        case (nil, let count?): self = count == 0 || size == 0 ? .outside : .part(max(0, size - count)..<size)
        case (let first?, let last):
            if let last, last < first { return }
            self = first >= size ? .outside : .part(first..<(min(size - 1, last ?? size - 1) + 1))
        }
    }

    /// Parses a number. Returns nil if the text is not a number. A number beyond 64 bits becomes the largest `Int64`.
    private static func number(_ text: Substring) -> Int64?? {
        if text.isEmpty { return .some(nil) }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return .some(Int64(text) ?? Int64.max)
    }
}
