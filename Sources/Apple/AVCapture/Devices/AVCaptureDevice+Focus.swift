public import AVFoundation
public import Foundation

/// Focus and zoom, set by the camera's controls.
extension AVCaptureDevice {
    public enum FocusMode: Int, Sendable {
        case locked = 0
        /// Focuses once, then keeps the lens position.
        case autoFocus = 1
        case continuousAutoFocus = 2
    }

    /// The position for `setFocusModeLocked` that keeps the current lens position.
    public static let currentLensPosition: Float = .greatestFiniteMagnitude

    public func isFocusModeSupported(_ focusMode: FocusMode) -> Bool { rules.supports(focusMode) }

    /// The mode, as the camera reports it. Setting it requires the configuration lock and a supported mode.
    public var focusMode: FocusMode {
        get { rules.focusMode(controlValues) }
        set { change("focusMode", rules.focus(newValue)) }
    }

    /// True if a program can set the camera's lens position.
    public var isLockingFocusWithCustomLensPositionSupported: Bool { rules.has(.focus) }

    /// The position of the lens from 0, the nearest, to 1, the farthest; 0 if it is unknown.
    public var lensPosition: Float { rules.lensPosition(controlValues) }

    /// Locks the focus at a position from 0 to 1. Requires the configuration lock.
    ///
    /// - Parameter handler: Called with the time of the change after the camera has the value. The lens may still move.
    ///   If the change is refused, the handler is not called, and the session reports a runtime error.
    @preconcurrency
    public func setFocusModeLocked(
        lensPosition: Float, completionHandler handler: (@Sendable (CMTime) -> Void)? = nil
    ) {
        let isCurrent = lensPosition == Self.currentLensPosition
        if change("focusMode", isCurrent ? rules.focus(.locked) : rules.focus(at: lensPosition)) { report(handler) }
    }

    /// Always false: V4L2 has no such control.
    public var isFocusPointOfInterestSupported: Bool { false }
    /// Always the center. Setting it has no effect.
    public var focusPointOfInterest: CGPoint {
        get { CGPoint(x: 0.5, y: 0.5) }
        set {}
    }
    /// Always false: cameras do not report when they focus.
    public var isAdjustingFocus: Bool { false }

    // MARK: Zoom

    /// The zoom factor relative to the lens's shortest focal length; 1 if the camera cannot zoom. Setting it requires
    /// the configuration lock. The camera then gets the nearest factor that it supports.
    public var videoZoomFactor: CGFloat {
        get { CGFloat(rules.zoom(controlValues)) }
        set { change("videoZoomFactor", rules.zoom(to: Double(newValue))) }
    }
    /// Always 1.
    public var minAvailableVideoZoomFactor: CGFloat { 1 }
    /// The largest zoom factor; 1 if the camera cannot zoom.
    public var maxAvailableVideoZoomFactor: CGFloat { CGFloat(rules.largestZoom) }
}
