/// The text that is drawn on every recorded frame.
package struct FrameStamp: Sendable, Hashable {
    /// A corner of the frame.
    package enum Place: String, Sendable, Hashable, CaseIterable {
        case topLeft = "top-left"
        case topRight = "top-right"
        case bottomLeft = "bottom-left"
        case bottomRight = "bottom-right"
    }

    /// The text with its fields; nil if nothing is drawn.
    package var pattern: StampPattern?
    package var place = Place.topLeft
    /// The font size in 1/100 percent of the frame's height.
    package var size = 400
    /// The absolute path of a font file, or the name of a family; nil means the default font.
    package var font: String?

    package init() {}

    /// True if text is drawn. Otherwise place, size and font change nothing.
    package var isActive: Bool { pattern != nil }

    /// Returns the font size in pixels. In a small frame the text is larger than requested, because it would be
    /// unreadable otherwise.
    package func pixels(height: Int) -> Int { max(Self.leastPixels, (height * size + 5000) / 10_000) }

    /// The smallest font size in pixels. Only a text that is too wide for the frame gets a smaller one.
    package static let leastPixels = 14
}

/// The facts about one frame that a stamp can show.
package struct FrameMoment: Sendable, Hashable {
    /// The wall clock when the frame was captured, in nanoseconds since 1970.
    package var wall: Int64
    /// The number of the frame in its session; the first one is 1.
    package var number: Int

    package init(wall: Int64, number: Int) {
        self.wall = wall
        self.number = number
    }
}
