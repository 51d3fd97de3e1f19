import AVFoundation
public import Foundation
import MediaCodecs
import MediaTypes
import RealTime
import Synchronization

/// The path from a port of an input to an output. A session creates a connection if an input and an output fit.
open class AVCaptureConnection: NSObject, @unchecked Sendable {
    // Unchecked: `owner` is set once, by the initializer; the rest is immutable or locked.
    /// The orientation that a program has set.
    private struct Turn: Sendable {
        /// Quarter turns clockwise.
        var quarters = 0
        var isMirrored = false
        var adjustsMirroring = true
        /// The error of a refused change; nil once the session has reported it.
        var fault: MediaError?
    }

    public let inputPorts: [AVCaptureInput.Port]
    private weak var owner: AVCaptureOutput?
    private let isOn = Atomic(true)
    private let source = Locked<FormatDescription?>(nil)
    private let turn = Locked(Turn())
    let meter = AudioMeter()

    public init(inputPorts ports: [AVCaptureInput.Port], output: AVCaptureOutput) {
        inputPorts = ports
        owner = output
        super.init()
    }

    open var output: AVCaptureOutput? { owner }

    /// False if the samples of this connection are neither delivered nor counted.
    open var isEnabled: Bool {
        get { isOn.load(ordering: .relaxed) }
        set { isOn.store(newValue, ordering: .relaxed) }
    }

    /// True if samples pass while the session runs.
    open var isActive: Bool { isEnabled && owner != nil && !inputPorts.isEmpty }

    /// The rate at which the device is set to deliver frames; nil if it is not known.
    var expectedFrameRate: Double? {
        let rate = inputPorts.first?.device.mode.frameRate?.framesPerSecond
        return rate.flatMap { (0.01...1000).contains($0) ? $0 : nil }
    }

    var mediaType: AVMediaType? { inputPorts.first?.mediaType }

    /// The channels of an audio connection, with their levels; empty before the first samples.
    open var audioChannels: [AVCaptureAudioChannel] { meter.channels }

    /// The format in which a session opened the device; nil while no session has the device open.
    var sourceFormat: FormatDescription? { source.withLock { $0 } }

    func setSource(_ format: FormatDescription?) { source.withLock { $0 = format } }

    // MARK: Rotation and mirroring

    /// True if frames can be rotated. False for audio. False also if the output delivers packets: a camera's own H.264,
    /// or JPEG that a data output does not decode. If a camera changes to one of these formats later, its packets are
    /// not rotated. A movie file output rotates all video.
    open var isVideoOrientationSupported: Bool {
        guard let owner, mediaType == .video else { return false }
        return owner.canTurn(sourceCodec)
    }

    /// The rotation, named by the orientation of a device. In `landscapeRight`, frames are not rotated.
    ///
    /// Another name for the value of `videoRotationAngle`.
    open var videoOrientation: AVCaptureVideoOrientation {
        get { AVCaptureVideoOrientation(quarterTurns: turn.withLock { $0.quarters }) }
        set {
            let quarters = newValue.quarterTurns
            change("videoOrientation", isPossible: quarters == 0 || isVideoOrientationSupported) {
                $0.quarters = quarters
            }
        }
    }

    /// Returns true for 0, and for 90, 180 and 270 if frames can be rotated.
    open func isVideoRotationAngleSupported(_ videoRotationAngle: CGFloat) -> Bool {
        videoRotationAngle == 0 || [90, 180, 270].contains(videoRotationAngle) && isVideoOrientationSupported
    }

    /// The degrees by which frames are rotated clockwise, before they are mirrored.
    ///
    /// A data output and a photo output rotate the pixels of later frames. A movie file output stores the rotation in
    /// the track's transform, beginning with the next recording. An unsupported angle has no effect, and the session
    /// reports it as a runtime error; on Apple's systems it raises an exception.
    open var videoRotationAngle: CGFloat {
        get { CGFloat(turn.withLock { $0.quarters } * 90) }
        set {
            change("videoRotationAngle", isPossible: isVideoRotationAngleSupported(newValue)) {
                $0.quarters = Int(newValue) / 90
            }
        }
    }

    /// True if frames can be mirrored. The same as `isVideoOrientationSupported`.
    open var isVideoMirroringSupported: Bool { isVideoOrientationSupported }

    /// True if the rotated frames are mirrored: left and right are swapped.
    ///
    /// Mirroring changes the pixels or the track's transform, like a rotation. Setting the property makes
    /// `automaticallyAdjustsVideoMirroring` false.
    open var isVideoMirrored: Bool {
        get { turn.withLock { $0.isMirrored } }
        set {
            change("isVideoMirrored", isPossible: !newValue || isVideoMirroringSupported) {
                $0.isMirrored = newValue
                $0.adjustsMirroring = false
            }
        }
    }

    /// True until a program sets `isVideoMirrored` or this property. No camera is mirrored automatically, because V4L2
    /// does not report which camera faces the user.
    open var automaticallyAdjustsVideoMirroring: Bool {
        get { turn.withLock { $0.adjustsMirroring } }
        set {
            turn.withLock { turn in
                turn.adjustsMirroring = newValue
                if newValue { turn.isMirrored = false }
            }
        }
    }

    /// False: V4L2 has no stabilization.
    open var isVideoStabilizationSupported: Bool { false }

    /// The orientation of the frames as the output shows them.
    ///
    /// `FrameOrientation` mirrors before it rotates. Mirroring after a rotation equals mirroring before a rotation by
    /// the opposite angle.
    var orientation: FrameOrientation {
        turn.withLock { turn in
            FrameOrientation(
                isMirrored: turn.isMirrored, quarterTurns: turn.isMirrored ? -turn.quarters : turn.quarters)
        }
    }

    /// A refused change that the session has not reported yet.
    var fault: MediaError? { turn.withLock { $0.fault } }

    func clearFault() { turn.withLock { $0.fault = nil } }

    /// The codec of the camera's active format. If the camera's formats are unknown, the codec of the format in which a
    /// session opened the camera.
    private var sourceCodec: VideoCodec {
        let active = inputPorts.first?.device.activeFormat.device.description.video
        if let active, active.width > 0 { return active.codec }
        return sourceFormat?.video?.codec ?? .raw
    }

    /// Changes the orientation, or stores an error that says why it cannot be changed.
    private func change(_ name: String, isPossible: Bool, _ body: (inout Turn) -> Void) {
        let fault: MediaError? = isPossible ? nil : refusal(of: name)
        turn.withLock { turn in
            turn.fault = fault
            if fault == nil { body(&turn) }
        }
    }

    private func refusal(of name: String) -> MediaError {
        let reason =
            if isVideoOrientationSupported {
                "the angle is not 0, 90, 180 or 270"
            } else if mediaType == .video {
                "the output delivers the camera's compressed frames unchanged"
            } else {
                "the connection carries no video"
            }
        return MediaError(
            .invalidSettings, "cannot set \(name) of a connection", reason: reason,
            wayOut: "check isVideoRotationAngleSupported or isVideoMirroringSupported first")
    }
}
