import AVFoundation
public import Foundation
import MediaTypes
import RealTime
import Synchronization

/// The path from a port of an input to an output. A session makes it when an input and an output fit.
open class AVCaptureConnection: NSObject, @unchecked Sendable {
    // Unchecked: `owner` is set once, by the initializer; the rest is immutable or locked.
    public let inputPorts: [AVCaptureInput.Port]
    private weak var owner: AVCaptureOutput?
    private let isOn = Atomic(true)
    private let source = Locked<FormatDescription?>(nil)
    let meter = AudioMeter()

    public init(inputPorts ports: [AVCaptureInput.Port], output: AVCaptureOutput) {
        inputPorts = ports
        owner = output
        super.init()
    }

    open var output: AVCaptureOutput? { owner }

    /// False to leave out the samples of this connection, which are then not counted either.
    open var isEnabled: Bool {
        get { isOn.load(ordering: .relaxed) }
        set { isOn.store(newValue, ordering: .relaxed) }
    }

    /// True if samples pass while the session runs.
    open var isActive: Bool { isEnabled && owner != nil && !inputPorts.isEmpty }

    var mediaType: AVMediaType? { inputPorts.first?.mediaType }

    /// The channels of an audio connection, with their levels; empty before the first samples.
    open var audioChannels: [AVCaptureAudioChannel] { meter.channels }

    /// The format that the device was opened in; nil while no session has it open.
    var sourceFormat: FormatDescription? { source.withLock { $0 } }

    func setSource(_ format: FormatDescription?) { source.withLock { $0 = format } }

    // MARK: What frames are not changed to

    /// False: frames arrive as the camera has them. Set the `transform` of a writer's input to show them rotated.
    open var isVideoOrientationSupported: Bool { false }
    /// Always as the camera has it; a change has no effect.
    open var videoOrientation: AVCaptureVideoOrientation {
        get { .landscapeRight }
        set {}
    }
    /// False, for the same reason.
    open var isVideoMirroringSupported: Bool { false }
    /// False: V4L2 has no stabilization.
    open var isVideoStabilizationSupported: Bool { false }
    /// Returns true for 0 alone.
    open func isVideoRotationAngleSupported(_ videoRotationAngle: CGFloat) -> Bool { videoRotationAngle == 0 }
    /// Always 0; a change has no effect.
    open var videoRotationAngle: CGFloat {
        get { 0 }
        set {}
    }
    /// Always false; a change has no effect.
    open var isVideoMirrored: Bool {
        get { false }
        set {}
    }
}

/// The orientation of frames, for programs that ask whether it can be changed.
public enum AVCaptureVideoOrientation: Int, Sendable {
    case portrait = 1
    case portraitUpsideDown = 2
    case landscapeRight = 3
    case landscapeLeft = 4
}
