import CoreGraphics

/// The lines of a text below each other, in a rectangle.
struct LineStack {
    private(set) var lines: [CTLine] = []
    /// The beginnings of the lines on their baselines: x from the left of the rectangle, y down from its top.
    private(set) var origins: [CGPoint] = []
    /// The width of the longest line, and the height of all.
    private(set) var width = 0.0
    private(set) var height = 0.0
    /// The end of the characters that found a place, as UTF-16 counts them.
    private(set) var end: Int

    /// - Parameters:
    ///   - characters: those of the text, as UTF-16 counts them.
    ///   - width: nil for one line for each paragraph.
    ///   - limit: the height; a line that does not fit ends the stack. nil for all lines.
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

    /// Adds a line below the others; returns false if it does not fit.
    private mutating func add(_ line: CTLine, _ style: CTParagraphStyle, _ width: Double?, _ limit: Double?) -> Bool {
        let sizes = line.line
        let natural = sizes.ascent + sizes.descent + sizes.leading
        let lineHeight = min(max(natural, style.lineHeights.lowerBound), style.lineHeights.upperBound)
        let baseline = height + lineHeight - sizes.descent - sizes.leading
        // The suggested size of a frame is rounded; a line that exceeds it only by the rounding must not be left out.
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
