/// One of the eight ways to lay a picture: turned by quarters, seen in a mirror or not.
package struct PictureOrientation: Sendable, Hashable {
    /// Left and right are exchanged before the picture is turned.
    package var isMirrored: Bool
    /// Clockwise, 0 to 3.
    package var quarterTurns: Int

    package init(isMirrored: Bool = false, quarterTurns: Int = 0) {
        self.isMirrored = isMirrored
        self.quarterTurns = ((quarterTurns % 4) + 4) % 4
    }

    /// As it is.
    package static let upright = PictureOrientation()
    package static let all = [false, true].flatMap { mirrored in
        (0..<4).map { PictureOrientation(isMirrored: mirrored, quarterTurns: $0) }
    }

    /// Width and height change places.
    package var swapsSides: Bool { quarterTurns % 2 == 1 }
}
