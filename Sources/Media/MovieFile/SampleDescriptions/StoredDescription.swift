package import MediaTypes

/// An entry of a track's sample description table as stored in a file. Contains the values in which two entries of one
/// track may differ (ISO/IEC 14496-12, 8.5.2). Truncated or contradictory bytes result in missing values.
package struct StoredDescription: Sendable, Equatable {
    /// The code of the sample description, such as `avc1`.
    package let code: FourCharCode
    /// Coded size in pixels; 0 unless the track is video.
    package private(set) var width = 0
    package private(set) var height = 0
    /// The sample rate and the number of channels; 0 unless the track is audio.
    package private(set) var sampleRate = 0
    package private(set) var channelCount = 0
    /// The decoder configuration, if it is in a known atom.
    package private(set) var configuration: [UInt8] = []
    /// The payload of `chan`, after version and flags.
    package private(set) var channelLayout: [UInt8] = []

    /// The maximum number of entries, whatever the table states.
    private static let most: UInt32 = 1024

    /// Returns all entries of a table.
    ///
    /// - Parameter table: the payload of `stsd`.
    static func all(in table: [UInt8], mediaType: MediaType?) -> [StoredDescription] {
        var reader = ByteReader(table)
        guard reader.skip(4), let count = reader.u32(), count <= most else { return [] }
        var found: [StoredDescription] = []
        for _ in 0..<count {
            guard let size = reader.u32(), let code = reader.code(), size >= 8, let body = reader.slice(Int(size) - 8)
            else { break }
            found.append(StoredDescription(code, body, mediaType))
        }
        return found
    }

    /// Parses an entry that was read before.
    package init(_ entry: StoredEntry, mediaType: MediaType?) { self.init(entry.code, entry.body[...], mediaType) }

    private init(_ code: FourCharCode, _ body: ArraySlice<UInt8>, _ mediaType: MediaType?) {
        self.code = code
        var reader = ByteReader(body)
        // Six reserved bytes and the index of the data reference.
        guard reader.skip(8) else { return }
        switch mediaType {
        case .video: readVideo(&reader)
        case .audio: readAudio(&reader)
        default: break
        }
    }

    /// Reads a description of video: QTFF, "Video Sample Description"; ISO/IEC 14496-12, 12.1.3.
    private mutating func readVideo(_ reader: inout ByteReader) {
        guard reader.skip(16), let width = reader.u16(), let height = reader.u16(), reader.skip(50) else { return }
        (self.width, self.height) = (Int(width), Int(height))
        readConfiguration(&reader, depth: 0)
    }

    /// Reads a description of audio: QTFF, "Sound Sample Descriptions"; ISO/IEC 14496-12, 12.2.3.
    private mutating func readAudio(_ reader: inout ByteReader) {
        guard let version = reader.u16(), reader.skip(6), let channels = reader.u16(), reader.skip(6),
            let rate = reader.u32()
        else { return }
        (channelCount, sampleRate) = (Int(channels), Int(rate >> 16))
        switch version {
        case 1: guard reader.skip(16) else { return }
        case 2:
            guard reader.skip(4), let rate = reader.u64(), let count = reader.u32(), reader.skip(20) else { return }
            (channelCount, sampleRate) = (Int(clamping: count), Int(clamping: Double(bitPattern: rate)))
        default: break
        }
        readConfiguration(&reader, depth: 0)
    }

    private mutating func readConfiguration(_ reader: inout ByteReader, depth: Int) {
        while let size = reader.u32(), let type = reader.code(), size >= 8, let body = reader.slice(Int(size) - 8) {
            switch type {
            case "avcC", "hvcC", "av1C", "vpcC", "dac3", "dec3": configuration = Array(body)
            case "esds": configuration = Self.decoderSpecific(body.dropFirst(4))
            case "alac" where body.count > 4: configuration = Array(body.dropFirst(4))
            case "chan": channelLayout = Array(body.dropFirst(4))
            // QuickTime stores the atoms of audio codecs inside this one.
            case "wave" where depth == 0:
                var inner = ByteReader(body)
                readConfiguration(&inner, depth: 1)
            default: break
            }
        }
    }

    /// Returns the DecoderSpecificInfo within an elementary stream descriptor (ISO/IEC 14496-1, 7.2.6).
    private static func decoderSpecific(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var reader = ByteReader(bytes)
        while let tag = reader.u8() {
            // Seven bits per byte, at most four bytes.
            var length = 0
            for _ in 0..<4 {
                guard let byte = reader.u8() else { return [] }
                length = length << 7 | Int(byte & 0x7F)
                if byte & 0x80 == 0 { break }
            }
            switch tag {
            case 3:
                guard reader.skip(2), let flags = reader.u8() else { return [] }
                // Optional fields: the ID of a stream that this one depends on, a URL, the ID of a clock stream.
                if flags & 0x80 != 0, !reader.skip(2) { return [] }
                if flags & 0x40 != 0 { guard let count = reader.u8(), reader.skip(Int(count)) else { return [] } }
                if flags & 0x20 != 0, !reader.skip(2) { return [] }
            case 4: guard reader.skip(13) else { return [] }
            case 5: return reader.slice(length).map(Array.init) ?? []
            default: guard reader.skip(length) else { return [] }
            }
        }
        return []
    }
}
