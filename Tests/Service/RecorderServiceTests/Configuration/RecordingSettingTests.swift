import CommandInterface
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The table of all settings of a recording.
@Suite struct RecordingSettingTests {
    /// Texts for each setting, and how each is shown.
    private static let examples: [String: [(String, String)]] = [
        "camera": [
            ("/dev/video0", "/dev/video0"), ("test", "test"), ("rtsp://10.0.0.2/live", "rtsp://10.0.0.2/live"),
            ("libcamera:imx708", "libcamera:imx708"),
        ],
        "microphone": [("hw:1,0", "hw:1,0")],
        "camera-credentials": [("front.login", "front.login"), ("none", "")],
        "camera-certificate": [("/etc/recorder/front.pem", "/etc/recorder/front.pem"), ("none", "")],
        "camera-transport": [("udp", "udp"), ("tcp", "tcp")],
        "camera-input": [("HDMI 0", "HDMI 0"), ("2", "2"), ("none", "")],
        "size": [("1280x720", "1280x720")], "frame-rate": [("29.97", "30000/1001"), ("30", "30"), ("12.5", "25/2")],
        "pixel-format": [("mjpeg", "mjpeg")], "control": [("focus_absolute=30", "focus_absolute=30")],
        "crop": [("640x480+2+4", "640x480+2+4")], "rotate": [("90", "90")], "flip": [("vertical", "vertical")],
        "scale": [("640x360", "640x360")],
        "mask": [("door=0,0 40.50,0 40.5,25", "door=0,0 40.5,0 40.5,25"), ("0,0 1,0 1,1", "0,0 1,0 1,1")],
        "mask-style": [("pixelate:16", "pixelate:16"), ("black", "black")],
        "stamp": [("%H:%M:%S.%3N %{name}", "%H:%M:%S.%3N %{name}"), ("none", "")],
        "stamp-place": [("bottom-right", "bottom-right")], "stamp-size": [("2.50", "2.5"), ("4", "4")],
        "stamp-font": [("DejaVu Sans Mono", "DejaVu Sans Mono"), ("none", "")],
        "codec": [("passthrough", "passthrough"), ("h264", "h264"), ("hevc", "hevc"), ("av1", "av1")],
        "preset": [("fast", "fast")],
        "encoder": [("x264", "x264"), ("v4l2", "v4l2"), ("v4l2:/dev/video11", "v4l2:/dev/video11")],
        "crf": [("20", "20"), ("20.5", "20.5")], "bit-rate": [("6M", "6M"), ("1500k", "1500k")],
        "key-frame-interval": [("500ms", "0.5s")], "audio-codec": [("pcm", "pcm"), ("alac", "alac")],
        "audio-bit-rate": [("128k", "128k")], "channels": [("2", "2")], "sample-rate": [("44100", "44100")],
        "output": [("/data/%Y/%H.mov", "/data/%Y/%H.mov")], "duration": [("00:01:30.5", "1m30.5s")],
        "overwrite": [("yes", "true"), ("0", "false")], "segment": [("600", "10m")], "align": [("no", "false")],
        "segment-size": [("2000M", "2G")], "mirror": [("/mnt/b/", "/mnt/b")],
        "sign": [("front.key", "front.key")], "keep-for": [("720h", "30d")],
        "keep-size": [("500G", "500G")],
        "keep-free": [("5G", "5G")], "reserve": [("0", "0"), ("50M", "50M")],
        "keep-range": [("clip", "clip"), ("files", "files")],
        "pre-roll": [("10s", "10s")],
        "armed": [("on", "true")], "on-overload": [("step-down", "step-down"), ("adapt", "adapt")],
        "queue-memory": [("64M", "64M")],
        "hook": [("device-lost=a=b \"c\"", "device-lost=a=b \"c\"")], "hook-time-limit": [("5", "5s")],
        "activity-threshold": [("60", "60")], "activity-hold": [("1m", "1m")],
        "every": [("90", "1m30s"), ("none", "")],
        "play-rate": [("29.97", "30000/1001"), ("24", "24")],
        "control-group": [("video", "video")], "live-group": [("video", "video")], "group": [("stage", "stage")],
        "low-latency": [("yes", "true")], "skip-identical": [("yes", "yes"), ("off", "no")],
        "substream": [("320x180@5", "320x180@5"), ("640X360@29.97:400k", "640x360@30000/1001:400k"), ("none", "")],
        "copy-to": [("nas:recordings/", "nas:recordings"), ("none", "none")], "copy-limit": [("2 MB/s", "2MB/s")],
        "copy-hours": [("22:00-6:00", "22:00-06:00")], "keep-until-copied": [("no", "false")],
    ]

    @Test func setting_itsOwnOutput_isReadBack() throws {
        #expect(Set(RecordingSetting.all.map(\.key)) == Set(Self.examples.keys))
        #expect(Set(RecordingSetting.all.map(\.key)).count == RecordingSetting.all.count)
        for setting in RecordingSetting.all {
            for (text, shown) in try #require(Self.examples[setting.key]) {
                var draft = RecordingDraft()
                try setting.read(text, &draft)
                let configuration = try draft.finished()
                #expect(setting.show(configuration) == (shown.isEmpty ? [] : [shown]))
                var again = RecordingDraft()
                for text in setting.show(configuration) { try setting.read(text, &again) }
                #expect(try again.finished() == configuration, "\(setting.key)")
            }
        }
    }

    @Test func setting_nonsense_isRefused() {
        // A device name may be any text.
        for setting in RecordingSetting.all where !["camera", "microphone"].contains(setting.key) {
            var draft = RecordingDraft()
            #expect(throws: OptionError.self, "\(setting.key)") { try setting.read("\u{1}?", &draft) }
            #expect(throws: OptionError.self, "\(setting.key)") { try setting.read("", &draft) }
        }
    }

    @Test func hookVariables_asEnvironment_areNotSettings() {
        var facts = HookInfo(file: "f", device: "d", seconds: 1, bytes: 1, free: 1, error: "e", copy: "c", activity: 1)
        facts.name = "n"
        #expect(facts.environment.count == 11)
        #expect(SettingsEnvironment.assignments(facts.environment).isEmpty)
    }

    @Test(arguments: [
        (1_000, "1s"), (90_000, "1m30s"), (90_500, "1m30.5s"), (250, "0.25s"), (2_592_000_000, "30d"),
        (90_061_001, "1d1h1m1.001s"), (3_600_000, "1h"),
    ])
    func duration_textRoundTrip_isExact(milliseconds: Int64, text: String) throws {
        let time = MediaTime(value: milliseconds, timescale: 1000)
        #expect(DurationText.text(time) == text)
        #expect(try DurationText.parse(text) == time)
    }

    @Test(arguments: [
        (1, "1"), (999, "999"), (1000, "1k"), (1500, "1500"), (1_500_000, "1500k"), (2_000_000_000, "2G"),
        (9_000_000_000_000_000_001, "9000000000000000001"),
    ])
    func quantity_textRoundTrip_isExact(bytes: Int64, text: String) throws {
        #expect(QuantityText.text(bytes) == text)
        #expect(try QuantityText.parseSize(text) == bytes)
    }

    @Test(arguments: [
        ("segment", "0.5s"), ("segment", "25h"), ("segment-size", "1k"), ("pre-roll", "2h"), ("hook-time-limit", "2h"),
        ("hook", "stop"), ("hook", "begin=x"), ("control-group", "a b"), ("on-overload", "wait"),
        ("queue-memory", "8k"), ("reserve", "-1"), ("substream", "320x180"), ("substream", "321x180@5"),
        ("substream", "16x16@5"), ("substream", "3840x2160@5"), ("substream", "320x180@0.5"),
        ("substream", "320x180@5:"), ("substream", "320x180@5:1"), ("substream", "320x180@5:200k:1"),
    ])
    func setting_valueOutOfRange_isRefused(key: String, text: String) throws {
        var draft = RecordingDraft()
        let setting = try #require(RecordingSetting.named(key))
        #expect(throws: OptionError.self) { try setting.read(text, &draft) }
    }
}
