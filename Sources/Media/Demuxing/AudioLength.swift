import MovieFile

/// The length of the audio in the header of a WAVE or CAF file.
///
/// A program that writes to a pipe cannot return to the header when it knows the length. It leaves a placeholder there.
enum AudioLength: Equatable {
    /// The offset at which the audio ends.
    case end(UInt64)
    /// A placeholder: the audio ends with the file.
    case placeholder

    /// The maximum number of chunks before the audio, more than any program writes.
    private static let mostChunks = 1000

    /// Reads the chunks of a WAVE file (Multimedia Programming Interface 1.0, chapter 3). Returns nil if no chunk with
    /// audio is found. The length of this chunk is used, because programs count the size of the file in different ways.
    init?(wave file: DiskFile) {
        guard file.bytes(at: 0, count: 4) == Array("RIFF".utf8) else { return nil }
        var offset: UInt64 = 12
        for _ in 0..<Self.mostChunks {
            var reader = ByteReader(file.bytes(at: offset, count: 8))
            guard let type = reader.code(), let size = reader.u32().map({ UInt64($0.byteSwapped) }) else { return nil }
            let start = offset + 8
            if type == "data" {
                // in range: at most a thousand chunks of 32-bit lengths
                self = Self.isPlaceholder(size) ? .placeholder : .end(start + size)
                return
            }
            // A chunk has an even number of bytes.
            // in range: at most a thousand chunks of 32-bit lengths
            offset = start + size + size % 2
        }
        return nil
    }

    /// Recognizes the audio chunk of a CAF file whose length is -1, which means "unknown" (Core Audio Format, "Audio Data
    /// Chunk"). Returns nil for any other length.
    init?(caf file: DiskFile) {
        var offset: UInt64 = 8
        for _ in 0..<Self.mostChunks {
            var reader = ByteReader(file.bytes(at: offset, count: 12))
            guard let type = reader.code(), let size = reader.u64() else { return nil }
            if type == "data", size == .max {
                self = .placeholder
                return
            }
            let (end, overflow) = (offset + 12).addingReportingOverflow(size)
            guard type != "data", !overflow, end < 1 << 60 else { return nil }
            offset = end
        }
        return nil
    }

    /// Returns true for the lengths that programs write before they know the real one: zero, about two gibibytes
    /// (arecord, SoX) or about four (FFmpeg).
    static func isPlaceholder(_ size: UInt64) -> Bool {
        size == 0 || (0x7FFF_F000...0x8000_0100).contains(size) || size >= 0xFFFF_F000
    }
}
