/// A part of the recorded frame that is hidden: a polygon whose corners are in percent of the frame.
package struct FrameMask: Sendable, Hashable {
    /// A corner, in 1/10,000 percent of the frame's width and height. The numbers are integers, so that the text form
    /// of a corner is exact.
    package struct Corner: Sendable, Hashable {
        package var x: Int
        package var y: Int

        package init(x: Int, y: Int) {
            self.x = x
            self.y = y
        }
    }

    /// The right or lower edge of the frame, 100 percent, in the units of a corner.
    package static let edge = 1_000_000
    /// The maximum number of corners of a mask.
    package static let mostCorners = 64
    /// The maximum number of masks of a frame.
    package static let most = 64

    /// The name; empty for a mask without one.
    package var name: String
    package var corners: [Corner]

    package init(name: String = "", corners: [Corner]) {
        self.name = name
        self.corners = corners
    }

    /// True if the corners enclose an area: at least three, not all on one line.
    package var hasArea: Bool {
        guard let first = corners.first, let second = corners.first(where: { $0 != first }) else { return false }
        return corners.contains {
            (second.x - first.x) * ($0.y - first.y) != (second.y - first.y) * ($0.x - first.x)
        }
    }
}

/// The appearance of masked parts of a frame.
package enum FrameMaskStyle: Sendable, Hashable {
    case color(red: UInt8, green: UInt8, blue: UInt8)
    /// Blocks with this width and height in pixels. Each block has the mean color of the pixels that it covers.
    case pixelate(Int)

    package static let black = FrameMaskStyle.color(red: 0, green: 0, blue: 0)
}

extension MetadataItem {
    /// The masks of a recording: `RecordedMasks` as JSON.
    package static let masksKey = "recorder.masks"
}
