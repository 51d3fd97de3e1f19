import Foundation
import MediaTypes
package import NIOCore

/// Splits the byte stream of `/v1/live` into headers and fragments that can be forwarded one by one. A pure value.
package struct FragmentSplitter {
    package enum Piece: Equatable {
        /// A header: `ftyp` and `moov`. A stream begins with a header, and each change of a format adds another header.
        case head(ByteBuffer, codecs: String)
        /// A fragment: `prft`, `moof` and `mdat`.
        ///
        /// - isKey: True if decoding can begin here: no fragment from this one on needs an earlier fragment.
        case media(ByteBuffer, isKey: Bool)
    }

    /// The peer sent invalid data.
    package struct Nonsense: Error {}

    /// The maximum size of one atom in bytes: larger than a high-quality keyframe of 8192 × 4320.
    private static let largest = 64 << 20

    private var waiting = ByteBuffer()
    /// The received atoms of the current piece, which is not complete yet.
    private var begun = ByteBuffer()
    private var isKey = false
    private var hasVideo = false

    package init() {}

    /// Adds bytes and returns the pieces that are now complete.
    package mutating func feed(_ bytes: ByteBuffer) throws(Nonsense) -> [Piece] {
        var bytes = bytes
        waiting.writeBuffer(&bytes)
        var pieces: [Piece] = []
        while let size: UInt32 = waiting.getInteger(at: waiting.readerIndex),
            let code: UInt32 = waiting.getInteger(at: waiting.readerIndex + 4)
        {
            guard size >= 8, size <= Self.largest else { throw Nonsense() }
            guard var atom = waiting.readSlice(length: Int(size)) else { break }
            switch code {
            case Self.code("ftyp"): begun = atom
            case Self.code("moov"):
                hasVideo = atom.contains("avcC") || atom.contains("hvcC") || atom.contains("av1C")
                begun.writeBuffer(&atom)
                pieces.append(.head(begun, codecs: Self.codecs(of: begun)))
                begun = ByteBuffer()
            case Self.code("prft"): begun.writeBuffer(&atom)
            case Self.code("moof"):
                isKey = Self.isKey(atom, hasVideo: hasVideo)
                begun.writeBuffer(&atom)
            case Self.code("mdat"):
                begun.writeBuffer(&atom)
                pieces.append(.media(begun, isKey: isKey))
                begun = ByteBuffer()
            default: break
            }
        }
        waiting.discardReadBytes()
        return pieces
    }

    private static func code(_ text: StaticString) -> UInt32 {
        text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// Returns true if the first sample of a fragment needs no earlier sample (ISO/IEC 14496-12, 8.8.7 and 8.8.8). If a
    /// stream has video, only its video track counts, which is the first track. Audio never needs an earlier sample.
    private static func isKey(_ moof: ByteBuffer, hasVideo: Bool) -> Bool {
        guard let header = moof.place(of: "tfhd"), let track: UInt32 = moof.getInteger(at: header + 8) else {
            return false
        }
        guard hasVideo else { return true }
        guard track == 1, let run = moof.place(of: "trun"),
            let headerFlags: UInt32 = moof.getInteger(at: header + 4),
            let runFlags: UInt32 = moof.getInteger(at: run + 4)
        else { return false }
        // These fields follow the track number, each only if its flag is set: base offset, description, duration, size.
        var flagsPlace = header + 12
        for (flag, size) in [(0x01, 8), (0x02, 4), (0x08, 4), (0x10, 4)] as [(UInt32, Int)]
        where headerFlags & flag != 0 {
            flagsPlace += size
        }
        var flags: UInt32? = headerFlags & 0x20 != 0 ? moof.getInteger(at: flagsPlace) : nil
        // These fields follow the count: data offset, flags of the first sample; then for each sample: duration, size,
        // flags, offset.
        var place = run + 12 + (runFlags & 0x01 != 0 ? 4 : 0)
        if runFlags & 0x04 != 0 {
            flags = moof.getInteger(at: place)
        } else if runFlags & 0x400 != 0 {
            place += (runFlags & 0x100 != 0 ? 4 : 0) + (runFlags & 0x200 != 0 ? 4 : 0)
            flags = moof.getInteger(at: place)
        }
        // sample_is_non_sync_sample
        return (flags ?? 0) & 0x0001_0000 == 0
    }

    /// Returns the codecs string, made from the decoder configurations. With it, a browser checks whether it can play
    /// the stream (RFC 6381, 3.3).
    private static func codecs(of head: ByteBuffer) -> String {
        var names: [String] = []
        if let place = head.place(of: "avcC"), let record = head.getBytes(at: place + 4, length: 4),
            let name = CodecParameter.h264("avc1", record)
        {
            names.append(name)
        }
        if let place = head.place(of: "hvcC"), let record = head.getBytes(at: place + 4, length: 13),
            let name = CodecParameter.hevc(head.contains("hvc1") ? "hvc1" : "hev1", record)
        {
            names.append(name)
        }
        if let place = head.place(of: "av1C"), let record = head.getBytes(at: place + 4, length: 4),
            let name = CodecParameter.av1("av01", record)
        {
            names.append(name)
        }
        if head.contains("mp4a") {
            names.append("mp4a.40.\(head.place(of: "esds").flatMap { audioObject(head, from: $0 + 4) } ?? 2)")
        }
        // Opus in ISOBMFF, 4.3.2.
        if head.contains("dOps") { names.append("opus") }
        return names.joined(separator: ", ")
    }

    /// Returns the audio object type: the first five bits of the decoder specific info (ISO/IEC 14496-1, 7.2.6.7: tag
    /// 5).
    private static func audioObject(_ head: ByteBuffer, from place: Int) -> UInt8? {
        guard let bytes = head.getBytes(at: place, length: min(64, head.writerIndex - place)),
            var tag = bytes.indices.dropFirst(20).first(where: { bytes[$0] == 5 })
        else { return nil }
        repeat { tag += 1 } while tag < bytes.count && bytes[tag] & 0x80 != 0
        return tag + 1 < bytes.count ? bytes[tag + 1] >> 3 : nil
    }
}

extension ByteBuffer {
    /// Returns the offset of the first occurrence of the four letters of this code. The body of the atom follows them.
    fileprivate func place(of code: StaticString) -> Int? {
        code.withUTF8Buffer { code in
            readableBytesView.firstRange(of: code).map { $0.lowerBound }
        }
    }

    fileprivate func contains(_ code: StaticString) -> Bool { place(of: code) != nil }
}
