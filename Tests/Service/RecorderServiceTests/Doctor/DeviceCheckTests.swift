import MediaTypes
import Testing

@testable import RecorderService
@testable import RecorderStorage

@Suite struct DeviceCheckTests {
    private func recorder(isRunning: Bool = false, process: Int32? = nil) -> DoctorRecorder {
        DoctorRecorder(configuration: RecordingConfiguration(), isRunning: isRunning, processID: process)
    }

    private func findings(
        _ camera: DeviceState, _ microphone: DeviceState = .unused, _ recorder: DoctorRecorder? = nil
    ) -> [DoctorFinding] {
        DeviceCheck.findings(recorder ?? self.recorder(), DeviceFacts(camera: camera, microphone: microphone))
    }

    @Test func findings_present_nameTheDevice() {
        let found = findings(
            .present(name: "/dev/video0", title: "C920"), .present(name: "default", title: "default"))
        #expect(found.map(\.text) == ["/dev/video0 (C920)", "default"])
        #expect(found.map(\.subject) == ["default: camera", "default: microphone"])
        #expect(found.allSatisfy { $0.verdict == .ok })
    }

    @Test func findings_noCamera_isAProblem() {
        let found = findings(.missing, .test)
        #expect(found.map(\.verdict) == [.problem, .ok] && found[0].wayOut?.contains("--camera none") == true)
    }

    @Test func findings_noMicrophone_isAProblemOnlyWithoutACamera() {
        #expect(findings(.test, .missing).map(\.verdict) == [.ok, .hint])
        #expect(findings(.unused, .missing).map(\.verdict) == [.problem])
    }

    @Test func findings_failed_keepTheCodeAndTheAdvice() {
        let error = MediaError(
            .notFound, "cannot open /dev/video9", reason: "no such camera", underlying: .errno(2), wayOut: "plug it in")
        let found = findings(.failed(error))
        #expect(found.count == 1 && found[0].verdict == .problem && found[0].wayOut == "plug it in")
        #expect(found[0].text == "cannot open /dev/video9: no such camera (ENOENT)")
    }

    @Test func findings_encoder_isListedOnlyIfOneIsConfigured() {
        var facts = DeviceFacts(camera: .test, microphone: .unused)
        #expect(DeviceCheck.findings(recorder(), facts).map(\.subject) == ["default: camera"])
        facts.encoder = .present(name: "/dev/video11", title: "bcm2835-codec-encode")
        #expect(DeviceCheck.findings(recorder(), facts).last?.text == "/dev/video11 (bcm2835-codec-encode)")
        facts.encoder = .missing
        let missing = DeviceCheck.findings(recorder(), facts).last
        #expect(missing?.verdict == .problem && missing?.wayOut == "write --encoder x264")
    }

    @Test func findings_busy_isNoProblemForTheRecorderItself() {
        let error = MediaError(
            .busy, "cannot open the microphone hw:0", reason: "in use by recorder (process 77)",
            wayOut: "run `fuser -v /dev/snd/*` to see which")
        let running = recorder(isRunning: true, process: 77)
        #expect(findings(.unused, .failed(error), running).map(\.verdict) == [.ok])
        #expect(findings(.unused, .failed(error), recorder(isRunning: true, process: 7)).map(\.verdict) == [.unknown])
        #expect(findings(.unused, .failed(error), recorder(isRunning: true)).map(\.verdict) == [.unknown])
        #expect(findings(.unused, .failed(error)).map(\.verdict) == [.problem])
    }

    @Test func findings_libcameraListsNone_isNoProblemForTheRecorderItself() {
        let error = MediaError(.notFound, "cannot find libcamera:imx708", reason: "libcamera lists no such camera")
        var running = recorder(isRunning: true)
        #expect(findings(.failed(error), .unused, running).map(\.verdict) == [.problem])
        running.configuration.camera = .libcamera("imx708")
        #expect(findings(.failed(error), .unused, running).map(\.verdict) == [.unknown])
        running.isRunning = false
        #expect(findings(.failed(error), .unused, running).map(\.verdict) == [.problem])
    }

    @Test func findings_noAnswer_isUnknownIfDevicesAreWanted() {
        #expect(DeviceCheck.findings(recorder(), nil).map(\.verdict) == [.unknown])
        var configuration = RecordingConfiguration()
        (configuration.camera, configuration.microphone) = (.test, .none)
        #expect(DeviceCheck.findings(DoctorRecorder(configuration: configuration), nil).isEmpty)
    }

    @Test func needsSoundCard_soundServer_isFalse() {
        var recorder = recorder()
        for (microphone, isNeeded) in [
            ("default", false), ("pipewire", false), ("hw:1,0", true), ("plughw:CARD=Webcam", true),
        ] {
            recorder.configuration.microphone = .named(microphone)
            #expect(recorder.needsSoundCard == isNeeded, "\(microphone)")
        }
        recorder.configuration.microphone = .first
        #expect(!recorder.needsSoundCard)
        recorder.configuration.camera = .none
        #expect(recorder.needsSoundCard)
    }
}
