import MediaTypes
import Testing

@testable import Capture

/// The choice of an input, and what drivers report about inputs.
@Suite struct CameraInputTests {
    private static let inputs = [
        CameraInput(0, "Webcam 000-0", isCurrent: true), CameraInput(1, "S-Video 000-0", hasStandards: true),
        CameraInput(2, "HDMI 000-0", hasTimings: true), CameraInput(3, "HDMI 000-1", hasTimings: true),
    ]

    @Test(arguments: [("2", 2), ("hdmi 000-1", 3), ("HDMI 000-0", 2), ("s-video", 1), ("webcam", 0)])
    func input_numberNameOrPart_isChosen(text: String, index: Int) throws {
        #expect(try CameraInput.chosen(text, among: Self.inputs, device: "/dev/video0").index == index)
    }

    @Test(arguments: [
        ("VGA", "it has no such input"), ("4", "it has no such input"), ("hdmi", "several inputs have that name"),
    ])
    func input_unknownOrUnclear_isRefusedWithTheList(text: String, reason: String) {
        let error = #expect(throws: MediaError.self) {
            try CameraInput.chosen(text, among: Self.inputs, device: "/dev/video0")
        }
        #expect(error?.code == .invalidSettings)
        #expect(
            error?.description == "cannot select the input \"\(text)\" of /dev/video0: \(reason); it has "
                + "0 (Webcam 000-0), 1 (S-Video 000-0), 2 (HDMI 000-0), 3 (HDMI 000-1)")
    }

    @Test func input_cameraWithoutInputs_isRefused() {
        let error = #expect(throws: MediaError.self) {
            try CameraInput.chosen("0", among: [], device: "/dev/video0")
        }
        #expect(error?.reason == "its driver reports no inputs" && error?.wayOut == "remove --camera-input")
    }

    @Test func input_capabilities_determineItsKind() {
        #expect(Self.inputs.map(\.kind) == [.camera, .analog, .digital, .digital])
        #expect(CameraInput(0, "TV", isTuner: true, hasStandards: true).kind == .tuner)
    }

    @Test(arguments: [
        (0x1, SignalFault.noPower), (0x2, .noSignal), (0x3, .noPower), (0x100, .unstable), (0x400, .unstable),
        (0x800, .unstable), (0x1_0000, .unstable), (0x4_0000, .unstable), (0x102, .noSignal),
    ])
    func status_withoutALock_isAFault(status: Int, fault: SignalFault) {
        #expect(SignalFault(status: UInt32(status)) == fault)
    }

    @Test(arguments: [0, 0x4, 0x10, 0x20, 0x200, 0x400_0000])
    func status_colorOrientationOrRecorder_isNoFault(status: Int) {
        #expect(SignalFault(status: UInt32(status)) == nil)
    }

    @Test func fault_inputThatIsNotCurrentOrHasNoSignal_isUnknown() {
        #expect(CameraInput(0, "HDMI", hasTimings: true, isCurrent: true, status: 2).fault == .noSignal)
        #expect(CameraInput(0, "HDMI", hasTimings: true, status: 2).fault == nil)
        #expect(CameraInput(0, "Webcam", isCurrent: true, status: 2).fault == nil)
    }

    @Test func fault_errnoOfAQuery_isMapped() {
        // ENOLINK, ENOLCK, EAGAIN, ERANGE, EBUSY.
        let faults: [SignalFault?] = [.noSignal, .unstable, .unstable, .outOfRange, nil]
        #expect([67, 37, 11, 34, 16].map { SignalFault(errno: $0) } == faults)
    }

    @Test func fault_asAnError_namesInputCodeAndRemedy() {
        let error = SignalFault.noSignal.error("cannot record from /dev/video0", input: "HDMI", cause: .errno(67))
        #expect(error.code == .deviceLost)
        #expect(
            error.description == "cannot record from /dev/video0: no signal at its input \"HDMI\" (ENOLINK); "
                + "switch the source on, and check its cable")
    }
}
