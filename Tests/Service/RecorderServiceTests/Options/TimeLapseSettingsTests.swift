import CommandInterface
import FakeDevices
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// `every` and `play-rate` in the table of settings.
@Suite struct TimeLapseSettingsTests {
    private func resolve(_ layers: [[(String, String)]]) throws(RecordingFailure) -> RecordingConfiguration {
        let layers = layers.enumerated().map { index, layer in
            layer.compactMap { key, text in
                RecordingSetting.named(key).map {
                    SettingAssignment($0, text, from: index == 0 ? .file("/f.yaml", line: 1) : .flag("--\(key)"))
                }
            }
        }
        return try EffectiveConfiguration.resolve(layers, name: .standard, file: nil).configuration
    }

    private func error(_ layers: [[(String, String)]]) -> String {
        do throws(RecordingFailure) {
            _ = try resolve(layers)
            return ""
        } catch { return error.description }
    }

    @Test func every_alone_recordsNoAudio() throws {
        let configuration = try resolve([[("every", "10s"), ("play-rate", "30")]])
        #expect(configuration.timeLapse == TimeLapse(every: milliseconds(10_000), playRate: FrameRate(30)))
        #expect(configuration.microphone == .none)
        let usual = try resolve([[]])
        #expect(usual.microphone == .first && usual.timeLapse == nil)
    }

    @Test func every_microphoneOfAWeakerSource_isLeftOut() throws {
        let configuration = try resolve([[("microphone", "test"), ("pre-roll", "10s")], [("every", "1m")]])
        #expect(configuration.microphone == .none && configuration.preRoll == nil)
        #expect(try resolve([[("microphone", "test"), ("every", "1m")], [("every", "none")]]).microphone == .test)
    }

    @Test(arguments: [
        ("microphone", "test", "--microphone none"), ("pre-roll", "10s", "--pre-roll"),
        ("pixel-format", "h264", "--pixel-format mjpeg"), ("camera", "none", "--camera"),
    ])
    func every_settingOfTheSameSource_isRefusedWithTheReason(key: String, text: String, expected: String) {
        let message = error([[], [("every", "10s"), (key, text)]])
        #expect(message.contains("--every") && message.contains(expected), "\(message)")
    }

    @Test(arguments: [("every", "50ms"), ("every", "2d"), ("play-rate", "0.5"), ("play-rate", "500")])
    func setting_outOfRange_isRefused(key: String, text: String) {
        #expect(error([[(key, text)]]).contains(text))
    }

    @Test(arguments: ["0", "101", "high", "-1"])
    func activityThreshold_outOfRange_isRefused(text: String) {
        #expect(error([[("activity-threshold", text)]]).contains("1 to 100"))
    }

    @Test func activity_settings_areAdoptedByAReload() throws {
        let new = try resolve([[("activity-threshold", "70"), ("activity-hold", "1m")]])
        #expect(new.activity.threshold == 70 && new.activity.hold == milliseconds(60_000))
        let old = try resolve([[]])
        #expect(old.activity == ActivityRules())
        #expect(ConfigurationChange.adopt(new, into: old).activity == new.activity)
    }
}
