import CoreGraphics

/// Breaks one paragraph into lines: Pango chooses and places the glyphs.
struct Typesetter {
    let text: StyledText
    let engine: TextEngine
    private var calls: PangoCalls { engine.calls }

    init(_ text: StyledText, _ engine: TextEngine) {
        self.text = text
        self.engine = engine
    }

    /// - Parameters:
    ///   - bytes: the bytes of the paragraph. If it has no glyphs, the line has the height of the paragraph's font.
    ///   - width: the width at which lines are wrapped; nil for one line.
    func lines(_ bytes: Range<Int>, width: Double?) -> [GlyphLine] {
        let style = text.style(at: bytes.lowerBound)
        guard !bytes.isEmpty else {
            var line = GlyphLine(bytes: bytes)
            if let font = style?.font { line.add(font) }
            return [line]
        }
        return engine.locked {
            guard let layout = calls.makeLayout(engine.context) else { return [] }
            defer { calls.release(layout) }
            text.bytes[bytes].withUnsafeBytes { memory in
                calls.setText(
                    layout, memory.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: memory.count))
            }
            setAttributes(of: bytes, layout)
            if let width {
                let units = (min(max(0, width), Self.widest) * PangoCalls.scale).rounded(.up)
                calls.setWidth(layout, Int32(units))  // in range: at most 2e9
                let wrapsCharacters = style?.paragraph.lineBreakMode == .byCharWrapping
                calls.setWrap(layout, wrapsCharacters ? PangoCalls.wrapsCharacters : PangoCalls.wrapsWords)
                calls.setJustify(layout, style?.paragraph.alignment == .justified ? 1 : 0)
            }
            return (0..<calls.lineCount(layout)).compactMap { number in
                calls.line(layout, number).map { line($0, bytes.lowerBound) }
            }
        }
    }

    /// The maximum width at which lines are wrapped. It fits in the range of Pango's numbers. A larger width is reduced
    /// to it, which hardly limits a line.
    static let widest = 1_900_000.0

    private func setAttributes(of bytes: Range<Int>, _ layout: OpaquePointer) {
        guard let attributes = calls.makeAttributes() else { return }
        defer { calls.releaseAttributes(attributes) }
        for (number, style) in text.styles.enumerated() where style.bytes.overlaps(bytes) {
            let part = style.bytes.clamped(to: bytes)
            /// Adds an attribute for this part of the text. The attribute's struct has a pointer, then the index of the
            /// first byte, then the index after the last byte.
            func add(_ attribute: OpaquePointer?) {
                guard let attribute else { return }
                let fields = UnsafeMutableRawPointer(attribute)
                let (first, end) = (part.lowerBound - bytes.lowerBound, part.upperBound - bytes.lowerBound)
                fields.storeBytes(of: UInt32(clamping: first), toByteOffset: 8, as: UInt32.self)
                fields.storeBytes(of: UInt32(clamping: end), toByteOffset: 12, as: UInt32.self)
                calls.insertAttribute(attributes, attribute)
            }
            add(engine.withDescription(of: style.font.name, size: style.font.size) { calls.fontAttribute($0) })
            if style.kern != 0 {
                // in range: the size of a font is limited
                add(calls.spacingAttribute(Int32((style.kern * PangoCalls.scale).rounded())))
            }
            // The only purpose of the color for Pango is to separate runs of glyphs. The color for drawing is looked up
            // by the position of the run.
            add(calls.colorAttribute(UInt16(truncatingIfNeeded: number), UInt16(truncatingIfNeeded: number >> 16), 0))
        }
        calls.setAttributes(layout, attributes)
    }

    /// Reads a PangoLayoutLine. It contains the layout, the line's first byte, its length, and a list of its runs.
    private func line(_ line: OpaquePointer, _ start: Int) -> GlyphLine {
        let fields = UnsafeRawPointer(line)
        let first = start + Int(fields.load(fromByteOffset: 8, as: Int32.self))
        let length = Int(fields.load(fromByteOffset: 12, as: Int32.self))
        var result = GlyphLine(bytes: first..<first + length)
        result.isRightToLeft = calls.lineDirection(line) == PangoCalls.rightToLeft
        var next = fields.load(fromByteOffset: 16, as: UnsafeRawPointer?.self)
        while let node = next {
            // A node has a PangoGlyphItem and the next node. The item has a PangoItem and a PangoGlyphString.
            if let run = node.load(as: UnsafeRawPointer?.self), let item = run.load(as: UnsafeRawPointer?.self),
                let glyphs = run.load(fromByteOffset: 8, as: OpaquePointer?.self)
            {
                add(item, glyphs, start, to: &result)
            }
            next = node.load(fromByteOffset: 8, as: UnsafeRawPointer?.self)
        }
        if result.glyphCount == 0, let font = text.style(at: first)?.font { result.add(font) }
        return result
    }

    /// Adds a run of glyphs.
    ///
    /// - Parameters:
    ///   - item: a PangoItem. It has its first byte at offset 0 and its font at offset 32.
    ///   - glyphs: a PangoGlyphString. It has the number of glyphs at offset 0 and their infos at offset 8.
    private func add(_ item: UnsafeRawPointer, _ glyphs: OpaquePointer, _ start: Int, to line: inout GlyphLine) {
        let fields = UnsafeRawPointer(glyphs)
        guard let font = item.load(fromByteOffset: 32, as: OpaquePointer?.self),
            let infos = fields.load(fromByteOffset: 8, as: UnsafePointer<Int32>?.self),
            let style = text.style(at: start + Int(item.load(as: Int32.self)))
        else { return }
        let logical = extents(glyphs, font).logical
        line.ascent = max(line.ascent, -Double(logical.minY))
        line.descent = max(line.descent, Double(logical.maxY))
        line.leading = max(line.leading, style.font.metrics.leading)
        let reference = PangoFont(retaining: font, engine: engine)
        let count = Int(fields.load(as: Int32.self))
        var index = 0
        while index < count {
            let isColored = Self.isColored(infos + index * GlyphGroup.infoCount)
            var end = index + 1
            while end < count, end - index < GlyphGroup.mostGlyphs,
                Self.isColored(infos + end * GlyphGroup.infoCount) == isColored
            { end += 1 }
            let part = UnsafeBufferPointer(
                start: infos + index * GlyphGroup.infoCount, count: (end - index) * GlyphGroup.infoCount)
            add(Array(part), reference, style, isColored, to: &line)
            index = end
        }
    }

    private func add(
        _ infos: [Int32], _ font: PangoFont, _ style: StyledText.Style, _ isColored: Bool, to line: inout GlyphLine
    ) {
        var ink = CGRect.zero
        GlyphGroup.withGlyphString(infos) { ink = extents($0, font.object).ink }
        if ink.width > 0, ink.height > 0 {
            line.groups.append(
                GlyphGroup(
                    font: font, size: style.font.size, infos: infos, x: line.width,
                    ink: CGRect(x: ink.minX, y: -ink.maxY, width: ink.width, height: ink.height), color: style.color,
                    isColored: isColored))
        }
        for glyph in stride(from: 0, to: infos.count, by: GlyphGroup.infoCount) {
            line.width += Double(infos[glyph + 1]) / PangoCalls.scale
            if infos[glyph] != Self.empty { line.glyphCount += 1 }
        }
    }

    /// PANGO_GLYPH_EMPTY, for an invisible character.
    private static let empty: Int32 = 0x0FFF_FFFF
    /// PANGO_GLYPH_UNKNOWN_FLAG, for a character that no font has. Pango draws it as a box. The flags of its info are
    /// undefined.
    private static let unknown: Int32 = 0x1000_0000

    /// - Parameter info: a PangoGlyphInfo. The second bit of its flags is set for glyphs with colors.
    private static func isColored(_ info: UnsafePointer<Int32>) -> Bool {
        info[0] & unknown == 0 && info[4] & 2 != 0
    }

    /// Returns two rectangles, with y pointing down: the rectangle that glyphs cover, and the rectangle with their
    /// width and their font's height.
    private func extents(_ glyphs: OpaquePointer, _ font: OpaquePointer) -> (ink: CGRect, logical: CGRect) {
        var (ink, logical) = ([Int32](repeating: 0, count: 4), [Int32](repeating: 0, count: 4))
        ink.withUnsafeMutableBufferPointer { ink in
            logical.withUnsafeMutableBufferPointer { logical in
                calls.extents(glyphs, font, ink.baseAddress, logical.baseAddress)
            }
        }
        func rectangle(_ numbers: [Int32]) -> CGRect {
            let lengths = numbers.map { Double($0) / PangoCalls.scale }
            return CGRect(x: lengths[0], y: lengths[1], width: lengths[2], height: lengths[3])
        }
        return (rectangle(ink), rectangle(logical))
    }
}

extension GlyphLine {
    /// Adds the height of a font to a line without glyphs.
    fileprivate mutating func add(_ font: CTFont) {
        ascent = max(ascent, font.metrics.ascent)
        descent = max(descent, font.metrics.descent)
        leading = max(leading, font.metrics.leading)
    }
}
