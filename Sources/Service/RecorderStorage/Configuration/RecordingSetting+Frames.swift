import CommandInterface
import MediaTypes

// The changes of frames before they are recorded: crop, rotation, flip, scale, masks and stamp.
extension RecordingSetting {
    package static let crop = optional(
        "crop", "Record this part of the frame, e.g. 640x480+320+120.", "part", \.frameStage.crop,
        parse: FrameStageText.parseCrop, text: FrameStageText.text
    )
    .rare

    package static let rotate = optional(
        "rotate", "Rotate clockwise by 90, 180 or 270 degrees.", "degrees", \.frameStage.rotation,
        parse: FrameStageText.parseRotation, text: { "\($0)" }
    )
    .rare

    package static let flip = optional(
        "flip", "Mirror the frame: horizontal or vertical.", "direction", \.frameStage.flip,
        parse: FrameStageText.parseFlip, text: \.rawValue
    )
    .rare

    package static let scale = optional(
        "scale", "Scale the frame to exactly this size, e.g. 640x360.", "size", \.frameStage.scale,
        parse: FrameStageText.parseScale, text: \.description
    )
    .rare

    package static let mask = RecordingSetting(
        "mask", "Hide a polygon, in % of the frame; repeatable.", "x,y x,y …", shape: .entries,
        read: { (text, draft) throws(OptionError) in
            let mask = try MaskText.parse(text)
            try draft.configuration.frameStage.set(mask)
        },
        show: { $0.frameStage.masks.map { MaskText.text($0) } },
        adopt: { $1.frameStage.masks = $0.frameStage.masks }
    )
    .rare

    package static let maskStyle = value(
        "mask-style", "Fill masks: black, #RRGGBB or pixelate:N (default: black).", "style", \.frameStage.maskStyle,
        isLive: true, parse: MaskText.parseStyle, text: { MaskText.text($0) }
    )
    .rare

    package static let stamp = optional(
        "stamp", "Draw text on each frame: strftime, %3N, %{name} …", "text", \.frameStage.stamp.pattern, isLive: true,
        parse: StampText.parse, text: \.text
    )
    .rare

    package static let stampPlace = value(
        "stamp-place", "Corner of the stamp (default: top-left).", "corner", \.frameStage.stamp.place, isLive: true,
        parse: StampText.parsePlace, text: { $0.rawValue }
    )
    .rare

    package static let stampSize = value(
        "stamp-size", "Font size in % of the height (default: 4).", "percent", \.frameStage.stamp.size, isLive: true,
        parse: StampText.parseSize, text: { StampText.text(size: $0) }
    )
    .rare

    package static let stampFont = optional(
        "stamp-font", "Font family or file (default: DejaVu Sans Mono).", "font", \.frameStage.stamp.font,
        isLive: true, parse: StampText.parseFont, text: { $0 }
    )
    .rare

    package static let every = optional(
        "every", "Time-lapse: record a frame at this interval, e.g. 10s.", "time", \.every,
        parse: TimeLapseText.parseInterval, text: DurationText.text,
        displaces: { $0 == "none" ? [] : ["microphone", "pre-roll"] }
    )
    .rare

    package static let playRate = value(
        "play-rate", "Frames per second of a time-lapse (default: 25).", "fps", \.playRate,
        parse: TimeLapseText.parsePlayRate,
        text: { $0.seconds == 1 ? "\($0.frames)" : "\($0.frames)/\($0.seconds)" }
    )
    .rare

    static let timeLapse = [every, playRate]
    static let frames = [crop, rotate, flip, scale, mask, maskStyle, stamp, stampPlace, stampSize, stampFont]
}

extension FrameStageSettings {
    /// The keys of the settings that are used, in the order in which they take effect. A mask style or a stamp's font
    /// alone changes nothing.
    var usedKeys: [String] {
        [
            crop.map { _ in "crop" }, rotation.map { _ in "rotate" }, flip.map { _ in "flip" },
            scale.map { _ in "scale" }, masks.isEmpty ? nil : "mask", stamp.isActive ? "stamp" : nil,
        ].compactMap(\.self)
    }
}
