import CFFmpeg
import FileSystem
import Glibc
import MediaTypes
import MovieFile

/// What a file's own header says about where its media ends. libavformat reports a file that was cut short as one that has
/// simply ended; this tells the two apart.
struct FileExtent {
    let size: Int64
    /// A header announces bytes that the file does not have.
    private let lacksBytes: Bool
    /// As the header says, where it says it in front; 0 where it does not.
    private(set) var announcedSize: UInt64 = 0
    /// Samples come with fragments, not with the header.
    let isFragmented: Bool
    private let isQuickTime: Bool
    /// The header says where every sample is.
    var isIndexed: Bool { isQuickTime && !isFragmented }
    /// Counts its frames in the header (FLAC's STREAMINFO, MP3's Xing or VBRI, where there is one).
    private let countsFrames: Bool

    init(path: String, container: String) {
        var status = stat()
        size = stat(path, &status) == 0 ? Int64(status.st_size) : 0
        let names = container.split(separator: ",")
        isQuickTime = names.contains("mov")
        let isMP3 = names.contains("mp3")
        guard let file = try? DiskFile(path: path, mode: .read) else {
            (lacksBytes, isFragmented, countsFrames) = (false, false, false)
            return
        }
        countsFrames = names.contains("flac") || (isMP3 && MP3Header.countsFrames(file))
        if isQuickTime {
            (lacksBytes, isFragmented) = Self.atoms(file, size: UInt64(max(0, size)))
        } else if names.contains("mpegts") {
            isFragmented = false
            lacksBytes = StreamEnd.isInsideTransportPacket(file, size: UInt64(max(0, size)))
        } else if names.contains("ogg") {
            isFragmented = false
            lacksBytes = StreamEnd.lacksOggPages(file, size: UInt64(max(0, size)))
        } else {
            isFragmented = false
            var head = [UInt8](repeating: 0, count: 64)
            let count = head.withUnsafeMutableBytes { (try? file.read(into: $0, at: 0)) ?? 0 }
            let announced = names.contains("matroska") ? Self.segmentEnd(head[..<count]) : Self.riffEnd(head[..<count])
            lacksBytes = (announced ?? 0) > UInt64(max(0, size))
            announcedSize = announced ?? 0
        }
    }

    /// Whether the index of a track leads past the end of the file, or its data does where there is no index.
    func isCutShort(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        guard isQuickTime else { return lacksBytes }
        for index in (0..<avformat_index_get_entries_count(stream)).reversed() {
            guard let entry = avformat_index_get_entry(stream, index) else { continue }
            // The index is in the order of decoding; chunks of one track lie in order in all but odd files.
            if entry.pointee.pos > size - Int64(entry.pointee.size) { return true }
        }
        // What is lost of a fragmented movie has no index.
        return isFragmented && lacksBytes
    }

    /// Whether a track that counts its frames has fewer.
    func endsEarly(_ track: MovieDemuxer.Track, reached: MediaTime) -> Bool {
        guard countsFrames, let start = track.start, let duration = track.duration, reached.isNumeric else {
            return false
        }
        // Three packets of 1,152 frames: encoders differ in whether they count the priming.
        let slack = MediaTime(value: 4 * 1152, timescale: Int32(clamping: track.format?.audio?.sampleRate ?? 44_100))
        return reached + slack < start + duration
    }

    /// Walks the top-level atoms (QTFF, "Atoms").
    private static func atoms(_ file: DiskFile, size: UInt64) -> (lacksBytes: Bool, isFragmented: Bool) {
        var offset: UInt64 = 0
        var isFragmented = false
        while offset < size {
            var head = [UInt8](repeating: 0, count: 16)
            let count = head.withUnsafeMutableBytes { (try? file.read(into: $0, at: offset)) ?? 0 }
            var reader = ByteReader(head[..<count])
            guard let short = reader.u32(), let type = reader.code() else { return (true, isFragmented) }
            if type == "moof" { isFragmented = true }
            var length = UInt64(short)
            if short == 1 {
                guard let long = reader.u64() else { return (true, isFragmented) }
                length = long
            } else if short == 0 {
                // To the end of the file; four zero bytes may also end it.
                return (false, isFragmented)
            }
            guard length >= 8 else { return (false, isFragmented) }
            let (end, overflow) = offset.addingReportingOverflow(length)
            if overflow || end > size { return (true, isFragmented) }
            offset = end
        }
        return (false, isFragmented)
    }

    /// RIFF: the size of the file less eight (Multimedia Programming Interface 1.0, chapter 2); 0 and all ones while it is
    /// being written.
    private static func riffEnd(_ head: ArraySlice<UInt8>) -> UInt64? {
        var reader = ByteReader(head)
        guard reader.code() == "RIFF", let size = reader.u32() else { return nil }
        let count = UInt64(size.byteSwapped)
        return count == 0 || count >= 0xFFFF_FF00 ? nil : count + 8
    }

    /// Matroska: the end of the Segment element (RFC 9559, 5.1); nil where its size is unknown.
    private static func segmentEnd(_ head: ArraySlice<UInt8>) -> UInt64? {
        var bytes = head
        guard bytes.prefix(4) == [0x1A, 0x45, 0xDF, 0xA3] else { return nil }
        bytes = bytes.dropFirst(4)
        guard let header = variableSize(&bytes), header < UInt64(bytes.count) else { return nil }
        bytes = bytes.dropFirst(Int(header))
        guard bytes.prefix(4) == [0x18, 0x53, 0x80, 0x67] else { return nil }
        bytes = bytes.dropFirst(4)
        guard let length = variableSize(&bytes) else { return nil }
        let (end, overflow) = length.addingReportingOverflow(UInt64(bytes.startIndex - head.startIndex))
        return overflow ? nil : end
    }

    /// EBML's numbers of variable length (RFC 8794, 4); nil for "unknown" and for what is none.
    private static func variableSize(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
        guard let first = bytes.first, first != 0 else { return nil }
        let length = first.leadingZeroBitCount + 1
        guard bytes.count >= length else { return nil }
        var value = UInt64(first) & (0xFF >> UInt64(length))
        for byte in bytes.dropFirst().prefix(length - 1) { value = value << 8 | UInt64(byte) }
        bytes = bytes.dropFirst(length)
        return value == (UInt64(1) << UInt64(7 * length)) - 1 ? nil : value
    }
}
