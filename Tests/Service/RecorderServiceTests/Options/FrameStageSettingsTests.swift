import CommandInterface
import FakeDevices
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Masks and geometry in the table of settings.
@Suite struct FrameStageSettingsTests {
    private static let corners = "0,0 40,0 40,25 0,25"

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

    @Test func masks_ofFileAndCommandLine_areJoined() throws {
        let masks = try resolve([
            [("mask", "door=\(Self.corners)"), ("mask", "window=60,0 90,0 90,9")],
            [("mask", "window=50,0 90,0 90,9"), ("mask", Self.corners), ("mask", Self.corners)],
        ]).frameStage.masks
        #expect(masks.map(\.name) == ["door", "window", ""])
        #expect(masks[1].corners[0].x == 500_000)
    }

    @Test func mask_none_removesOnlyTheNamedMask() throws {
        let masks = try resolve([
            [("mask", "door=\(Self.corners)"), ("mask", "window=60,0 90,0 90,9")], [("mask", "door=none")],
        ]).frameStage.masks
        #expect(masks.map(\.name) == ["window"])
    }

    @Test(arguments: [
        ("mask", "0,0 1,0 1,1"), ("rotate", "90"), ("flip", "vertical"), ("scale", "64x64"), ("crop", "64x64+0+0"),
        ("stamp", "%H:%M:%S"),
    ])
    func passthrough_anyChangeOfFrames_isRefusedWithTheReason(key: String, text: String) {
        // A stronger source does not remove masks, as it removes a preset.
        for layers in [
            [[(key, text)], [("codec", "passthrough")]], [[("codec", "passthrough")], [(key, text)]],
        ] {
            let message = error(layers)
            #expect(message.contains("--\(key)") && message.contains("--codec h264"), "\(message)")
        }
        let message = error([[(key, text), ("pixel-format", "h264")]])
        #expect(message.contains("--pixel-format mjpeg"), "\(message)")
    }

    @Test func style_alone_changesNothing() throws {
        let configuration = try resolve([
            [("mask-style", "pixelate:8"), ("stamp-size", "5"), ("stamp-font", "Mono"), ("codec", "passthrough")]
        ])
        #expect(!configuration.frameStage.isActive)
    }

    @Test func masks_withoutACamera_areIgnoredIfTheCameraWasTakenAway() throws {
        #expect(error([[("mask", Self.corners), ("camera", "none")]]).contains("--camera is none"))
        let configuration = try resolve([[("mask", Self.corners), ("rotate", "90")], [("camera", "none")]])
        #expect(!configuration.frameStage.isActive)
    }

    @Test func reload_adoptsMasksButNotTheGeometry() throws {
        let before = try resolve([[("rotate", "90")]])
        let after = try resolve([[("rotate", "180"), ("mask", Self.corners), ("mask-style", "#ffffff")]])
        #expect(
            ConfigurationChange.between(before, after).map(\.description) == [
                "rotate: 90 → 180 (takes effect at the next start)", "mask: not set → \(Self.corners)",
                "mask-style: black → #ffffff",
            ])
        let adopted = ConfigurationChange.adopt(after, into: before).frameStage
        #expect(adopted.rotation == 90 && adopted.masks == after.frameStage.masks)
        #expect(adopted.maskStyle == after.frameStage.maskStyle)
    }

    @Test func reload_adoptsTheStamp() throws {
        let before = try resolve([[("stamp", "%H:%M"), ("stamp-size", "5")]])
        let after = try resolve([
            [("stamp", "%H:%M:%S.%3N"), ("stamp-place", "bottom-right"), ("stamp-font", "/usr/share/fonts/a.ttf")]
        ])
        #expect(
            ConfigurationChange.between(before, after).map(\.description) == [
                "stamp: %H:%M → %H:%M:%S.%3N", "stamp-place: top-left → bottom-right", "stamp-size: 5 → 4",
                "stamp-font: not set → /usr/share/fonts/a.ttf",
            ])
        #expect(ConfigurationChange.adopt(after, into: before).frameStage == after.frameStage)
        #expect(try !resolve([[("stamp", "%H:%M")], [("stamp", "none")]]).frameStage.isActive)
    }

    @Test func mask_oneValueInAFile_isRefusedWithAnExample() {
        let error = #expect(throws: MediaError.self) {
            try ConfigurationFile.parse("mask: \"\(Self.corners)\"\n", path: "f")
        }
        #expect(error?.description.contains("mask: {door:") == true)
    }

    // MARK: The metadata

    @Test func recordedMasks_changes_areThoseOfTheFile() throws {
        func settings(_ text: String?) throws -> FrameStageSettings {
            var settings = FrameStageSettings()
            if let text { settings.masks = [try MaskText.parse(text)] }
            return settings
        }
        let (first, second) = ("a=0,0 1,0 1,1", "b=0,0 2,0 2,2")
        let changes = [
            (time: milliseconds(1000), settings: try settings(first)),
            (time: milliseconds(5500), settings: try settings(second)),
            (time: milliseconds(9000), settings: try settings(nil)),
        ]
        func entries(_ start: Int, _ end: Int?) -> [RecordedMasks.Entry]? {
            RecordedMasks(changes, from: milliseconds(start), to: end.map { milliseconds($0) })?.entries
        }
        let (one, two) = ([first], [second])
        #expect(entries(1000, 5500) == [.init(time: 0, style: "black", masks: one)])
        #expect(
            entries(3000, 7000) == [
                .init(time: 0, style: "black", masks: one), .init(time: 2.5, style: "black", masks: two),
            ])
        #expect(entries(5500, nil)?.map(\.masks) == [two, []])
        var stamped = try settings(first)
        stamped.stamp.pattern = try StampPattern("%H")
        let same = [changes[0], (time: milliseconds(2000), settings: stamped)]
        #expect(RecordedMasks(same, from: milliseconds(1000), to: nil)?.entries.count == 1)
        #expect(entries(9500, nil) == nil)
        let item = try #require(
            RecordedMasks(changes, from: milliseconds(1000), to: milliseconds(2000))
        ).metadataItem
        #expect(item.key == "recorder.masks")
        #expect(item.value == #"[{"masks":["a=0,0 1,0 1,1"],"style":"black","time":0}]"#)
    }
}
