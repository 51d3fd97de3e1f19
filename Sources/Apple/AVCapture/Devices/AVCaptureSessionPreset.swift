public import AVFoundation

/// The quality that a session requests from its cameras. Also named `AVCaptureSession.Preset`.
public struct AVCaptureSessionPreset: StringConstant {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension AVCaptureSessionPreset {
    /// The largest frame size, at any frame rate; for stills.
    public static let photo = Self("AVCaptureSessionPresetPhoto")
    /// The largest frame size with at most the area of 1920×1080, at 24 frames per second or more if the camera
    /// supports that.
    public static let high = Self("AVCaptureSessionPresetHigh")
    /// The largest frame size with at most the area of 640×480, at 24 frames per second or more if the camera supports
    /// that.
    public static let medium = Self("AVCaptureSessionPresetMedium")
    /// The largest frame size with at most the area of 352×288, at 24 frames per second or more if the camera supports
    /// that.
    public static let low = Self("AVCaptureSessionPresetLow")
    public static let qvga320x240 = Self("AVCaptureSessionPreset320x240")
    public static let cif352x288 = Self("AVCaptureSessionPreset352x288")
    public static let vga640x480 = Self("AVCaptureSessionPreset640x480")
    public static let qHD960x540 = Self("AVCaptureSessionPreset960x540")
    public static let hd1280x720 = Self("AVCaptureSessionPreset1280x720")
    public static let hd1920x1080 = Self("AVCaptureSessionPreset1920x1080")
    public static let hd4K3840x2160 = Self("AVCaptureSessionPreset3840x2160")
    public static let iFrame960x540 = Self("AVCaptureSessionPresetiFrame960x540")
    public static let iFrame1280x720 = Self("AVCaptureSessionPresetiFrame1280x720")
    /// Leaves the active formats of the devices as the program set them.
    public static let inputPriority = Self("AVCaptureSessionPresetInputPriority")
}
