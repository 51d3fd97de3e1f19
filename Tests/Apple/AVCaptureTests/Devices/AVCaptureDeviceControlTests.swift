import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AVCapture

@Suite struct AVCaptureDeviceControlTests {
    private let fake: FakeSession
    private var camera: AVCaptureDevice { fake.camera }
    private var calls: [String] { fake.hardware.controls.calls }

    init() throws { fake = try FakeSession() }

    private func configure(_ body: () -> Void) throws {
        try camera.lockForConfiguration()
        body()
        camera.unlockForConfiguration()
    }

    private var fault: String? { camera.state.withLock { $0.fault?.reason } }

    @Test func focus_camera_isSetAndRead() async throws {
        #expect(camera.isFocusModeSupported(.autoFocus) && !fake.microphone.isFocusModeSupported(.locked))
        #expect(camera.isLockingFocusWithCustomLensPositionSupported && camera.focusMode == .continuousAutoFocus)
        let time = Locked<CMTime?>(nil)
        try configure {
            camera.setFocusModeLocked(lensPosition: 0.2) { done in time.withLock { $0 = done } }
        }
        #expect(camera.focusMode == .locked && abs(camera.lensPosition - 0.2) < 0.001)
        try await waitUntil { time.withLock { $0?.isNumeric } == true }
        try configure {
            camera.focusMode = .continuousAutoFocus
            camera.setFocusModeLocked(lensPosition: AVCaptureDevice.currentLensPosition)
        }
        #expect(
            calls == [
                "focus_automatic_continuous=0", "focus_absolute=200", "focus_automatic_continuous=1",
                "focus_automatic_continuous=0",
            ])
        #expect(!camera.isFocusPointOfInterestSupported && !camera.isAdjustingFocus)
        camera.focusPointOfInterest = CGPoint(x: 0, y: 0)
        #expect(camera.focusPointOfInterest == CGPoint(x: 0.5, y: 0.5))
    }

    @Test func exposure_camera_isSetAndRead() async throws {
        #expect(camera.isExposureModeSupported(.custom) && camera.exposureMode == .continuousAutoExposure)
        let format = camera.activeFormat
        #expect(format.minExposureDuration == CMTime(value: 3, timescale: 10_000))
        #expect(format.maxExposureDuration == CMTime(value: 2047, timescale: 10_000))
        #expect(fake.microphone.activeFormat.minExposureDuration == .invalid)
        let time = Locked<CMTime?>(nil)
        try configure {
            camera.setExposureModeCustom(
                duration: CMTime(value: 1, timescale: 100), iso: AVCaptureDevice.currentISO
            ) { done in
                time.withLock { $0 = done }
            }
        }
        #expect(camera.exposureMode == .custom && camera.exposureDuration.seconds == 0.01)
        try await waitUntil { time.withLock { $0 } != nil }
        try configure { camera.exposureMode = .locked }
        #expect(camera.exposureMode == .locked)
        let current = AVCaptureDevice.currentExposureDuration
        try configure { camera.setExposureModeCustom(duration: current, iso: 0) }
        #expect(camera.exposureMode == .custom && camera.exposureDuration.seconds == 0.01)
        #expect(camera.iso == 0 && format.minISO == 0 && format.maxISO == 0)
        #expect(!camera.isExposurePointOfInterestSupported && !camera.isAdjustingExposure)
        camera.exposurePointOfInterest = CGPoint(x: 1, y: 1)
        #expect(camera.exposurePointOfInterest == CGPoint(x: 0.5, y: 0.5))
    }

    @Test func exposureBias_camera_isSetAndRead() throws {
        #expect(camera.minExposureTargetBias == -2 && camera.maxExposureTargetBias == 2)
        try configure {
            camera.setExposureTargetBias(0.9)
            camera.setExposureTargetBias(AVCaptureDevice.currentExposureTargetBias)
        }
        #expect(camera.exposureTargetBias == 1 && calls == ["auto_exposure_bias=3"])
    }

    @Test func whiteBalance_camera_isSetAndRead() throws {
        #expect(camera.isWhiteBalanceModeSupported(.continuousAutoWhiteBalance))
        #expect(camera.whiteBalanceMode == .continuousAutoWhiteBalance)
        try configure { camera.whiteBalanceMode = .locked }
        #expect(camera.whiteBalanceMode == .locked && camera.whiteBalanceTemperature == 4000)
        try configure { camera.setWhiteBalance(temperature: 5200) }
        #expect(camera.whiteBalanceTemperature == 5200)
        #expect(!camera.isLockingWhiteBalanceWithCustomDeviceGainsSupported && !camera.isAdjustingWhiteBalance)
    }

    @Test func zoom_camera_isSetAndRead() throws {
        #expect(camera.minAvailableVideoZoomFactor == 1 && camera.maxAvailableVideoZoomFactor == 5)
        #expect(camera.activeFormat.videoMaxZoomFactor == 5 && camera.videoZoomFactor == 1)
        try configure { camera.videoZoomFactor = 2.5 }
        #expect(camera.videoZoomFactor == 2.5 && calls == ["zoom_absolute=250"])
    }

    @Test func control_withoutTheLockOrInvalid_isKeptAsFault() throws {
        camera.videoZoomFactor = 2
        #expect(calls.isEmpty && fault?.contains("not locked") == true)
        try configure { camera.videoZoomFactor = 9 }
        #expect(calls.isEmpty && fault?.contains("not between 1 and 5") == true)
        try fake.microphone.lockForConfiguration()
        fake.microphone.setControl("gain", to: 1)
        fake.microphone.unlockForConfiguration()
        #expect(fake.microphone.state.withLock { $0.fault?.reason } == "a microphone has no controls")
    }

    @Test func control_runningSession_isSetWithoutOpeningTheCameraAgain() async throws {
        fake.session.addOutput(AVCaptureVideoDataOutput())
        try configure { camera.setControl("sharpness", to: 5) }
        fake.session.startRunning()
        try configure { camera.videoZoomFactor = 2 }
        #expect(calls == ["sharpness=5", "zoom_absolute=200"] && fake.hardware.camera.sources.count == 1)
        // A change of the session does not open it again either.
        fake.session.addOutput(AVCaptureVideoDataOutput())
        #expect(fake.hardware.camera.sources.count == 1)
        fake.source.frame(at: 1000)
        fake.source.send(.gone(FakeDevice.unplugged))
        fake.session.retryDevices()
        try await waitUntil { fake.hardware.controls.openings.count == 2 }
        #expect(fake.hardware.controls.openings == [["sharpness=5"], ["sharpness=5", "zoom_absolute=200"]])
        fake.session.stopRunning()
    }

    @Test func control_automaticAgain_isNotSetAtTheNextOpening() throws {
        fake.session.addOutput(AVCaptureVideoDataOutput())
        try configure {
            camera.setFocusModeLocked(lensPosition: 0.2)
            camera.focusMode = .continuousAutoFocus
        }
        fake.session.startRunning()
        #expect(fake.hardware.controls.openings == [["focus_automatic_continuous=1"]])
        fake.session.stopRunning()
    }

    @Test func control_lockedAfterAValue_isSetBeforeItAtTheNextOpening() throws {
        fake.session.addOutput(AVCaptureVideoDataOutput())
        try configure {
            camera.setFocusModeLocked(lensPosition: 0.2)
            camera.focusMode = .locked
        }
        fake.session.startRunning()
        #expect(fake.hardware.controls.openings == [["focus_automatic_continuous=0", "focus_absolute=200"]])
        fake.session.stopRunning()
    }

    @Test func control_cameraAway_isSetWhenItIsBack() throws {
        fake.hardware.controls.refuse(FakeDevice.missing)
        try configure { camera.videoZoomFactor = 2 }
        #expect(fault == nil && camera.videoZoomFactor == 2)
        fake.session.addOutput(AVCaptureVideoDataOutput())
        fake.session.startRunning()
        #expect(fake.hardware.controls.openings == [["zoom_absolute=200"]])
        fake.session.stopRunning()
    }

    @Test func control_driverRefuses_isAFaultAndForgotten() throws {
        fake.hardware.controls.refuse(MediaError(.busy, "cannot set zoom", reason: "another control locks it"))
        try configure { camera.videoZoomFactor = 2 }
        #expect(fault?.contains("another control locks it") == true)
        #expect(camera.state.withLock { $0.controls }.isEmpty)
    }

    @Test func handler_refusedChange_isNotCalled() async throws {
        let refused = Locked(0)
        let count: @Sendable (CMTime) -> Void = { _ in refused.withLock { $0 += 1 } }
        let duration = CMTime(value: 1, timescale: 100)
        camera.setFocusModeLocked(lensPosition: 0.2, completionHandler: count)
        camera.setExposureModeCustom(duration: duration, iso: 0, completionHandler: count)
        camera.setExposureTargetBias(1, completionHandler: count)
        fake.hardware.controls.refuse(MediaError(.busy, "cannot set", reason: "another control locks it"))
        try configure {
            camera.setExposureModeCustom(duration: duration, iso: 0, completionHandler: count)
            camera.exposureMode = .locked
        }
        #expect(camera.exposureMode == .continuousAutoExposure)
        // The current value is accepted. Its handler is called after those of earlier calls would have been.
        let accepted = Locked(false)
        try configure {
            camera.setExposureTargetBias(AVCaptureDevice.currentExposureTargetBias) { _ in
                accepted.withLock { $0 = true }
            }
        }
        try await waitUntil { accepted.withLock { $0 } }
        #expect(refused.withLock { $0 } == 0)
    }
}
