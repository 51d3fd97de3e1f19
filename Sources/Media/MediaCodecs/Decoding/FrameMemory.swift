import CFFmpeg
import FileSystem
import Foundation
import Glibc
import RealTime

/// Memory for a decoder's frames. Each frame is one piece, with its planes one after the other, so that a `PixelBuffer`
/// can describe it without a copy. Pieces are reused.
///
/// libavcodec requests frames from its own threads.
final class FrameMemory: Sendable {
    private struct State {
        var pool: UInt = 0
        var byteCount = 0
    }

    private let state = Locked(State())
    private let allocations = Locked(0)
    private let refusal = Locked(false)

    /// True if memory for a frame was refused. Errors that the decoder reports afterwards, mostly invalid data, result
    /// from the refusal.
    var hasRefused: Bool { refusal.withLock { $0 } }

    /// The number of allocations from the system.
    var allocationCount: Int { allocations.withLock { $0 } }

    deinit { state.withLock { Self.drop(&$0) } }

    /// Makes a decoder allocate its frames from this object. The decoder must not outlive this object.
    func serve(_ context: UnsafeMutablePointer<AVCodecContext>) {
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        context.pointee.get_buffer2 = { context, frame, flags in
            guard let context, let frame else { return CFFMPEG_ERROR_INVALIDDATA }
            // A decoder without DR1 cannot write into memory that it has not allocated itself (avcodec.h, get_buffer2).
            guard let opaque = context.pointee.opaque,
                (context.pointee.codec?.pointee.capabilities ?? 0) & AV_CODEC_CAP_DR1 != 0
            else { return avcodec_default_get_buffer2(context, frame, flags) }
            let memory = Unmanaged<FrameMemory>.fromOpaque(opaque).takeUnretainedValue()
            switch memory.fill(frame, for: context) {
            case .filled: return 0
            case .foreign: return avcodec_default_get_buffer2(context, frame, flags)
            case .tooLarge:
                memory.refusal.withLock { $0 = true }
                return CFFMPEG_ERROR_ENOMEM
            }
        }
    }

    /// The number of bytes after each plane. The vector code of some decoders reads and writes beyond the plane.
    private static let margin = 128
    private static let alignment: Int32 = 64

    private enum Filling { case filled, foreign, tooLarge }

    private func fill(
        _ frame: UnsafeMutablePointer<AVFrame>, for context: UnsafeMutablePointer<AVCodecContext>
    ) -> Filling {
        let format = AVPixelFormat(rawValue: frame.pointee.format)
        guard let descriptor = av_pix_fmt_desc_get(format),
            descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL) == 0
        else { return .foreign }
        var (width, height) = (frame.pointee.width, frame.pointee.height)
        var strides = [Int32](repeating: 0, count: 8)
        avcodec_align_dimensions2(context, &width, &height, &strides)
        var lines = [Int32](repeating: 0, count: 4)
        guard av_image_fill_linesizes(&lines, format, width) >= 0 else { return .foreign }
        lines = lines.map { $0 <= 0 ? 0 : ($0 + Self.alignment - 1) / Self.alignment * Self.alignment }
        // Some decoders assume that chroma rows are half as long as luma rows.
        if lines[1] > 0, lines[1] == lines[2], descriptor.pointee.log2_chroma_w == 1 {
            lines[0] = max(lines[0], lines[1] * 2)
        }
        var sizes = [Int](repeating: 0, count: 4)
        guard av_image_fill_plane_sizes(&sizes, format, height, lines.map(Int.init)) >= 0 else { return .foreign }
        let total = sizes.reduce(0) { $0 + ($1 > 0 ? $1 + Self.margin : 0) } + Int(Self.alignment)
        guard total > 0, total < Int(Int32.max) else { return .tooLarge }
        guard let buffer = take(total) else { return .tooLarge }
        var place = buffer.pointee.data.map {
            UnsafeMutableRawPointer($0).alignedUp(toMultipleOf: Int(Self.alignment))
        }
        withUnsafeMutablePointer(to: &frame.pointee.data) { data in
            withUnsafeMutablePointer(to: &frame.pointee.linesize) { linesize in
                data.withMemoryRebound(to: UnsafeMutablePointer<UInt8>?.self, capacity: 8) { data in
                    linesize.withMemoryRebound(to: Int32.self, capacity: 8) { linesize in
                        for plane in 0..<8 {
                            let size = plane < 4 ? sizes[plane] : 0
                            data[plane] = size > 0 ? place?.assumingMemoryBound(to: UInt8.self) : nil
                            linesize[plane] = size > 0 ? lines[plane] : 0
                            if size > 0 {
                                place = place.map { ($0 + size + Self.margin).alignedUp(toMultipleOf: 64) }
                            }
                        }
                        frame.pointee.extended_data = data
                    }
                }
            }
        }
        frame.pointee.buf.0 = buffer
        return .filled
    }

    private func take(_ byteCount: Int) -> UnsafeMutablePointer<AVBufferRef>? {
        state.withLock { state in
            if state.byteCount != byteCount {
                Self.drop(&state)
                let counter = Unmanaged.passUnretained(allocations).toOpaque()
                let made = av_buffer_pool_init2(
                    byteCount, counter,
                    { counter, size in
                        if let counter {
                            Unmanaged<Locked<Int>>.fromOpaque(counter).takeUnretainedValue().withLock { $0 += 1 }
                        }
                        return FrameMemory.allocate(size)
                    }, nil)
                state.pool = UInt(bitPattern: made)
                state.byteCount = byteCount
            }
            return av_buffer_pool_get(OpaquePointer(bitPattern: state.pool))
        }
    }

    /// Allocates zeroed memory, in huge pages if it is large. Decoding reads scattered parts of earlier frames, and
    /// huge pages need fewer address look-ups. Returns nil if there is no memory, or if this process must not use more.
    private static func allocate(_ byteCount: Int) -> UnsafeMutablePointer<AVBufferRef>? {
        guard byteCount >= HugePages.size else { return av_buffer_allocz(byteCount) }
        let size = MemoryPage.roundedUp(byteCount)
        guard FrameMemoryBudget.take(size) else { return nil }
        guard let pages = HugePages(byteCount: size) else {
            FrameMemoryBudget.giveBack(size)
            return nil
        }
        let made = av_buffer_create(
            pages.start.assumingMemoryBound(to: UInt8.self), byteCount,
            { opaque, data in
                munmap(data, Int(bitPattern: opaque))
                FrameMemoryBudget.giveBack(Int(bitPattern: opaque))
            }, UnsafeMutableRawPointer(bitPattern: size), 0)
        if made == nil {
            pages.free()
            FrameMemoryBudget.giveBack(size)
        }
        return made
    }

    /// Releases the pool. Pieces in use remain valid until their last user releases them.
    private static func drop(_ state: inout State) {
        var pool = OpaquePointer(bitPattern: state.pool)
        av_buffer_pool_uninit(&pool)
        state = State()
    }
}

/// The memory that decoded frames may use, for all decoders of this process together. There is a limit because a file
/// of a few kilobytes can request frames of gigabytes. Small frames are not counted.
enum FrameMemoryBudget {
    /// Half of the memory that this process may use according to the machine, a container or a resource limit, in
    /// bytes.
    static let limit: Int = {
        var limits = [Int(sysconf(Int32(_SC_PHYS_PAGES))) * MemoryPage.byteCount]
        // In a container, this file contains the container's limit (cgroup v2, memory.max). Elsewhere the file does not
        // exist, or contains "max".
        if let text = try? String(contentsOfFile: "/sys/fs/cgroup/memory.max", encoding: .utf8),
            let bytes = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
        {
            limits.append(bytes)
        }
        for resource in [RLIMIT_AS, RLIMIT_DATA] {
            var values = rlimit()
            guard getrlimit(__rlimit_resource_t(resource.rawValue), &values) == 0 else { continue }
            limits.append(Int(clamping: values.rlim_cur))
        }
        return max(64 << 20, (limits.filter { $0 > 0 }.min() ?? .max) / 2)
    }()

    private static let taken = Locked(0)

    /// - Returns: false if not enough memory is left.
    static func take(_ byteCount: Int) -> Bool {
        taken.withLock { taken in
            guard byteCount <= limit - taken else { return false }
            taken += byteCount
            return true
        }
    }

    static func giveBack(_ byteCount: Int) { taken.withLock { $0 -= byteCount } }
}
