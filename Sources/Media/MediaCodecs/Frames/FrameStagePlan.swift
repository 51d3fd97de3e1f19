package import MediaTypes

/// The geometry of recorded frames for one size of the source. A pure value.
package struct FrameStagePlan: Sendable, Hashable {
    /// The part of the source that is used.
    package let part: PixelRectangle
    /// The size of that part after scaling, before it is rotated.
    package let scaled: FrameSize
    /// The rotation and the flip as one step.
    package let orientation: FrameOrientation

    /// The size of the recorded frame. Masks are in percent of it.
    package var size: FrameSize {
        orientation.swapsSides ? FrameSize(scaled.height, scaled.width) : scaled
    }

    /// - Throws: `deviceUnsuitable` if the crop is not inside the source.
    package init(_ settings: FrameStageSettings, source: FrameSize) throws(MediaError) {
        let whole = PixelRectangle(width: source.width, height: source.height)
        part =
            settings.crop.map {
                PixelRectangle(x: $0.x, y: $0.y, width: $0.size.width, height: $0.size.height)
            } ?? whole
        guard part.isInside(width: source.width, height: source.height) else {
            throw MediaError(
                .deviceUnsuitable, "cannot crop frames of \(source.width)×\(source.height)",
                reason: "\(part.width)×\(part.height) at \(part.x), \(part.y) extends beyond them",
                wayOut: "choose a --crop inside them, or another --size")
        }
        orientation = Self.orientation(settings)
        guard let size = settings.scale else {
            scaled = FrameSize(part.width, part.height)
            return
        }
        scaled = orientation.swapsSides ? FrameSize(size.height, size.width) : size
    }

    /// Returns the orientation for a rotation and a flip after it.
    ///
    /// `FrameOrientation` mirrors before it rotates. A flip after a rotation equals a flip before the opposite
    /// rotation. A vertical flip equals a horizontal flip and half a turn.
    static func orientation(_ settings: FrameStageSettings) -> FrameOrientation {
        let turns = (settings.rotation ?? 0) / 90
        switch settings.flip {
        case nil: return FrameOrientation(quarterTurns: turns)
        case .horizontal: return FrameOrientation(isMirrored: true, quarterTurns: -turns)
        case .vertical: return FrameOrientation(isMirrored: true, quarterTurns: 2 - turns)
        }
    }
}
