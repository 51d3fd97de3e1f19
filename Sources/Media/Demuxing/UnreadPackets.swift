import CFFmpeg
import Glibc
import MediaTypes
import MovieFile

/// The file of a demuxer that only passes packets on. Makes libavformat locate packets without reading them.
///
/// Once the header is known, the demuxer of a QuickTime or MP4 file reads only packets. It reads each packet directly
/// into memory allocated for that packet (avio.h, `AVIOContext.direct`). This type answers such a request without
/// reading: it records the position of the packet, and never accesses the memory. Other requests have libavformat's own
/// buffer as their target, for example when headers are read. This type answers them by reading.
///
/// This type creates the I/O context itself. If libavformat created the context, libavformat would also pass its opaque
/// pointer to other functions of its protocols. Used by one thread at a time, the thread of the demuxer.
final class UnreadPackets {
    let file: StoredFile
    let io: UnsafeMutablePointer<AVIOContext>
    private var position: Int64 = 0
    private let size: Int64
    private var leavesUnread = false
    /// The range that libavformat requested since the last `begin`, and that was not read.
    private var asked: (start: Int64, count: Int64)?
    private var isScattered = false

    /// - Throws: the errors of `StoredFile`; `ioFailure` if out of memory.
    init(path: String) throws(MediaError) {
        file = try StoredFile(path: path)
        size = Int64(clamping: file.byteCount)
        let buffer = av_malloc(Self.bufferSize)
        guard
            let io = avio_alloc_context(
                buffer?.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 0, nil,
                { opaque, target, count in
                    guard let opaque else { return CFFMPEG_ERROR_INVALIDDATA }
                    return Unmanaged<UnreadPackets>.fromOpaque(opaque).takeUnretainedValue().answer(target, count)
                }, nil,
                { opaque, offset, whence in
                    guard let opaque else { return -1 }
                    return Unmanaged<UnreadPackets>.fromOpaque(opaque).takeUnretainedValue().move(to: offset, whence)
                }), buffer != nil
        else {
            av_free(buffer)
            throw MediaError(.ioFailure, "cannot read \(path)", reason: "out of memory")
        }
        self.io = io
        io.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    }

    private static let bufferSize = 32 << 10

    deinit {
        // libavformat may have replaced the buffer, so the context's current buffer is freed.
        av_free(io.pointee.buffer)
        var freed: UnsafeMutablePointer<AVIOContext>? = io
        avio_context_free(&freed)
    }

    /// Starts to locate packets without reading them.
    func leaveUnread() {
        leavesUnread = true
        io.pointee.direct = 1
    }

    /// Resets the requested range. Called before each packet.
    func begin() { (asked, isScattered) = (nil, false) }

    /// Returns the data of the packet that was just located; nil if libavformat has read it.
    ///
    /// - Throws: `corruptData` if libavformat did not read the packet, and the packet is not one range of the file.
    func data(of packet: AVPacket) throws(MediaError) -> MediaData? {
        guard let asked else { return nil }
        guard !isScattered, asked.start == packet.pos, asked.start >= 0, asked.count > 0,
            asked.count == Int64(packet.size),
            let place = StoredPlace(file, offset: UInt64(asked.start), count: Int(asked.count))
        else {
            throw MediaError(
                .corruptData, "cannot read \(file.path), byte \(packet.pos)",
                reason: "a packet is not stored in one piece")
        }
        return MediaData(at: place)
    }

    private func answer(_ target: UnsafeMutablePointer<UInt8>?, _ count: Int32) -> Int32 {
        guard let target, count > 0, position < size else { return CFFMPEG_ERROR_EOF }
        if leavesUnread, !isOwnBuffer(target) { return record(Int64(count)) }
        do throws(MediaError) {
            let bytes = UnsafeMutableRawBufferPointer(start: target, count: Int(count))
            let found = try file.read(upTo: bytes, at: UInt64(position))
            position += Int64(found)
            return found > 0 ? Int32(clamping: found) : CFFMPEG_ERROR_EOF
        } catch { return -EIO }
    }

    private func record(_ count: Int64) -> Int32 {
        let found = min(count, size - position)
        if let asked {
            isScattered = isScattered || asked.start + asked.count != position
            self.asked = (asked.start, asked.count + found)
        } else {
            asked = (position, found)
        }
        position += found
        return Int32(clamping: found)
    }

    private func isOwnBuffer(_ target: UnsafeMutablePointer<UInt8>) -> Bool {
        guard let buffer = io.pointee.buffer else { return false }
        return target >= buffer && target < buffer + Int(io.pointee.buffer_size)
    }

    private func move(to offset: Int64, _ whence: Int32) -> Int64 {
        switch whence & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return size
        case SEEK_SET: break
        default: return -1
        }
        guard offset >= 0 else { return -1 }
        position = offset
        return offset
    }
}
