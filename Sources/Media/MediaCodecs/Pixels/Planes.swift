import MediaTypes

/// A frame's planes, or the rows of one of its fields, in the form that libyuv needs: the start, and the row length in
/// samples.
struct Planes<Sample> {
    let source: PixelBuffer
    private let field: Int
    private let fields: Int

    /// - Parameters:
    ///   - field: the field, from 0 on.
    ///   - fields: 2 for one of two fields, 1 for the complete frame.
    init(_ source: PixelBuffer, field: Int = 0, of fields: Int = 1) {
        self.source = source
        self.field = field
        self.fields = fields
    }
    subscript(index: Int) -> UnsafePointer<Sample>? {
        let skipped = field * source.layout.planes[index].bytesPerRow
        return source.plane(index).baseAddress.map { ($0 + skipped).assumingMemoryBound(to: Sample.self) }
    }
    func row(_ index: Int) -> Int32 {
        Int32(fields * source.layout.planes[index].bytesPerRow / MemoryLayout<Sample>.size)
    }
}

/// The planes of a frame that is being written, or the rows of one of its fields. Valid only until the frame is
/// finished.
struct WritablePlanes<Sample> {
    private let layout: PixelLayout
    private let start: UnsafeMutableRawPointer?
    private let field: Int
    private let fields: Int
    /// - Parameters:
    ///   - field: the field, from 0 on.
    ///   - fields: 2 for one of two fields, 1 for the complete frame.
    init(_ target: borrowing MutablePixelBuffer, field: Int = 0, of fields: Int = 1) {
        layout = target.layout
        // In every layout of the pools that are used here, the first plane begins at the start of the memory.
        start = target.plane(0).baseAddress
        self.field = field
        self.fields = fields
    }
    subscript(index: Int) -> UnsafeMutablePointer<Sample>? {
        let plane = layout.planes[index]
        return start.map { ($0 + plane.offset + field * plane.bytesPerRow).assumingMemoryBound(to: Sample.self) }
    }
    func row(_ index: Int) -> Int32 {
        Int32(fields * layout.planes[index].bytesPerRow / MemoryLayout<Sample>.size)
    }
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
