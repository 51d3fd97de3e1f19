package import MediaTypes

/// Masks as users write them: `0,0 40,0 40,25 0,25`, also with a name, `door=0,0 40,0 40,25 0,25`.
package enum MaskText {
    /// Parses a mask.
    ///
    /// - Returns: The mask. It has no corners for `NAME=none`, which removes a mask that a source of lower precedence
    ///   sets.
    package static func parse(_ text: String) throws(OptionError) -> FrameMask {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return FrameMask(corners: try corners(text, of: text)) }
        let name = String(parts[0])
        guard (1...32).contains(name.utf8.count), name.utf8.allSatisfy(isWord) else {
            throw OptionError(name, isNot: "a name of a mask", write: "letters, digits, - and _, such as door")
        }
        if parts[1] == "none" { return FrameMask(name: name, corners: []) }
        return FrameMask(name: name, corners: try corners(String(parts[1]), of: text))
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == 0x5F || byte == 0x2D
    }

    private static func corners(_ words: String, of text: String) throws(OptionError) -> [FrameMask.Corner] {
        var corners: [FrameMask.Corner] = []
        for word in words.split(whereSeparator: { $0 == " " || $0 == "\n" || $0 == "\t" }) {
            let numbers = word.split(separator: ",", omittingEmptySubsequences: false)
            guard numbers.count == 2, let x = percent(numbers[0]), let y = percent(numbers[1]) else {
                throw OptionError(
                    String(word), isNot: "a corner of a mask in percent of the frame",
                    write: "two numbers from 0 to 100 with at most four decimals, such as 12.5,40")
            }
            corners.append(.init(x: x, y: y))
        }
        guard corners.count <= FrameMask.mostCorners else {
            throw OptionError(
                "“\(text.prefix(80))” has \(corners.count) corners: write at most \(FrameMask.mostCorners), or "
                    + "several masks")
        }
        guard FrameMask(corners: corners).hasArea else {
            throw OptionError(text, isNot: "a mask", write: "three or more corners, such as “0,0 40,0 40,25 0,25”")
        }
        return corners
    }

    /// Parses a percentage and returns it in the units of a corner; nil if the text is not a percentage.
    private static func percent(_ text: Substring) -> Int? {
        guard let number = DecimalText(text), number.places <= 4,
            let units = number.scaled(by: Int64(FrameMask.edge / 100)), units <= FrameMask.edge
        else { return nil }
        return Int(units)
    }

    /// Returns the text from which `parse` restores the mask.
    package static func text(_ mask: FrameMask) -> String {
        let corners = mask.corners.map { "\(percent($0.x)),\(percent($0.y))" }.joined(separator: " ")
        return mask.name.isEmpty ? corners : "\(mask.name)=\(corners)"
    }

    private static func percent(_ units: Int) -> String {
        let (whole, rest) = units.quotientAndRemainder(dividingBy: FrameMask.edge / 100)
        guard rest > 0 else { return "\(whole)" }
        var decimals = String(FrameMask.edge / 100 + rest).dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        return "\(whole).\(decimals)"
    }

    // MARK: Style

    /// The sides of blocks that can be chosen: even, so that no chroma sample belongs to two blocks.
    private static let sides = 8...512

    /// Parses `black`, `#RRGGBB` or `pixelate:N`.
    package static func parseStyle(_ text: String) throws(OptionError) -> FrameMaskStyle {
        if text == "black" { return .black }
        if text.hasPrefix("#"), text.utf8.count == 7, text.utf8.dropFirst().allSatisfy(isHexadecimal),
            let value = UInt32(text.dropFirst(), radix: 16)
        {
            return .color(
                red: UInt8(value >> 16), green: UInt8(value >> 8 & 0xFF), blue: UInt8(value & 0xFF))
        }
        let prefix = "pixelate:"
        guard text.hasPrefix(prefix), let number = DecimalText(text.dropFirst(prefix.count)), number.places == 0 else {
            throw OptionError(text, isNot: "a style of masks", write: "black, #RRGGBB or pixelate:32")
        }
        guard let side = Int(exactly: number.digits), sides.contains(side), side.isMultiple(of: 2) else {
            throw OptionError(
                "“\(text.prefix(80))” has no valid size of blocks: write an even number of pixels from "
                    + "\(sides.lowerBound) to \(sides.upperBound), such as pixelate:32")
        }
        return .pixelate(side)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x46 ~= byte || 0x61...0x66 ~= byte
    }

    package static func text(_ style: FrameMaskStyle) -> String {
        switch style {
        case .black: return "black"
        case .color(let red, let green, let blue):
            let digits = [red, green, blue].map { String(UInt16($0) + 256, radix: 16).dropFirst() }
            return "#" + digits.joined()
        case .pixelate(let side): return "pixelate:\(side)"
        }
    }
}

extension FrameStageSettings {
    /// Adds a mask, or replaces the mask with the same name. A mask without corners removes the mask with its name.
    package mutating func set(_ mask: FrameMask) throws(OptionError) {
        if mask.name.isEmpty {
            guard !masks.contains(mask) else { return }
            masks.append(mask)
        } else if let index = masks.firstIndex(where: { $0.name == mask.name }) {
            if mask.corners.isEmpty { masks.remove(at: index) } else { masks[index] = mask }
        } else if !mask.corners.isEmpty {
            masks.append(mask)
        }
        guard masks.count <= FrameMask.most else {
            throw OptionError("there are more than \(FrameMask.most) masks: join some of them", about: ["mask"])
        }
    }
}
