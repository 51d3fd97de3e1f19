import CYUV
package import MediaTypes

/// Draws layers over each other on I420 frames with libyuv. Layers of another format, matrix or range are converted.
/// Ten-bit layers become eight-bit layers.
///
/// Called by one thread at a time. Memory comes from pools.
package final class FrameCompositor {
    package let width: Int
    package let height: Int
    /// The color tags of the result.
    package let color: ColorDescription
    private let canvases = PixelConverter()
    /// A painter for each layer, the lowest first. Each painter keeps the memory for the frames of its layer.
    private var painters: [LayerPainter] = []

    /// - Throws: `invalidSettings` for a size that is zero, negative or above `FrameScaler.greatestLength`.
    package init(width: Int, height: Int, color: ColorDescription) throws(MediaError) {
        let lengths = 1...FrameScaler.greatestLength
        guard lengths.contains(width), lengths.contains(height) else {
            throw MediaError(
                .invalidSettings, "cannot compose frames of \(width)×\(height)",
                reason: "each side must be 1 to \(FrameScaler.greatestLength)")
        }
        self.width = width
        self.height = height
        self.color = color
    }

    /// The number of allocations from the system. It stays constant once the pipeline runs.
    package var allocationCount: Int { painters.reduce(canvases.allocationCount) { $0 + $1.allocationCount } }

    /// Draws layers from the lowest to the uppermost.
    ///
    /// - Parameter background: red, green and blue from 0 to 1, visible outside the layers.
    /// - Throws: `invalidSample` for a layer with rows too short for its frame; `invalidSettings` for a layer that is
    ///   enlarged too much.
    package func compose(
        _ layers: [FrameLayer], over background: (red: Double, green: Double, blue: Double) = (0, 0, 0)
    ) throws(MediaError) -> PixelBuffer {
        let canvas = canvases.target(.i420, width: width, height: height, color: color)
        if !(layers.first.map(hidesAll) ?? false) {
            let samples = FrameColorMatcher.samples(
                background.red, background.green, background.blue, in: color, height: height)
            let to = WritablePlanes<UInt8>(canvas)
            for plane in 0..<3 {
                let (columns, rows) = plane == 0 ? (width, height) : ((width + 1) / 2, (height + 1) / 2)
                SetPlane(to[plane], to.row(plane), Int32(columns), Int32(rows), UInt32(samples[plane]))
            }
        }
        for (index, layer) in layers.enumerated() {
            if index == painters.count { painters.append(LayerPainter()) }
            try painters[index].draw(layer, on: canvas)
        }
        return canvas.finish()
    }

    /// Returns true if the layer covers the background completely.
    private func hidesAll(_ layer: FrameLayer) -> Bool {
        layer.opacity >= 1 && !layer.frame.format.isRGB && layer.crop == nil && layer.place.x <= 0
            && layer.place.y <= 0 && layer.place.x + layer.place.width >= Double(width)
            && layer.place.y + layer.place.height >= Double(height) && layer.place.width < 1e8
            && layer.place.height < 1e8
    }
}
