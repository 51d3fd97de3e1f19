/// What happens when the encoder cannot keep up with the camera.
public enum OverloadPolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// Pictures are dropped, and counted as `encoder`.
    case drop
    /// The same, and from the next file on x264 works with the next faster preset.
    case stepDown = "step-down"
}
