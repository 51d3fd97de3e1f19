package import MediaTypes

/// A rectangle of integer pixels, relative to the upper left corner of a frame.
package struct PixelRectangle: Sendable, Hashable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int = 0, y: Int = 0, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Creates the rectangle of an entire frame.
    package init(_ frame: PixelBuffer) { self.init(width: frame.width, height: frame.height) }

    /// Returns true if the rectangle is not empty and entirely inside a frame of this size.
    package func isInside(width: Int, height: Int) -> Bool {
        let all = 1...FrameScaler.greatestLength
        return x >= 0 && y >= 0 && all.contains(self.width) && all.contains(self.height)
            && x <= width - self.width && y <= height - self.height
    }
}
