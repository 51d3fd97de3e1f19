import MediaCodecs
import MediaTypes

/// Gives decoded frames the size and the row alignment that a program requested. Only one thread at a time may call.
final class RequestedFrames {
    private let attributes: PixelAttributes
    private let scaler = FrameScaler()
    private var pool: PixelBufferPool?

    init(_ attributes: PixelAttributes) { self.attributes = attributes }

    /// Returns the sample with its frame in the requested form; the same sample if the frame has this form already. A
    /// scaled frame has square pixels and no clean aperture.
    ///
    /// - Throws: `invalidSample` and `invalidSettings` for a size that cannot be scaled.
    func shaped(_ sample: SampleBuffer) throws(MediaError) -> SampleBuffer {
        guard case .pixels(let frame) = sample.content else { return sample }
        let shaped = aligned(try scaled(frame))
        if shaped.data === frame.data { return sample }
        if shaped.width == frame.width, shaped.height == frame.height { return sample.drawn(as: shaped) }
        return SampleBuffer(pixels: shaped, presentationTime: sample.presentationTime, duration: sample.duration)
    }

    /// Returns the frame in the requested size.
    func scaled(_ frame: PixelBuffer) throws(MediaError) -> PixelBuffer {
        guard let width = attributes.width, let height = attributes.height else { return frame }
        var color = frame.color
        // If a frame has no matrix, players choose one by the frame's size. A scaled frame must keep the matrix for its
        // original size.
        if color.matrix == 2, !frame.format.isRGB, (frame.height >= 720) != (height >= 720) {
            color.matrix = frame.height >= 720 ? 1 : 6
        }
        let tagged = PixelBuffer(layout: frame.layout, color: color, data: frame.data)
        return try scaler.scale(tagged, width: width, height: height)
    }

    /// Returns the frame with the requested row alignment.
    func aligned(_ frame: PixelBuffer) -> PixelBuffer {
        guard let alignment = attributes.bytesPerRowAlignment,
            frame.layout.planes.contains(where: { $0.bytesPerRow % alignment != 0 })
        else { return frame }
        let layout = PixelLayout(
            format: frame.format, width: frame.width, height: frame.height, alignment: alignment)
        let pool = self.pool.flatMap { $0.layout == layout ? $0 : nil } ?? PixelBufferPool(layout: layout)
        self.pool = pool
        var target = pool.makeBuffer()
        target.color = frame.color
        for (index, plane) in layout.planes.enumerated() {
            let (source, rows) = (frame.plane(index), target.plane(index))
            let stride = frame.layout.planes[index].bytesPerRow
            let length = min(stride, plane.bytesPerRow)
            for row in 0..<min(plane.rows, frame.layout.planes[index].rows) {
                let bytes = source[(row * stride)..<(row * stride + length)]
                UnsafeMutableRawBufferPointer(rebasing: rows[(row * plane.bytesPerRow)...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes))
            }
        }
        return target.finish()
    }
}
