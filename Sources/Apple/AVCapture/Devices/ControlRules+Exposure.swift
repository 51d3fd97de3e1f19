import Capture

/// Exposure. V4L2 has exposure times in units of 100 µs.
extension ControlRules {
    static let unitsPerSecond: Int32 = 10_000

    /// The value of the V4L2 menu control for automatic exposure, or nil. Fully automatic (0) is preferred to automatic
    /// time with manual aperture (3).
    ///
    /// For a lens with a fixed aperture, both values mean the same.
    private var automaticExposure: Int64? {
        controls[.exposureMode].flatMap { control in [0, 3].first { control.choices[$0] != nil } }
    }

    private var canBeManual: Bool { controls[.exposureMode]?.choices[1] != nil }

    func supports(_ mode: AVCaptureDevice.ExposureMode) -> Bool {
        switch mode {
        case .locked: canBeManual
        case .autoExpose: false
        case .continuousAutoExposure: automaticExposure != nil
        case .custom: canBeManual && has(.exposureTime)
        }
    }

    /// - Parameter isLocked: True if a program locked the exposure without setting an exposure time.
    func exposureMode(_ values: Values, isLocked: Bool) -> AVCaptureDevice.ExposureMode {
        guard values[.exposureMode] == 1 else { return has(.exposureMode) ? .continuousAutoExposure : .locked }
        return isLocked || !has(.exposureTime) ? .locked : .custom
    }

    func exposure(_ mode: AVCaptureDevice.ExposureMode) -> Outcome {
        guard supports(mode), let control = controls[.exposureMode] else { return Self.missing }
        guard mode == .continuousAutoExposure, let automaticExposure else {
            return .success(ControlChange(values: [setting(control, 1)]))
        }
        return .success(automatic(.exposureMode, automaticExposure, forgetting: .exposureTime))
    }

    /// The shortest and the longest exposure time, in units of 100 µs; nil if the time cannot be set.
    var exposureTimes: ClosedRange<Int64>? {
        guard canBeManual, let control = controls[.exposureTime], control.minimum <= control.maximum else { return nil }
        return control.minimum...control.maximum
    }

    /// - Parameter units: The exposure time in units of 100 µs, or nil to keep the current time.
    func exposure(units: Int64?) -> Outcome {
        guard supports(.custom), let mode = controls[.exposureMode], let time = controls[.exposureTime] else {
            return Self.missing
        }
        guard let units else { return .success(ControlChange(values: [setting(mode, 1)])) }
        guard units >= time.minimum, units <= time.maximum else {
            return Self.invalid(
                "the exposure is not between \(time.minimum) and \(time.maximum) units of 100 µs")
        }
        let value = time.nearest(to: Double(units))
        return .success(ControlChange(values: [setting(mode, 1), setting(time, value)]))
    }

    // MARK: Bias

    /// The biases in EV that the camera supports, the lowest first; empty if the camera has no control for the bias.
    var exposureBiases: [Float] {
        (controls[.exposureBias]?.choices.values).map { $0.map { Float($0) / 1000 }.sorted() } ?? []
    }

    /// Returns the bias in EV; 0 if it is unknown.
    func exposureBias(_ values: Values) -> Float {
        guard let value = values[.exposureBias], let bias = controls[.exposureBias]?.choices[value] else { return 0 }
        return Float(bias) / 1000
    }

    func exposure(bias: Float) -> Outcome {
        guard let control = controls[.exposureBias], let lowest = exposureBiases.first,
            let highest = exposureBiases.last
        else { return Self.missing }
        guard bias >= lowest, bias <= highest else {
            return Self.invalid("the bias \(bias) is not between \(lowest) and \(highest)")
        }
        func distance(_ choice: (key: Int64, value: Int64)) -> (Float, Int64) {
            ((Float(choice.value) / 1000 - bias).magnitude, choice.key)
        }
        guard let nearest = control.choices.min(by: { distance($0) < distance($1) }) else { return Self.missing }
        return .success(ControlChange(values: [setting(control, nearest.key)]))
    }
}
