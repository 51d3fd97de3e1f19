/// What happens when the encoder cannot keep up with the camera.
public enum OverloadPolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// x264 works less hard, a step at a time, before a picture is dropped, and harder again when there is time.
    case adapt
    /// Pictures are dropped, and counted as `encoder`.
    case drop
    /// As `adapt`; where that is not enough, x264 works with the next faster preset from the next file on.
    case stepDown = "step-down"

    /// Whether pictures may be encoded with less effort than was asked for.
    var mayEase: Bool { self != .drop }
}
