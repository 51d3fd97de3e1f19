import MediaCodecs
import MediaTypes
import Testing

@testable import RecorderService

/// The test of encoders in `recorder doctor --report`.
@Suite struct EncoderTrialTests {
    private static var settings: VideoSettings {
        var settings = VideoSettings(
            width: EncoderTrial.size.width, height: EncoderTrial.size.height, rateControl: .bitRate(4_000_000),
            preset: "ultrafast", expectedFrameRate: 30, maximumBFrames: 0)
        settings.lookAhead = 0
        return settings
    }

    @Test func run_encoder_accountsForEveryFrame() {
        let trial = EncoderTrial.run("/dev/video11") { () throws(MediaError) in
            try H264Encoder(settings: Self.settings, color: .bt709, timeScale: 90_000, isRealTime: true)
        }
        #expect(trial.frames == 150 && trial.packets == 150 && trial.lost == 0 && trial.isOrdered)
        #expect(trial.error == nil && trial.bytes > 1000 && trial.keyframes >= 2 && trial.slowest <= trial.seconds)
        #expect(trial.text.hasPrefix("test of /dev/video11: 150 frames of 1280x720, 150 packets, 0 lost, "))
        #expect(trial.text.contains("; profile "))
    }

    @Test func run_encoderThatCannotBeOpened_hasTheError() {
        let trial = EncoderTrial.run("/dev/video11") { () throws(MediaError) in
            throw MediaError(.busy, "cannot open the encoder /dev/video11", reason: "it is in use")
        }
        #expect(trial.frames == 0 && trial.error?.code == .busy && trial.profile == nil)
        #expect(trial.text.hasSuffix("; cannot open the encoder /dev/video11: it is in use"))
    }

    @Test func report_boardAndTests_areInTheFullTextOnly() {
        let trial = EncoderTrial(device: "/dev/video11", error: MediaError(.busy, "cannot open", reason: "in use"))
        let system = SystemFacts(user: "ana", kernel: nil, release: nil)
        let report = DoctorReport(system: system, checks: [], devices: nil, board: "Board 4", trials: [trial])
        #expect(report.fullText.contains("\nboard: Board 4\n") && report.fullText.contains("test of /dev/video11: "))
        let late = DoctorReport(system: system, checks: [], devices: nil, trials: nil)
        #expect(late.fullText.contains("the encoders do not answer") && !late.fullText.contains("board"))
        #expect(!DoctorReport(system: system, checks: [], devices: nil).fullText.contains("encoders"))
    }

    @Test(
        arguments: [
            ("Raspberry Pi 4 Model B Rev 1.4\0", "Raspberry Pi 4 Model B Rev 1.4"), ("KVM\n", "KVM"), ("", nil),
            ("\0", nil),
            ("a\u{1B}[1m", "a?[1m"),
        ] as [(String, String?)])
    func board_text_isItsFirstLine(text: String, model: String?) {
        #expect(BoardFacts.text(of: Array(text.utf8)) == model)
    }
}
