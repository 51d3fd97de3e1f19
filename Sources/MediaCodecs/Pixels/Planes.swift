import MediaTypes

/// A picture's planes as libyuv wants them: start and row length in samples.
struct Planes<Sample> {
    let source: PixelBuffer
    init(_ source: PixelBuffer) { self.source = source }
    subscript(index: Int) -> UnsafePointer<Sample>? {
        source.plane(index).baseAddress?.assumingMemoryBound(to: Sample.self)
    }
    func row(_ index: Int) -> Int32 { Int32(source.layout.planes[index].bytesPerRow / MemoryLayout<Sample>.size) }
}

/// The same for a picture that is being drawn, and only while it is.
struct WritablePlanes<Sample> {
    private let layout: PixelLayout
    private let start: UnsafeMutableRawPointer?
    init(_ target: borrowing MutablePixelBuffer) {
        layout = target.layout
        // The first plane begins where the memory does, in every layout of our pools.
        start = target.plane(0).baseAddress
    }
    subscript(index: Int) -> UnsafeMutablePointer<Sample>? {
        start.map { ($0 + layout.planes[index].offset).assumingMemoryBound(to: Sample.self) }
    }
    func row(_ index: Int) -> Int32 { Int32(layout.planes[index].bytesPerRow / MemoryLayout<Sample>.size) }
}

extension PixelBuffer {
    /// Samples in a row of a plane of luma and chroma, and its rows.
    func samples(ofPlane plane: Int) -> (columns: Int32, rows: Int32) {
        guard plane > 0 else { return (Int32(width), Int32(height)) }
        let isInterleaved = format == .nv12 || format == .p010
        let isTall = format == .i422 || format == .i210
        return (
            Int32((width + 1) / 2 * (isInterleaved ? 2 : 1)), Int32(isTall ? height : (height + 1) / 2)
        )
    }
}
