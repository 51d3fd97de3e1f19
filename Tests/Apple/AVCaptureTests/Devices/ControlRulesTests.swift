import Capture
import Testing

@testable import AVCapture

@Suite struct ControlRulesTests {
    private let rules = ControlRules(FakeControls.all)
    private let none = ControlRules([])

    private func lines(_ outcome: ControlRules.Outcome) -> [String] {
        switch outcome {
        case .success(let change):
            (change.values + change.buttons).map { "\($0.name)=\($0.value)" } + change.forgotten.map { "-\($0)" }
        case .failure(let invalid): [invalid.reason]
        }
    }

    @Test func rules_cameraWithoutControls_supportsNothing() {
        #expect(!none.supports(.locked as AVCaptureDevice.FocusMode) && !none.supports(.continuousAutoFocus))
        #expect(!none.supports(.custom) && !none.supports(.continuousAutoExposure))
        #expect(!none.supports(.continuousAutoWhiteBalance) && none.largestZoom == 1 && none.exposureTimes == nil)
        #expect(lines(none.focus(.autoFocus)) == ["the camera has no control for it"])
        #expect(lines(none.focus(at: 0.5)) == ["the camera has no control for it"])
        #expect(lines(none.exposure(units: 5)) == ["the camera has no control for it"])
        #expect(lines(none.whiteBalance(temperature: 5000)) == ["the camera has no control for it"])
        #expect(lines(none.zoom(to: 1)) == [] && none.zoom([:]) == 1)
        #expect(none.focusMode([:]) == .locked && none.exposureMode([:], isLocked: false) == .locked)
    }

    @Test func focus_positions_areFromNearToFar() {
        #expect(lines(rules.focus(at: 1)) == ["focus_automatic_continuous=0", "focus_absolute=0"])
        #expect(lines(rules.focus(at: 0)) == ["focus_automatic_continuous=0", "focus_absolute=250"])
        // The step is 5.
        #expect(lines(rules.focus(at: 0.51)) == ["focus_automatic_continuous=0", "focus_absolute=125"])
        #expect(lines(rules.focus(at: 1.5)) == ["1.5 is not between 0 and 1"])
        #expect(rules.lensPosition([.focus: 250]) == 0 && rules.lensPosition([.focus: 0]) == 1)
        #expect(rules.lensPosition([.focus: 1000]) == 0 && rules.lensPosition([:]) == 0)
    }

    @Test func focus_automatic_forgetsThePosition() {
        #expect(lines(rules.focus(.continuousAutoFocus)) == ["focus_automatic_continuous=1", "-focus_absolute"])
        let once = ControlChange(
            values: [DeviceControl(name: "focus_automatic_continuous", value: 0)],
            buttons: [DeviceControl(name: "auto_focus_start", value: 1)])
        #expect(rules.focus(.autoFocus) == .success(once))
    }

    @Test func exposure_modes_areItemsOfTheMenu() {
        #expect(lines(rules.exposure(.continuousAutoExposure)) == ["auto_exposure=3", "-exposure_time_absolute"])
        #expect(lines(rules.exposure(.locked)) == ["auto_exposure=1"])
        #expect(lines(rules.exposure(units: 100)) == ["auto_exposure=1", "exposure_time_absolute=100"])
        #expect(lines(rules.exposure(units: nil)) == ["auto_exposure=1"])
        let tooShort = lines(rules.exposure(units: 2))
        #expect(tooShort == ["the exposure is not between 3 and 2047 units of 100 µs"])
        #expect(!rules.supports(.autoExpose) && rules.exposureTimes == 3...2047)
        #expect(rules.exposureMode([.exposureMode: 3], isLocked: true) == .continuousAutoExposure)
        #expect(rules.exposureMode([.exposureMode: 1], isLocked: true) == .locked)
        #expect(rules.exposureMode([.exposureMode: 1], isLocked: false) == .custom)
        // A camera whose iris is automatic too.
        let iris = ControlRules([
            CameraControl("auto_exposure", role: .exposureMode, from: 0, to: 3, choices: [0: 0, 1: 1, 3: 3])
        ])
        #expect(lines(iris.exposure(.continuousAutoExposure)) == ["auto_exposure=0"] && !iris.supports(.custom))
    }

    @Test func exposure_bias_isTheNearestOfTheMenu() {
        #expect(rules.exposureBiases == [-2, -1, 0, 1, 2] && rules.exposureBias([.exposureBias: 1]) == -1)
        #expect(lines(rules.exposure(bias: 0.8)) == ["auto_exposure_bias=3"])
        #expect(lines(rules.exposure(bias: 2.5)) == ["the bias 2.5 is not between -2.0 and 2.0"])
    }

    @Test func whiteBalance_temperature_endsTheAutomaticOne() {
        let warm = ["white_balance_automatic=0", "white_balance_temperature=3010"]
        #expect(lines(rules.whiteBalance(temperature: 3007)) == warm)
        #expect(lines(rules.whiteBalance(temperature: 9000)) == ["9000.0 K is not between 2000 and 6500"])
        let automatic = ["white_balance_automatic=1", "-white_balance_temperature"]
        #expect(lines(rules.whiteBalance(.continuousAutoWhiteBalance)) == automatic)
        #expect(lines(rules.whiteBalance(.locked)) == ["white_balance_automatic=0"])
        #expect(!rules.supports(.autoWhiteBalance))
        #expect(rules.whiteBalanceMode([.automaticWhiteBalance: 1]) == .continuousAutoWhiteBalance)
    }

    @Test func zoom_factor_isARatioOfFocalLengths() {
        #expect(rules.largestZoom == 5 && rules.zoom([.zoom: 250]) == 2.5)
        #expect(lines(rules.zoom(to: 2)) == ["zoom_absolute=200"])
        #expect(lines(rules.zoom(to: 6)) == ["the factor 6.0 is not between 1 and 5.0"])
        #expect(lines(rules.zoom(to: .nan)) == ["the factor nan is not between 1 and 5.0"])
        let unclear = ControlRules([CameraControl("zoom_absolute", role: .zoom, from: 0, to: 10)])
        #expect(unclear.largestZoom == 1 && unclear.zoom([.zoom: 5]) == 1)
    }

    @Test func rules_readOnlyControl_isNone() {
        let fixed = ControlRules([CameraControl("focus", role: .focus, from: 0, to: 9, isReadOnly: true)])
        #expect(!fixed.has(.focus))
    }
}
