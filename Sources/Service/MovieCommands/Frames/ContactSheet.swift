import MediaTypes

/// A contact sheet: many small images in rows, each with its time in the corner, under a line that names the movie.
struct ContactSheet {
    private static let paper = Canvas.Color(0x1B1D21)
    private static let ink = Canvas.Color(0xFFFFFF)
    private static let gap = 6
    /// The maximum side length that PNG, JPEG and libavcodec all accept.
    private static let greatestSide = 16_000

    private var cells: [(image: PixelBuffer, label: String)] = []
    private let headline: String

    init(headline: String) { self.headline = headline }

    var isEmpty: Bool { cells.isEmpty }

    /// Adds an image.
    ///
    /// - Parameter image: An image in `bgra`.
    mutating func add(_ image: PixelBuffer, label: String) { cells.append((image, label)) }

    /// Draws the sheet.
    ///
    /// - Throws: `invalidSettings` if there are too many images for one sheet.
    func draw() throws(MediaError) -> PixelBuffer {
        let cellWidth = cells.map(\.image.width).max() ?? 1
        let cellHeight = cells.map(\.image.height).max() ?? 1
        let columns = Self.columns(cells.count, cellWidth: cellWidth, cellHeight: cellHeight)
        let rows = (cells.count + columns - 1) / columns
        let width = columns * (cellWidth + Self.gap) + Self.gap
        // The heading is in proportion to the images, but always legible.
        let head = Lettering(size: min(26, max(12, cellWidth / 14)))
        let headHeight = head.hasLetters ? head.lineHeight + Self.gap : 0
        let height = rows * (cellHeight + Self.gap) + Self.gap + headHeight
        guard width <= Self.greatestSide, height <= Self.greatestSide else {
            throw MediaError(
                .invalidSettings, "cannot draw \(cells.count) images of \(cellWidth)×\(cellHeight) on one sheet",
                reason: "it would be \(width)×\(height)", wayOut: "use fewer images, or a smaller --size")
        }
        let canvas = Canvas(width: width, height: height, background: Self.paper)
        if headHeight > 0 { canvas.write(head.line(headline), 2 * Self.gap, Self.gap, Self.ink) }
        let label = Lettering(size: min(30, max(10, cellHeight / 11)))
        for (index, cell) in cells.enumerated() {
            let x = Self.gap + index % columns * (cellWidth + Self.gap)
            let y = headHeight + Self.gap + index / columns * (cellHeight + Self.gap)
            canvas.draw(cell.image, x, y)
            let text = label.line(cell.label)
            let margin = max(2, label.size / 5)
            let top = y + cell.image.height - text.height
            for _ in 1...2 { canvas.shade(x, top, text.width + 2 * margin, text.height) }
            canvas.write(text, x + margin, top, Self.ink)
        }
        return canvas.finish()
    }

    /// Returns the number of columns with which the sheet has about the aspect ratio of a screen.
    static func columns(_ count: Int, cellWidth: Int, cellHeight: Int) -> Int {
        let shape = Double(max(1, cellWidth)) / Double(max(1, cellHeight))
        let columns = (Double(max(1, count)) * 16 / 9 / shape).squareRoot().rounded()
        return min(max(1, Int(clamping: columns)), max(1, count))
    }
}
