/// One of the eight orientations of a frame: rotated by quarter turns, mirrored or not.
package struct FrameOrientation: Sendable, Hashable {
    /// True if left and right are swapped before the frame is rotated.
    package var isMirrored: Bool
    /// Quarter turns clockwise, 0 to 3.
    package var quarterTurns: Int

    package init(isMirrored: Bool = false, quarterTurns: Int = 0) {
        self.isMirrored = isMirrored
        self.quarterTurns = ((quarterTurns % 4) + 4) % 4
    }

    /// The unchanged orientation.
    package static let upright = FrameOrientation()
    package static let all = [false, true].flatMap { mirrored in
        (0..<4).map { FrameOrientation(isMirrored: mirrored, quarterTurns: $0) }
    }

    /// True if width and height are swapped.
    package var swapsSides: Bool { quarterTurns % 2 == 1 }

    /// Returns this orientation followed by another one, as one step.
    package func then(_ next: FrameOrientation) -> FrameOrientation {
        // A frame that is mirrored after a rotation could be mirrored first and rotated the other way.
        FrameOrientation(
            isMirrored: isMirrored != next.isMirrored,
            quarterTurns: next.quarterTurns + (next.isMirrored ? -quarterTurns : quarterTurns))
    }
}
