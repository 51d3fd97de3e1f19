import Capture
import MediaTypes
import RecorderService
import RecorderStorage
import Testing

/// A camera with several inputs, whose signals are lost and change while a keeper holds it.
@Suite(.serialized) struct CameraInputVirtualInputs {
    private static let ntscRate = FrameRate(30_000, per: 1001)
    private static let vgaRate = FrameRate(60_000, per: 1001)

    private func keeper(_ input: String?) throws -> DeviceKeeper {
        var configuration = RecordingConfiguration()
        configuration.camera = .named(LabSignal.path)
        configuration.microphone = .none
        configuration.cameraInput = input
        return try #require(try DeviceOpener().openKeepers(configuration).camera)
    }

    private func size(_ format: FormatDescription?) -> FrameSize? {
        format?.video.map { FrameSize($0.width, $0.height) }
    }

    /// Expects that delivered and dropped frames fill the elapsed time.
    private func expectAccount(_ state: KeeperLog.State, at rate: FrameRate, absences: Int64) {
        let lost = state.lost[.device] ?? 0
        let all = state.capturedFrames(at: rate.framesPerSecond)
        #expect(abs(Int64(state.samples.count) + lost - all) <= absences, "\(state.samples.count) + \(lost) of \(all)")
    }

    @Test func camera_hdmiInput_isRecordedAtItsTimings() throws {
        try LabSignal.show("1280x720p50")
        let keeper = try keeper("HDMI")
        #expect(size(keeper.format) == FrameSize(1280, 720))
        #expect(keeper.frameRate == FrameRate(50))
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        #expect(log.waitsForMore(100))
        keeper.stop()
        #expect(log.now.gone.isEmpty)
        expectAccount(log.now, at: FrameRate(50), absences: 0)
    }

    @Test(arguments: [(1, "no signal at its input"), (2, "is unstable"), (3, "is out of range")])
    func camera_signalLost_isAwayWithItsCauseUntilItIsBack(mode: Int, cause: String) throws {
        try LabSignal.show("640x480p59")
        let keeper = try keeper("HDMI")
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        #expect(log.waitsForMore(60))
        try LabSignal.lose(mode)
        #expect(log.waits(atMost: 5) { $0.gone.count == 1 })
        #expect(log.now.gone.first?.reason.contains(cause) == true, "\(log.now.gone)")
        LabSignal.hold(seconds: 5)
        if case .away(_, let error) = keeper.state {
            #expect(error.reason.contains(cause), "\(error)")
        } else {
            Issue.record("\(keeper.state)")
        }
        try LabSignal.show("640x480p59")
        #expect(log.waits(atMost: 10) { $0.returns.count == 1 })
        #expect(log.waitsForMore(60))
        keeper.stop()
        #expect(log.now.gone.count == 1 && log.now.returns.count == 1)
        expectAccount(log.now, at: Self.vgaRate, absences: 1)
    }

    @Test func camera_signalOfAnotherSize_returnsWithIt() throws {
        try LabSignal.show("1280x720p50")
        let keeper = try keeper("HDMI")
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        #expect(log.waitsForMore(50))
        try LabSignal.show("640x480p59")
        #expect(log.waits(atMost: 10) { $0.returns.count == 1 })
        #expect(log.waitsForMore(60))
        #expect(log.now.gone.map(\.reason) == ["the input's signal changed to 640x480"])
        #expect(size(log.now.returns.first?.format) == FrameSize(640, 480))
        #expect(keeper.frameRate == Self.vgaRate)
        keeper.stop()
    }

    @Test func camera_sourceChangeWithTheSameTimings_startsAgain() throws {
        try LabSignal.show("640x480p59")
        let keeper = try keeper("HDMI")
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        #expect(log.waitsForMore(60))
        try LabSignal.interrupt()
        #expect(log.waits(atMost: 10) { $0.returns.count == 1 })
        #expect(log.waitsForMore(60))
        keeper.stop()
        #expect(log.now.gone.map(\.reason) == ["the input's signal was interrupted"])
        expectAccount(log.now, at: Self.vgaRate, absences: 1)
    }

    @Test func camera_sVideoInput_followsItsStandard() throws {
        try LabSignal.showPAL()
        let keeper = try keeper("S-Video")
        #expect(size(keeper.format) == FrameSize(720, 576))
        #expect(keeper.frameRate == FrameRate(25))
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        #expect(log.waitsForMore(25))
        try LabSignal.loseAnalog()
        #expect(log.waits(atMost: 5) { $0.gone.count == 1 })
        #expect(log.now.gone.first?.reason.contains("no signal at its input") == true, "\(log.now.gone)")
        try LabSignal.showNTSC()
        #expect(log.waits(atMost: 10) { $0.returns.count == 1 })
        #expect(log.waitsForMore(25))
        #expect(size(log.now.returns.first?.format) == FrameSize(720, 480))
        #expect(keeper.frameRate == Self.ntscRate)
        keeper.stop()
    }

    @Test func camera_noSignalAtTheBeginning_isAnError() throws {
        try LabSignal.lose()
        defer { try? LabSignal.show("640x480p59") }
        let error = #expect(throws: MediaError.self) { try keeper("HDMI") }
        #expect(error?.code == .deviceLost && error?.underlying == .errno(67), "\(String(describing: error))")
    }

    @Test func camera_unknownInput_isRefusedWithTheList() throws {
        let error = #expect(throws: MediaError.self) { try keeper("VGA") }
        #expect(error?.code == .invalidSettings)
        for name in ["0 (Webcam", "1 (S-Video", "2 (HDMI"] {
            #expect(error?.wayOut.contains(name) == true, "\(String(describing: error))")
        }
    }

    @Test func camera_noSetting_keepsItsInput() throws {
        try LabSignal.select(0)
        let keeper = try keeper(nil)
        keeper.stop()
        #expect(try Program.run("v4l2-ctl", ["-d", LabSignal.path, "-I"]).text.contains(": 0 ("))
    }

    @Test func devices_severalInputs_areListed() throws {
        try LabSignal.show("640x480p59")
        let lines = DeviceList.discover().text.split(separator: "\n").filter { $0.hasPrefix("    input ") }
        #expect(lines.count == 3)
        #expect(lines.first?.hasPrefix("    input 0  Webcam") == true && lines.first?.hasSuffix("camera") == true)
        #expect(lines.last?.hasSuffix("digital video, current, signal present") == true, "\(lines)")
    }
}
