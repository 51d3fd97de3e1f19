import Capture

/// A change of a camera's controls: values to set, in this order.
struct ControlChange: Sendable, Equatable {
    /// The values to set now, and again each time that the camera is opened.
    var values: [DeviceControl]
    /// The button controls to press now, after the values are set.
    var buttons: [DeviceControl] = []
    /// The controls that an automatic mode now sets. They are not set again when the camera is opened, because the
    /// driver would refuse that.
    var forgotten: [String] = []
}

/// The reason why a camera cannot have a value.
struct InvalidControl: Error, Equatable { let reason: String }

/// Translates focus, exposure, white balance and zoom into the controls of a camera. A plain value.
///
/// Source: the Linux media API, Camera Control Reference and User Controls.
struct ControlRules: Sendable {
    typealias Role = CameraControl.Role
    typealias Values = [CameraControl.Role: Int64]
    typealias Outcome = Result<ControlChange, InvalidControl>

    let controls: [Role: CameraControl]

    init(_ all: [CameraControl]) {
        var controls: [Role: CameraControl] = [:]
        for control in all where !control.isReadOnly {
            if let role = control.role, controls[role] == nil { controls[role] = control }
        }
        self.controls = controls
    }

    // MARK: Focus

    func supports(_ mode: AVCaptureDevice.FocusMode) -> Bool {
        switch mode {
        case .locked: has(.automaticFocus) || has(.focus)
        case .autoFocus: has(.focusOnce)
        case .continuousAutoFocus: has(.automaticFocus)
        }
    }

    func focusMode(_ values: Values) -> AVCaptureDevice.FocusMode {
        values[.automaticFocus] == 1 ? .continuousAutoFocus : .locked
    }

    func focus(_ mode: AVCaptureDevice.FocusMode) -> Outcome {
        guard supports(mode) else { return Self.missing }
        switch mode {
        case .locked: return .success(ControlChange(values: manual(.automaticFocus)))
        case .autoFocus: return .success(press(.focusOnce, after: manual(.automaticFocus)))
        case .continuousAutoFocus: return .success(automatic(.automaticFocus, 1, forgetting: .focus))
        }
    }

    /// Returns the position of the lens from 0, the nearest, to 1, the farthest; 0 if it is unknown.
    func lensPosition(_ values: Values) -> Float {
        guard let control = controls[.focus], let value = values[.focus], control.maximum > control.minimum else {
            return 0
        }
        let share = (Double(value) - Double(control.minimum)) / (Double(control.maximum) - Double(control.minimum))
        return Float(1 - min(max(share, 0), 1))
    }

    func focus(at lensPosition: Float) -> Outcome {
        guard let control = controls[.focus] else { return Self.missing }
        guard (0...1).contains(lensPosition) else { return Self.invalid("\(lensPosition) is not between 0 and 1") }
        let range = Double(control.maximum) - Double(control.minimum)
        let value = control.nearest(to: Double(control.minimum) + Double(1 - lensPosition) * range)
        return .success(ControlChange(values: manual(.automaticFocus) + [setting(control, value)]))
    }

    // MARK: White balance

    func supports(_ mode: AVCaptureDevice.WhiteBalanceMode) -> Bool {
        switch mode {
        case .locked: has(.automaticWhiteBalance) || has(.whiteBalanceTemperature)
        case .autoWhiteBalance: has(.whiteBalanceOnce)
        case .continuousAutoWhiteBalance: has(.automaticWhiteBalance)
        }
    }

    func whiteBalanceMode(_ values: Values) -> AVCaptureDevice.WhiteBalanceMode {
        values[.automaticWhiteBalance] == 1 ? .continuousAutoWhiteBalance : .locked
    }

    func whiteBalance(_ mode: AVCaptureDevice.WhiteBalanceMode) -> Outcome {
        guard supports(mode) else { return Self.missing }
        switch mode {
        case .locked: return .success(ControlChange(values: manual(.automaticWhiteBalance)))
        case .autoWhiteBalance: return .success(press(.whiteBalanceOnce, after: manual(.automaticWhiteBalance)))
        case .continuousAutoWhiteBalance:
            return .success(automatic(.automaticWhiteBalance, 1, forgetting: .whiteBalanceTemperature))
        }
    }

    func whiteBalance(temperature: Float) -> Outcome {
        guard let control = controls[.whiteBalanceTemperature] else { return Self.missing }
        guard control.contains(Double(temperature)) else {
            return Self.invalid("\(temperature) K is not between \(control.minimum) and \(control.maximum)")
        }
        let value = control.nearest(to: Double(temperature))
        return .success(ControlChange(values: manual(.automaticWhiteBalance) + [setting(control, value)]))
    }

    // MARK: Zoom

    /// The largest zoom factor: the longest focal length divided by the shortest.
    ///
    /// The factor is 1 if the camera cannot zoom, or if the values of its zoom control cannot be focal lengths.
    var largestZoom: Double {
        guard let control = controls[.zoom], control.minimum > 0, control.maximum > control.minimum else { return 1 }
        return Double(control.maximum) / Double(control.minimum)
    }

    func zoom(_ values: Values) -> Double {
        guard largestZoom > 1, let control = controls[.zoom], let value = values[.zoom] else { return 1 }
        return min(max(Double(value) / Double(control.minimum), 1), largestZoom)
    }

    func zoom(to factor: Double) -> Outcome {
        guard factor >= 1, factor <= largestZoom else {
            return Self.invalid("the factor \(factor) is not between 1 and \(largestZoom)")
        }
        guard largestZoom > 1, let control = controls[.zoom] else { return .success(ControlChange(values: [])) }
        return .success(
            ControlChange(values: [setting(control, control.nearest(to: factor * Double(control.minimum)))]))
    }

    // MARK: Parts

    static let missing = Outcome.failure(InvalidControl(reason: "the camera has no control for it"))

    static func invalid(_ reason: String) -> Outcome { .failure(InvalidControl(reason: reason)) }

    func has(_ role: Role) -> Bool { controls[role] != nil }

    /// The names of the mode controls. Their values decide whether other controls can be set.
    var modes: [String] {
        let roles: [Role] = [.automaticFocus, .exposureMode, .automaticWhiteBalance]
        return roles.compactMap { controls[$0]?.name }
    }

    func setting(_ control: CameraControl, _ value: Int64) -> DeviceControl {
        DeviceControl(name: control.name, value: value)
    }

    /// Returns the setting that ends an automatic mode; empty if the camera has no such mode.
    private func manual(_ role: Role) -> [DeviceControl] { controls[role].map { [setting($0, 0)] } ?? [] }

    func automatic(_ role: Role, _ value: Int64, forgetting manual: Role) -> ControlChange {
        ControlChange(
            values: controls[role].map { [setting($0, value)] } ?? [],
            forgotten: controls[manual].map { [$0.name] } ?? [])
    }

    private func press(_ button: Role, after manual: [DeviceControl]) -> ControlChange {
        ControlChange(values: manual, buttons: controls[button].map { [setting($0, 1)] } ?? [])
    }
}

extension CameraControl {
    func contains(_ value: Double) -> Bool { value >= Double(minimum) && value <= Double(maximum) }

    /// Returns the valid value that is nearest to `value`.
    func nearest(to value: Double) -> Int64 {
        guard value > Double(minimum) else { return minimum }
        guard value < Double(maximum) else { return maximum }
        let spacing = Double(max(1, step))
        let steps = ((value - Double(minimum)) / spacing).rounded()
        return min(maximum, Int64(exactly: Double(minimum) + steps * spacing) ?? maximum)
    }
}
