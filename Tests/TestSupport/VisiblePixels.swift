public import Foundation
import Glibc
public import MediaTypes

extension PixelBuffer {
    /// Every row of every plane that is seen, without what pads it.
    ///
    /// By pointers and whole rows: in a debug build a loop over bytes is a hundred times slower.
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

    /// Those rows, plane after plane: as ffmpeg's `rawvideo` has them.
    public var visible: Data {
        var result = Data()
        withVisibleRows { _, row in
            guard let start = row.baseAddress else { return }
            result.append(start.assumingMemoryBound(to: UInt8.self), count: row.count)
        }
        return result
    }

    /// A number that is the same for the same rows, in this process.
    public var digest: Int {
        var hasher = Hasher()
        withVisibleRows { _, row in hasher.combine(bytes: row) }
        return hasher.finalize()
    }

    /// FFmpeg's checksum of the first plane, as `-f framecrc` prints that of a picture in grey: Adler-32 from 0.
    public var lumaChecksum: UInt32 {
        var sum: UInt32 = 0
        withVisibleRows { plane, row in
            guard plane == 0, let start = row.baseAddress else { return }
            sum = Self.adler32(sum, start, row.count)
        }
        return sum
    }

    /// av_adler32_update(3), which is in libavutil and not in what Swift is shown of it.
    private static let adler32: @convention(c) (UInt32, UnsafeRawPointer, Int) -> UInt32 = {
        guard let function = dlsym(nil, "av_adler32_update") else { preconditionFailure("libavutil has no Adler-32") }
        return unsafeBitCast(function, to: (@convention(c) (UInt32, UnsafeRawPointer, Int) -> UInt32).self)
    }()
}
