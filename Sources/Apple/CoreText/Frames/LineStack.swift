import CoreGraphics

/// The lines of a text below each other, in a rectangle.
struct LineStack {
    private(set) var lines: [CTLine] = []
    /// The points on the baselines where the lines begin. x is measured from the left edge of the rectangle, and y
    /// downward from the top.
    private(set) var origins: [CGPoint] = []
    /// The width of the longest line. `height` is the height of all lines.
    private(set) var width = 0.0
    private(set) var height = 0.0
    /// The index after the last character that fits, as UTF-16 counts characters.
    private(set) var end: Int

    /// - Parameters:
    ///   - characters: the range of characters of the text, as UTF-16 counts them.
    ///   - width: the width at which lines are wrapped; nil for one line per paragraph.
    ///   - limit: the height. The first line that does not fit, and all lines after it, are not added. nil for all
    ///     lines.
    init(_ text: NSAttributedString, _ characters: Range<Int>, width: Double?, height limit: Double?) {
        end = characters.lowerBound
        guard let engine = TextEngine.shared else { return }
        let styled = StyledText(text, characters, breaksLines: true)
        let typesetter = Typesetter(styled, engine)
        for paragraph in styled.paragraphs {
            let style = styled.style(at: paragraph.bytes.lowerBound)?.paragraph ?? .standard
            let lines = typesetter.lines(paragraph.bytes, width: width)
            var first = paragraph.characters.lowerBound
            for (number, line) in lines.enumerated() {
                let isLast = number == lines.count - 1
                let next = isLast ? paragraph.characters.upperBound : first + styled.count(line.bytes)
                guard add(CTLine(line, characters: first..<max(first, next)), style, width, limit) else { return }
                first = next
            }
        }
    }

    /// Adds a line below the existing lines. Returns false if it does not fit.
    private mutating func add(_ line: CTLine, _ style: CTParagraphStyle, _ width: Double?, _ limit: Double?) -> Bool {
        let sizes = line.line
        let natural = sizes.ascent + sizes.descent + sizes.leading
        let lineHeight = min(max(natural, style.lineHeights.lowerBound), style.lineHeights.upperBound)
        let baseline = height + lineHeight - sizes.descent - sizes.leading
        // The suggested size of a frame is rounded. A line that exceeds the height only by this rounding must still be
        // added.
        if let limit, baseline + sizes.descent > limit + 0.01 { return false }
        let space = max(0, (width ?? sizes.width) - sizes.width)
        let x =
            switch style.alignment {
            case .left, .justified: 0.0
            case .right: space
            case .center: space / 2
            case .natural: sizes.isRightToLeft ? space : 0
            }
        lines.append(line)
        origins.append(CGPoint(x: x, y: baseline))
        self.width = max(self.width, sizes.width)
        height += lineHeight + style.spacing
        end = line.characters.upperBound
        return true
    }
}
