public import AVFoundation
public import Foundation
import MediaTypes

/// Exposure, set by the camera's controls.
extension AVCaptureDevice {
    public enum ExposureMode: Int, Sendable {
        case locked = 0
        /// Sets the exposure once and keeps it. Never supported, because V4L2 has no such mode.
        case autoExpose = 1
        case continuousAutoExposure = 2
        /// Uses the exposure time that a program has set.
        case custom = 3
    }

    /// The duration for `setExposureModeCustom` that keeps the current exposure time.
    public static let currentExposureDuration = CMTime.invalid
    /// The ISO for `setExposureModeCustom` that keeps the current sensitivity.
    public static let currentISO: Float = .greatestFiniteMagnitude
    /// The bias for `setExposureTargetBias` that keeps the current bias.
    public static let currentExposureTargetBias: Float = .greatestFiniteMagnitude

    public func isExposureModeSupported(_ exposureMode: ExposureMode) -> Bool { rules.supports(exposureMode) }

    /// The mode, as the camera reports it. Setting it requires the configuration lock and a supported mode. With
    /// `.locked`, a camera uses its own manual exposure time, which is usually that of the last frame before the lock.
    public var exposureMode: ExposureMode {
        get { rules.exposureMode(controlValues, isLocked: state.withLock { $0.isExposureLocked }) }
        set { setExposure(rules.exposure(newValue), isLocked: newValue == .locked) }
    }

    /// The exposure time; `.invalid` if it is unknown.
    public var exposureDuration: CMTime {
        guard let units = controlValues[.exposureTime] else { return .invalid }
        return CMTime(value: units, timescale: ControlRules.unitsPerSecond)
    }

    /// Sets the exposure time, rounded to 100 µs. Requires the configuration lock.
    ///
    /// - Parameters:
    ///   - duration: A time within the limits of the active format, or `currentExposureDuration` to keep the current
    ///     time.
    ///   - ISO: Has no effect. V4L2 cameras have a gain without a unit instead, which `setControl(_:to:)` sets.
    ///   - handler: Called with the time of the change after the camera has the value. If the change is refused, the
    ///     handler is not called, and the session reports a runtime error.
    @preconcurrency
    public func setExposureModeCustom(
        duration: CMTime, iso ISO: Float, completionHandler handler: (@Sendable (CMTime) -> Void)? = nil
    ) {
        let units = duration.isNumeric ? duration.media.ticks(in: ControlRules.unitsPerSecond) : nil
        if setExposure(rules.exposure(units: units), isLocked: false) { report(handler) }
    }

    /// - Returns: false if the change is refused.
    @discardableResult
    private func setExposure(_ outcome: ControlRules.Outcome, isLocked: Bool) -> Bool {
        guard change("exposureMode", outcome) else { return false }
        state.withLock { $0.isExposureLocked = isLocked }
        return true
    }

    /// Always 0: V4L2 cameras have a gain without a unit instead of an ISO value.
    public var iso: Float { 0 }

    // MARK: Bias

    /// The bias of the automatic exposure, in EV.
    public var exposureTargetBias: Float { rules.exposureBias(controlValues) }
    /// The lowest bias in EV; 0 if the camera has no control for it.
    public var minExposureTargetBias: Float { rules.exposureBiases.first ?? 0 }
    /// The highest bias in EV; 0 if the camera has no control for it.
    public var maxExposureTargetBias: Float { rules.exposureBiases.last ?? 0 }

    /// Sets the nearest bias that the camera has. Requires the configuration lock.
    ///
    /// - Parameter handler: Called with the time of the change after the camera has the value. If the change is
    ///   refused, the handler is not called, and the session reports a runtime error.
    @preconcurrency
    public func setExposureTargetBias(
        _ bias: Float, completionHandler handler: (@Sendable (CMTime) -> Void)? = nil
    ) {
        let isCurrent = bias == Self.currentExposureTargetBias
        if isCurrent || change("exposureTargetBias", rules.exposure(bias: bias)) { report(handler) }
    }

    /// Always false: V4L2 has no such control.
    public var isExposurePointOfInterestSupported: Bool { false }
    /// Always the center. Setting it has no effect.
    public var exposurePointOfInterest: CGPoint {
        get { CGPoint(x: 0.5, y: 0.5) }
        set {}
    }
    /// Always false: cameras do not report when they adjust the exposure.
    public var isAdjustingExposure: Bool { false }
}

extension AVCaptureDevice.Format {
    /// The shortest exposure time; `.invalid` if the exposure time cannot be set.
    public var minExposureDuration: CMTime { Self.time(exposureTimes?.lowerBound) }
    /// The longest exposure time; `.invalid` if the exposure time cannot be set. A time longer than a frame lowers the
    /// frame rate.
    public var maxExposureDuration: CMTime { Self.time(exposureTimes?.upperBound) }
    /// Always 0, like the device's `iso`.
    public var minISO: Float { 0 }
    /// Always 0, like the device's `iso`.
    public var maxISO: Float { 0 }

    private static func time(_ units: Int64?) -> CMTime {
        units.map { CMTime(value: $0, timescale: ControlRules.unitsPerSecond) } ?? .invalid
    }
}
