import CFFmpeg
import FileSystem
import Glibc
import MediaTypes
import MovieFile

/// The end of a file's media according to its header. At the end of a truncated file, libavformat reports no error, as
/// at a normal end. This type distinguishes the two.
struct FileExtent {
    let size: Int64
    /// True if a header announces bytes that the file does not have.
    private let lacksBytes: Bool
    /// The size in bytes that the start of the file states; 0 if the start states no size.
    private(set) var announcedSize: UInt64 = 0
    /// True if the header has a placeholder instead of the length of the audio.
    private(set) var hasUnknownLength = false
    /// True if samples are described by fragments, not by the header.
    let isFragmented: Bool
    private let isQuickTime: Bool
    /// True if the header has the position of every sample.
    var isIndexed: Bool { isQuickTime && !isFragmented }
    /// True if the header has a frame count (FLAC's STREAMINFO; MP3's Xing or VBRI, if present).
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
            let head = file.bytes(at: 0, count: 64)
            let audio =
                names.contains("wav")
                ? AudioLength(wave: file) : names.contains("caf") ? AudioLength(caf: file) : nil
            var announced =
                names.contains("matroska")
                ? Self.segmentEnd(head[...])
                : Self.riffEnd(head[...]) ?? StatedSize.end(file, container: container)
            switch audio {
            case .end(let end): announced = end
            case .placeholder: (announced, hasUnknownLength) = (nil, true)
            case nil: break
            }
            lacksBytes = (announced ?? 0) > UInt64(max(0, size))
            announcedSize = announced ?? 0
        }
    }

    /// Returns true if the index of a track points past the end of the file, or if the track is truncated and has no
    /// index.
    ///
    /// - Parameter first: the first entry of the index to check; earlier entries are known to fit into the file.
    func isCutShort(_ stream: UnsafeMutablePointer<AVStream>, from first: Int32 = 0) -> Bool {
        guard isQuickTime else { return lacksBytes }
        let count = avformat_index_get_entries_count(stream)
        for index in (min(first, count)..<count).reversed() {
            guard let entry = avformat_index_get_entry(stream, index) else { continue }
            // The search begins with the last entry, because the index is in decode order, and nearly all files store
            // the chunks of a track in that order.
            if entry.pointee.pos > size - Int64(entry.pointee.size) { return true }
        }
        // The missing part of a fragmented movie has no index.
        return isFragmented && lacksBytes
    }

    /// Returns true if a track has fewer frames than its header counts.
    func endsEarly(_ track: MovieDemuxer.Track, reached: MediaTime) -> Bool {
        guard countsFrames, let start = track.start, let duration = track.duration, reached.isNumeric else {
            return false
        }
        // Four packets of 1,152 audio frames, because some encoders count the priming and others do not.
        let slack = MediaTime(value: 4 * 1152, timescale: Int32(clamping: track.format?.audio?.sampleRate ?? 44_100))
        return reached + slack < start + duration
    }

    /// Walks the top-level atoms (QTFF, "Atoms").
    private static func atoms(_ file: DiskFile, size: UInt64) -> (lacksBytes: Bool, isFragmented: Bool) {
        var offset: UInt64 = 0
        var isFragmented = false
        while offset < size {
            var reader = ByteReader(file.bytes(at: offset, count: 16))
            guard let short = reader.u32(), let type = reader.code() else { return (true, isFragmented) }
            if type == "moof" { isFragmented = true }
            var length = UInt64(short)
            if short == 1 {
                guard let long = reader.u64() else { return (true, isFragmented) }
                length = long
            } else if short == 0 {
                // The atom extends to the end of the file. Four zero bytes at the end of a file look the same.
                return (false, isFragmented)
            }
            guard length >= 8 else { return (false, isFragmented) }
            let (end, overflow) = offset.addingReportingOverflow(length)
            if overflow || end > size { return (true, isFragmented) }
            offset = end
        }
        return (false, isFragmented)
    }

    /// Returns the end of a RIFF file. The header has the size of the file less eight (Multimedia Programming Interface
    /// 1.0, chapter 2). While the file is being written, the header has a placeholder instead.
    private static func riffEnd(_ head: ArraySlice<UInt8>) -> UInt64? {
        var reader = ByteReader(head)
        guard reader.code() == "RIFF", let size = reader.u32() else { return nil }
        let count = UInt64(size.byteSwapped)
        return AudioLength.isPlaceholder(count) ? nil : count + 8
    }

    /// Returns the end of Matroska's Segment element (RFC 9559, 5.1); nil if the end is unknown.
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

    /// Reads an EBML number of variable length (RFC 8794, 4). Returns nil for "unknown" and for invalid bytes.
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
