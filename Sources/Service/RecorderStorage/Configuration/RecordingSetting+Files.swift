import CommandInterface
import Foundation
import MediaTypes

// The location, the length and the retention of files.
extension RecordingSetting {
    package static let output = optional(
        "output", "Output file: .mov, .mp4 or .m4a; may have %Y, %H …", "pattern", \.output,
        parse: { (text) throws(OptionError) in try OutputPattern(parsing: text).text }, text: { $0 })

    package static let duration = optional(
        "duration", "Stop after this time, e.g. 90 (seconds) or 1m30s.", "time", \.duration, parse: DurationText.parse,
        text: DurationText.text)

    package static let overwrite = flag("overwrite", "Replace the output file if it exists.", \.overwrite)

    package static let segment = optional(
        "segment", "Start a new file at this interval, e.g. 10m.", "time", \.segments.duration, isLive: true,
        parse: ServiceText.parseSegment, text: DurationText.text, displaces: { $0 == "none" ? ["align"] : [] })

    package static let align = flag(
        "align", "Align segments to the clock: 10:00, 10:10 …", \.segments.isAligned, isLive: true)

    package static let segmentSize = optional(
        "segment-size", "Start a new file at this size, e.g. 2G.", "size", \.segments.size, isLive: true,
        parse: ServiceText.parseSegmentSize, text: QuantityText.text)

    package static let sign = optional(
        "sign", "Sign with this key from `recorder key new`.", "file", \.signingKey,
        parse: { (text) throws(OptionError) in
            let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            guard !text.isEmpty, isPlain else {
                throw OptionError(text, isNot: "the name of a file", write: "/etc/recorder/front.key")
            }
            return text
        }, text: { $0 }
    )
    .rare

    package static let mirror = optional(
        "mirror", "Also write every file to this directory.", "directory", \.mirror,
        parse: { (text) throws(OptionError) in
            let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            guard isPlain, text.hasPrefix("/"), text != "/" else {
                throw OptionError(
                    "“\(text.prefix(80))” cannot be a mirror: write an absolute path other than /, such as /mnt/second")
            }
            return (text as NSString).standardizingPath
        }, text: { $0 }
    )
    .rare

    static let file = [output, duration, overwrite, segment, align, segmentSize, mirror, sign]

    package static let keepFor = optional(
        "keep-for", "Delete recordings older than this, e.g. 30d.", "time", \.retention.age, isLive: true,
        parse: DurationText.parseWithUnits, text: DurationText.text)

    package static let keepSize = optional(
        "keep-size", "Delete oldest recordings above this total, e.g. 500G.", "size", \.retention.totalSize,
        isLive: true,
        parse: QuantityText.parseSizeWithUnit, text: QuantityText.sizeWithUnit)

    package static let keepFree = optional(
        "keep-free", "Delete oldest recordings to keep this free, e.g. 5G.", "size", \.retention.freeSpace,
        isLive: true,
        parse: QuantityText.parseSizeWithUnit, text: QuantityText.sizeWithUnit)

    package static let reserve = value(
        "reserve", "Stop recording when only this is free (default: 100M).", "size", \.diskReserve, isLive: true,
        parse: { (text) throws(OptionError) in text == "0" ? 0 : try QuantityText.parseSize(text) },
        text: { QuantityText.text($0) }
    )
    .rare

    package static let keepRange = value(
        "keep-range", "What `recorder keep` keeps of a time range: files, clip or both (default: files).", "what",
        \.keepRange, isLive: true,
        parse: { (text) throws(OptionError) in try RangeKeeping(parsing: text) }, text: \.rawValue
    )
    .rare

    static let retaining = [keepFor, keepSize, keepFree, reserve, keepRange]
}
