/// One of the eight orientations of a frame: rotated by zero to three quarter turns, mirrored or not.
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

    /// Returns the orientation that results from this orientation followed by another one.
    package func then(_ next: FrameOrientation) -> FrameOrientation {
        // Mirroring a frame after a rotation equals mirroring it first and then rotating it in the opposite direction.
        FrameOrientation(
            isMirrored: isMirrored != next.isMirrored,
            quarterTurns: next.quarterTurns + (next.isMirrored ? -quarterTurns : quarterTurns))
    }
}
