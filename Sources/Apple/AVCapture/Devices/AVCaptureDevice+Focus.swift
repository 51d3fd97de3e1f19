public import AVFoundation
public import Foundation

/// Focus and zoom, by the controls that the camera has.
extension AVCaptureDevice {
    public enum FocusMode: Int, Sendable {
        case locked = 0
        /// Focuses once, then keeps the lens position.
        case autoFocus = 1
        case continuousAutoFocus = 2
    }

    /// A value that represents the current lens position.
    public static let currentLensPosition: Float = .greatestFiniteMagnitude

    public func isFocusModeSupported(_ focusMode: FocusMode) -> Bool { rules.supports(focusMode) }

    /// The mode, as the camera reports it. A change requires the configuration lock, and a supported mode.
    public var focusMode: FocusMode {
        get { rules.focusMode(controlValues) }
        set { change("focusMode", rules.focus(newValue)) }
    }

    /// True if the camera can be set to a lens position.
    public var isLockingFocusWithCustomLensPositionSupported: Bool { rules.has(.focus) }

    /// The position of the lens from 0, the nearest, to 1, the farthest; 0 if it is unknown.
    public var lensPosition: Float { rules.lensPosition(controlValues) }

    /// Locks the focus at a position from 0 to 1. Requires the configuration lock.
    ///
    /// - Parameter handler: Called once the camera has the value, with the time of the change. The lens may still move.
    ///   It is not called for a change that is refused, which the session reports as a runtime error.
    @preconcurrency
    public func setFocusModeLocked(
        lensPosition: Float, completionHandler handler: (@Sendable (CMTime) -> Void)? = nil
    ) {
        let isCurrent = lensPosition == Self.currentLensPosition
        if change("focusMode", isCurrent ? rules.focus(.locked) : rules.focus(at: lensPosition)) { report(handler) }
    }

    /// Always false: V4L2 has no such control.
    public var isFocusPointOfInterestSupported: Bool { false }
    /// Always the center; a change has no effect.
    public var focusPointOfInterest: CGPoint {
        get { CGPoint(x: 0.5, y: 0.5) }
        set {}
    }
    /// Always false: cameras do not report it.
    public var isAdjustingFocus: Bool { false }

    // MARK: Zoom

    /// The zoom factor relative to the lens's shortest focal length; 1 if the camera cannot zoom. A change requires the
    /// configuration lock, and sets the nearest factor that the camera has.
    public var videoZoomFactor: CGFloat {
        get { CGFloat(rules.zoom(controlValues)) }
        set { change("videoZoomFactor", rules.zoom(to: Double(newValue))) }
    }
    /// Always 1.
    public var minAvailableVideoZoomFactor: CGFloat { 1 }
    /// The largest zoom factor; 1 if the camera cannot zoom.
    public var maxAvailableVideoZoomFactor: CGFloat { CGFloat(rules.largestZoom) }
}
