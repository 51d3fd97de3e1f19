import Glibc
package import MediaTypes

/// Keeps one frame, and compares others with it byte by byte, without the padding of their rows. Called by one thread at
/// a time.
///
/// A frame in a pool's memory is kept as it is, because such a pool allocates another piece if none is free. Other
/// memory may be a buffer that a camera's driver needs back, so that frame is copied.
package struct FrameComparison {
    private var kept: PixelBuffer?
    /// The planes of the kept frame without padding: the bytes of each row that are visible.
    private var visible: [PixelLayout.Plane] = []
    private let copier = PixelConverter()

    package init() {}

    /// The number of times that memory for copies was allocated from the system: constant once the pipeline runs.
    package var allocationCount: Int { copier.allocationCount }

    /// Keeps a frame in place of the previous one. All of its rows must be in its memory (`PixelLayout.holdsWholeFrame`).
    package mutating func keep(_ frame: PixelBuffer) {
        if kept.map({ !Self.haveOneShape($0, frame) }) ?? true {
            visible = PixelLayout(format: frame.format, width: frame.width, height: frame.height).planes
        }
        kept = frame.data.isPooled ? frame : copier.copy(frame)
    }

    /// Releases the kept frame. Until the next one is kept, no frame equals it.
    package mutating func forget() { kept = nil }

    /// Returns true if every visible byte of a frame equals that of the kept one. A frame of a different size, layout
    /// or color differs.
    package func equals(_ frame: PixelBuffer) -> Bool {
        guard let kept, Self.haveOneShape(kept, frame), kept.color == frame.color else { return false }
        return visible.indices.allSatisfy { Self.isEqual(kept, frame, plane: $0, visible[$0]) }
    }

    private static func haveOneShape(_ one: PixelBuffer, _ other: PixelBuffer) -> Bool {
        one.format == other.format && one.width == other.width && one.height == other.height
    }

    private static func isEqual(
        _ one: PixelBuffer, _ other: PixelBuffer, plane index: Int, _ visible: PixelLayout.Plane
    ) -> Bool {
        guard let first = one.plane(index).baseAddress, let second = other.plane(index).baseAddress else {
            return false
        }
        let strides = (one.layout.planes[index].bytesPerRow, other.layout.planes[index].bytesPerRow)
        if strides == (visible.bytesPerRow, visible.bytesPerRow) {
            return memcmp(first, second, visible.bytesPerRow * visible.rows) == 0
        }
        return (0..<visible.rows).allSatisfy { row in
            memcmp(first + row * strides.0, second + row * strides.1, visible.bytesPerRow) == 0
        }
    }
}
