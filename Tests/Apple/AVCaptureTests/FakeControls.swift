import AVCapture
import Capture
import MediaTypes
import RealTime

/// The controls of a camera that the test controls, as a webcam has them.
final class FakeControls: Sendable {
    private struct State: Sendable {
        var values: [String: Int64] = [
            "focus_automatic_continuous": 1, "focus_absolute": 50, "auto_exposure": 3, "exposure_time_absolute": 156,
            "auto_exposure_bias": 2, "white_balance_automatic": 1, "white_balance_temperature": 4000,
            "zoom_absolute": 100, "sharpness": 3,
        ]
        var refusal: MediaError?
        var calls: [String] = []
        var openings: [[String]] = []
    }

    static let all = [
        CameraControl("focus_absolute", role: .focus, from: 0, to: 250, step: 5),
        CameraControl("focus_automatic_continuous", role: .automaticFocus, from: 0, to: 1),
        CameraControl("auto_focus_start", role: .focusOnce, from: 0, to: 0),
        CameraControl("auto_exposure", role: .exposureMode, from: 0, to: 3, choices: [1: 1, 3: 3]),
        CameraControl("exposure_time_absolute", role: .exposureTime, from: 3, to: 2047),
        CameraControl(
            "auto_exposure_bias", role: .exposureBias, from: 0, to: 4,
            choices: [0: -2000, 1: -1000, 2: 0, 3: 1000, 4: 2000]),
        CameraControl("white_balance_automatic", role: .automaticWhiteBalance, from: 0, to: 1),
        CameraControl("white_balance_temperature", role: .whiteBalanceTemperature, from: 2000, to: 6500, step: 10),
        CameraControl("zoom_absolute", role: .zoom, from: 100, to: 500),
        CameraControl("sharpness", role: nil, from: 0, to: 7),
    ]

    private let state = Locked(State())

    /// What programs have set, as `NAME=VALUE`.
    var calls: [String] { state.withLock { $0.calls } }
    /// What each opening of the camera has set.
    var openings: [[String]] { state.withLock { $0.openings } }

    /// Sets the error of calls from now on; nil allows them.
    func refuse(_ error: MediaError?) { state.withLock { $0.refusal = error } }

    func opened(with controls: [DeviceControl]) {
        state.withLock { $0.openings.append(controls.map { "\($0.name)=\($0.value)" }) }
    }

    var access: ControlAccess {
        ControlAccess { [self] () throws(MediaError) in
            let (values, refusal) = state.withLock { ($0.values, $0.refusal) }
            if let refusal { throw refusal }
            return Dictionary(
                uniqueKeysWithValues: Self.all.compactMap { control in
                    control.role.flatMap { role in values[control.name].map { (role, $0) } }
                })
        } set: { [self] controls throws(MediaError) in
            if let refusal = state.withLock({ $0.refusal }) { throw refusal }
            state.withLock { state in
                for control in controls {
                    state.values[control.name] = control.value
                    state.calls.append("\(control.name)=\(control.value)")
                }
            }
        }
    }
}
