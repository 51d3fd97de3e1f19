/// The orientation of a device. It determines how the frames of the device's camera are rotated to be upright.
public enum AVCaptureVideoOrientation: Int, Sendable {
    case portrait = 1
    case portraitUpsideDown = 2
    case landscapeRight = 3
    case landscapeLeft = 4
}

extension AVCaptureVideoOrientation {
    /// The orientations, each a quarter turn clockwise from the one before; the first is the one in which Apple's
    /// sensors are upright.
    private static let turns: [AVCaptureVideoOrientation] = [
        .landscapeRight, .portrait, .landscapeLeft, .portraitUpsideDown,
    ]

    /// - Precondition: 0 to 3 turns.
    init(quarterTurns: Int) { self = Self.turns[quarterTurns] }

    var quarterTurns: Int { Self.turns.firstIndex(of: self) ?? 0 }
}
