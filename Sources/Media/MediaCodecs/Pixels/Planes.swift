import MediaTypes

/// A frame's planes in the form that libyuv needs: the start, and the row length in samples.
struct Planes<Sample> {
    let source: PixelBuffer
    init(_ source: PixelBuffer) { self.source = source }
    subscript(index: Int) -> UnsafePointer<Sample>? {
        source.plane(index).baseAddress?.assumingMemoryBound(to: Sample.self)
    }
    func row(_ index: Int) -> Int32 { Int32(source.layout.planes[index].bytesPerRow / MemoryLayout<Sample>.size) }
}

/// The planes of a frame that is being written. Valid only until the frame is finished.
struct WritablePlanes<Sample> {
    private let layout: PixelLayout
    private let start: UnsafeMutableRawPointer?
    init(_ target: borrowing MutablePixelBuffer) {
        layout = target.layout
        // In every layout of the pools that are used here, the first plane begins at the start of the memory.
        start = target.plane(0).baseAddress
    }
    subscript(index: Int) -> UnsafeMutablePointer<Sample>? {
        start.map { ($0 + layout.planes[index].offset).assumingMemoryBound(to: Sample.self) }
    }
    func row(_ index: Int) -> Int32 { Int32(layout.planes[index].bytesPerRow / MemoryLayout<Sample>.size) }
}

extension PixelBuffer {
    /// Returns the number of samples in a row of a luma or chroma plane, and the number of its rows.
    func samples(ofPlane plane: Int) -> (columns: Int32, rows: Int32) {
        guard plane > 0 else { return (Int32(width), Int32(height)) }
        let isInterleaved = format == .nv12 || format == .p010
        let isTall = format == .i422 || format == .i210
        return (
            Int32((width + 1) / 2 * (isInterleaved ? 2 : 1)), Int32(isTall ? height : (height + 1) / 2)
        )
    }
}
