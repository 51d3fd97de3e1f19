public import Foundation
import Glibc
public import MediaTypes

extension PixelBuffer {
    /// Calls the body with every visible row of every plane, without padding.
    ///
    /// It uses pointers and entire rows: in a debug build, a loop over bytes is a hundred times slower.
    public func withVisibleRows(_ body: (_ plane: Int, UnsafeRawBufferPointer) throws -> Void) rethrows {
        let least = PixelLayout(format: format, width: width, height: height).planes
        for (index, shape) in least.enumerated() {
            let (rows, stride) = (plane(index), layout.planes[index].bytesPerRow)
            for row in 0..<shape.rows {
                try body(
                    index, UnsafeRawBufferPointer(rebasing: rows[(row * stride)..<(row * stride + shape.bytesPerRow)]))
            }
        }
    }

    /// The visible rows, plane after plane, in the layout of ffmpeg's `rawvideo`.
    public var visible: Data {
        var result = Data()
        withVisibleRows { _, row in
            guard let start = row.baseAddress else { return }
            result.append(start.assumingMemoryBound(to: UInt8.self), count: row.count)
        }
        return result
    }

    /// A hash of the visible rows, valid in this process.
    public var digest: Int {
        var hasher = Hasher()
        withVisibleRows { _, row in hasher.combine(bytes: row) }
        return hasher.finalize()
    }

    /// FFmpeg's checksum of the first plane, as `-f framecrc` prints it for a gray frame: Adler-32 from 0.
    public var lumaChecksum: UInt32 {
        var sum: UInt32 = 0
        withVisibleRows { plane, row in
            guard plane == 0, let start = row.baseAddress else { return }
            sum = Self.adler32(sum, start, row.count)
        }
        return sum
    }

    /// av_adler32_update(3), which libavutil has and Swift does not import.
    private static let adler32: @convention(c) (UInt32, UnsafeRawPointer, Int) -> UInt32 = {
        guard let function = dlsym(nil, "av_adler32_update") else { preconditionFailure("libavutil has no Adler-32") }
        return unsafeBitCast(function, to: (@convention(c) (UInt32, UnsafeRawPointer, Int) -> UInt32).self)
    }()
}
