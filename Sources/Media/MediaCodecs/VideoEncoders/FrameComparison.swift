import Glibc
package import MediaTypes

/// Keeps one frame, and compares other frames with it byte by byte. The padding of rows is ignored. Called by one
/// thread at a time.
///
/// A frame in a pool's memory is kept without a copy, because the pool allocates another piece if none is free. A frame
/// in other memory is copied, because that memory may be a buffer that a camera's driver needs back.
package struct FrameComparison {
    private var kept: PixelBuffer?
    /// The planes of the kept frame without padding. Only these bytes of a row are visible.
    private var visible: [PixelLayout.Plane] = []
    private let copier = PixelConverter()

    package init() {}

    /// The number of times that memory for copies was allocated from the system. It stays constant once the pipeline
    /// runs.
    package var allocationCount: Int { copier.allocationCount }

    /// Keeps a frame, and releases the previous one. All of its rows must be in its memory
    /// (`PixelLayout.holdsWholeFrame`).
    package mutating func keep(_ frame: PixelBuffer) {
        if kept.map({ !Self.haveOneShape($0, frame) }) ?? true {
            visible = PixelLayout(format: frame.format, width: frame.width, height: frame.height).planes
        }
        kept = frame.data.isPooled ? frame : copier.copy(frame)
    }

    /// Releases the kept frame. Until another frame is kept, `equals` returns false.
    package mutating func forget() { kept = nil }

    /// Returns true if every visible byte of a frame equals that of the kept frame. Returns false for a frame of a
    /// different size, format or color.
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
