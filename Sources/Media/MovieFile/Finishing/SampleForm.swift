import MediaTypes

/// Checks, by the bytes of a track's samples, whether the samples ever reached the disk.
///
/// A power loss leaves a file that ends early, or a file of the right length that ends in zeros.
enum SampleForm: Equatable {
    /// Any bytes may be a sample: PCM, timecodes, texts.
    case anything
    /// A compressed sample. If it contains only zeros, it was never written. A sector of zeros inside it is a hole that
    /// a file system left because it could not write a page.
    case compressed
    /// H.264 or HEVC: units, each after its length (ISO/IEC 14496-15, 5.3.4.2). No unit contains four consecutive
    /// zeros: emulation prevention excludes even three (ISO/IEC 14496-10, 7.4.1).
    case units(lengthSize: Int)

    private static let uncompressed: Set<FourCharCode> = [
        "sowt", "twos", "lpcm", "in24", "in32", "fl32", "fl64", "raw ", "NONE", "ipcm", "fpcm", "ulaw", "alaw",
    ]

    /// Determines the form from a track's atom in the leading header.
    init(track trak: Atom) {
        let handler = FinalHeader.handlerType(trak)
        guard handler == "vide" || handler == "soun", let stsd = trak.find("mdia", "minf", "stbl", "stsd") else {
            self = .anything
            return
        }
        var reader = ByteReader(stsd.payload)
        guard reader.skip(8), let size = reader.u32(), let type = reader.code(), size >= 8,
            let entry = reader.slice(min(Int(size) - 8, reader.remaining))
        else {
            self = .compressed
            return
        }
        if Self.uncompressed.contains(type) {
            self = .anything
        } else if handler == "vide", let lengthSize = Self.lengthSize(entry) {
            self = .units(lengthSize: lengthSize)
        } else {
            self = .compressed
        }
    }

    /// Reads the length size from the `avcC` or `hvcC` after the 78 bytes of a video description.
    private static func lengthSize(_ entry: ArraySlice<UInt8>) -> Int? {
        var reader = ByteReader(entry)
        guard reader.skip(78) else { return nil }
        while let size = reader.u32(), let type = reader.code(), size >= 8, let body = reader.slice(Int(size) - 8) {
            // ISO/IEC 14496-15, 5.3.3.1.2 and 8.3.3.1.2
            let position = type == "avcC" ? 4 : type == "hvcC" ? 21 : -1
            if position >= 0, position < body.count { return Int(body[body.startIndex + position] & 3) + 1 }
        }
        return nil
    }

    /// Returns true if a sample's bytes exist and can be a sample. Reads all of it, in pieces.
    func holds(_ range: Range<UInt64>, in storage: any MovieStorage) throws(MediaError) -> Bool {
        if self == .anything { return true }
        if self == .compressed { return try isWritten(range, in: storage) }
        var scan = Scan(self)
        var position = range.lowerBound
        while position < range.upperBound {
            let bytes = try storage.read(Int(min(64 << 10, range.upperBound - position)), at: position)
            guard !bytes.isEmpty else { return false }
            bytes.withUnsafeBufferPointer { scan.take($0) }
            if scan.isSettled { break }
            position += UInt64(bytes.count)
        }
        return scan.isGood
    }

    private static let sectorSize: UInt64 = 512

    /// Returns true if a compressed sample was written: it has a byte other than zero, and does not overlap a sector of
    /// zeros.
    private func isWritten(_ range: Range<UInt64>, in storage: any MovieStorage) throws(MediaError) -> Bool {
        var position = range.lowerBound / Self.sectorSize * Self.sectorSize
        var hasContent = false
        while position < range.upperBound {
            // Reads complete sectors, even if the sample begins or ends inside one.
            let left = range.upperBound - position
            let wanted = min(128, (left + Self.sectorSize - 1) / Self.sectorSize) * Self.sectorSize
            let bytes = try storage.read(Int(wanted), at: position)
            guard position + UInt64(bytes.count) >= min(range.upperBound, position + wanted) else { return false }
            let own = Int(max(range.lowerBound, position) - position)..<Int(min(UInt64(bytes.count), left))
            hasContent = hasContent || bytes[own].contains { $0 != 0 }
            for sector in stride(from: 0, to: bytes.count, by: Int(Self.sectorSize)) {
                let end = sector + Int(Self.sectorSize)
                // The file's last sector may be incomplete. Zeros in it may belong to the sample itself.
                if end <= bytes.count, bytes[sector..<end].allSatisfy({ $0 == 0 }) { return false }
            }
            position += wanted
        }
        return hasContent
    }

    /// Scans the bytes of a sample with units in order.
    private struct Scan {
        private let lengthSize: Int
        /// The number of remaining bytes of the current unit. `length` is the part of its length that was read, and
        /// `lengthRead` the number of bytes of that part.
        private var left: UInt64 = 0
        private var length: UInt64 = 0
        private var lengthRead = 0
        private var zeros = 0
        private var isBad = false
        private var hasContent = false

        init(_ form: SampleForm) {
            if case .units(let lengthSize) = form { self.lengthSize = lengthSize } else { lengthSize = 4 }
        }

        /// True if further bytes cannot change the result.
        var isSettled: Bool { isBad }
        var isGood: Bool { hasContent && !isBad && left == 0 && lengthRead == 0 }

        mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) {
            for byte in bytes where !isBad {
                if left > 0 {
                    zeros = byte == 0 ? zeros + 1 : 0
                    left -= 1
                    isBad = zeros == 4
                } else {
                    length = length << 8 | UInt64(byte)
                    lengthRead += 1
                    guard lengthRead == lengthSize else { continue }
                    left = length
                    isBad = length == 0
                    hasContent = true
                    (length, lengthRead, zeros) = (0, 0, 0)
                }
            }
        }
    }
}
