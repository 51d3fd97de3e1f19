import CommandInterface
import Foundation
import MediaTypes

// The location, the length and the retention of files.
extension RecordingSetting {
    package static let output = optional(
        "output", "A .mov, .mp4 or .m4a; strftime's %Y, %H … allowed.", "pattern", \.output,
        parse: { (text) throws(OptionError) in try OutputPattern(parsing: text).text }, text: { $0 })

    package static let duration = optional(
        "duration", "Stop by itself after that: 90, 1m30s.", "time", \.duration, parse: DurationText.parse,
        text: DurationText.text)

    package static let overwrite = flag("overwrite", "Replace the output if it exists.", \.overwrite)

    package static let segment = optional(
        "segment", "A new file every 10m …", "time", \.segments.duration, isLive: true,
        parse: ServiceText.parseSegment, text: DurationText.text, displaces: { $0 == "none" ? ["align"] : [] })

    package static let align = flag(
        "align", "… on the clock: at 10:00, 10:10 …", \.segments.isAligned, isLive: true)

    package static let segmentSize = optional(
        "segment-size", "A new file after 2G.", "size", \.segments.size, isLive: true,
        parse: ServiceText.parseSegmentSize, text: QuantityText.text)

    package static let sign = optional(
        "sign", "Sign with the key of `recorder key new`.", "file", \.signingKey,
        parse: { (text) throws(OptionError) in
            let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            guard !text.isEmpty, isPlain else {
                throw OptionError(text, isNot: "a file", write: "/etc/recorder/front.key")
            }
            return text
        }, text: { $0 }
    )
    .rare

    package static let mirror = optional(
        "mirror", "Write every file to this directory too.", "directory", \.mirror,
        parse: { (text) throws(OptionError) in
            let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            guard isPlain, text.hasPrefix("/"), text != "/" else {
                throw OptionError(text, isNot: "a directory with its whole path", write: "/mnt/second")
            }
            return (text as NSString).standardizingPath
        }, text: { $0 }
    )
    .rare

    static let file = [output, duration, overwrite, segment, align, segmentSize, mirror, sign]

    package static let keepFor = optional(
        "keep-for", "Delete own recordings older than 30d.", "time", \.retention.age, isLive: true,
        parse: DurationText.parseWithUnits, text: DurationText.text)

    package static let keepSize = optional(
        "keep-size", "Delete the oldest beyond 500G in all.", "size", \.retention.totalSize, isLive: true,
        parse: QuantityText.parseSizeWithUnit, text: QuantityText.sizeWithUnit)

    package static let keepFree = optional(
        "keep-free", "Delete the oldest until 5G are free.", "size", \.retention.freeSpace, isLive: true,
        parse: QuantityText.parseSizeWithUnit, text: QuantityText.sizeWithUnit)

    package static let reserve = value(
        "reserve", "End while that much is free (default: 100M).", "size", \.diskReserve, isLive: true,
        parse: { (text) throws(OptionError) in text == "0" ? 0 : try QuantityText.parseSize(text) },
        text: { QuantityText.text($0) }
    )
    .rare

    static let keeping = [keepFor, keepSize, keepFree, reserve]
}
