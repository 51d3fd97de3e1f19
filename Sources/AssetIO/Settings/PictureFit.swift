import MediaTypes

/// The coded size that a picture gets so that it fits into a box. A pure rule.
enum PictureFit {
    /// - Parameters:
    ///   - format: the source's.
    ///   - box: in square pixels; nil: the source's size.
    ///   - turnsBox: an upright picture gets the box turned upright.
    /// - Returns: even numbers, as 4:2:0 wants them, never larger than the source, 2 at least.
    static func size(
        of format: VideoFormat, in box: (width: Int, height: Int)?, turnsBox: Bool
    ) -> (width: Int, height: Int) {
        let (width, height) = (Double(format.width), Double(format.height))
        let aspect = format.pixelAspectRatio
        let shown = width * Double(aspect.numerator) / Double(max(1, aspect.denominator))
        var scale = 1.0
        if let box, shown > 0, height > 0 {
            var (most, highest) = (Double(box.width), Double(box.height))
            if turnsBox, (shown < height) != (most < highest) { swap(&most, &highest) }
            scale = min(1, most / shown, highest / height)
        }
        func even(_ number: Double, limit: Int) -> Int {
            // Down from an odd size; to the nearest from a fraction.
            let nearest = scale == 1 ? Int(number) / 2 * 2 : Int((number / 2).rounded()) * 2
            return max(2, min(nearest, limit / 2 * 2))
        }
        return (even(width * scale, limit: format.width), even(height * scale, limit: format.height))
    }
}
