import MediaTypes

// Where the files are, where one ends, and how long they stay.
extension RecordingSetting {
    public static let output = optional(
        "output", "A .mov, .mp4 or .m4a; strftime's %Y, %H … allowed.", "pattern", \.output,
        parse: { (text) throws(OptionError) in try OutputPattern(parsing: text).text }, text: { $0 })

    public static let duration = optional(
        "duration", "Stop by itself after that: 90, 1m30s.", "time", \.duration, parse: DurationText.parse,
        text: DurationText.text)

    public static let overwrite = flag("overwrite", "Replace the output if it exists.", \.overwrite)

    public static let segment = optional(
        "segment", "A new file every 10m …", "time", \.segments.duration, isLive: true,
        parse: ServiceText.parseSegment, text: DurationText.text, displaces: { $0 == "none" ? ["align"] : [] })

    public static let align = flag(
        "align", "… on the clock: at 10:00, 10:10 …", \.segments.isAligned, isLive: true)

    public static let segmentSize = optional(
        "segment-size", "A new file after 2G.", "size", \.segments.size, isLive: true,
        parse: ServiceText.parseSegmentSize, text: QuantityText.text)

    static let file = [output, duration, overwrite, segment, align, segmentSize]

    public static let keepFor = optional(
        "keep-for", "Delete own recordings older than 30d.", "time", \.retention.age, isLive: true,
        parse: DurationText.parseWithUnits, text: DurationText.text)

    public static let keepSize = optional(
        "keep-size", "Delete the oldest beyond 500G in all.", "size", \.retention.totalSize, isLive: true,
        parse: QuantityText.parseSizeWithUnit, text: QuantityText.sizeWithUnit)

    public static let keepFree = optional(
        "keep-free", "Delete the oldest until 5G are free.", "size", \.retention.freeSpace, isLive: true,
        parse: QuantityText.parseSizeWithUnit, text: QuantityText.sizeWithUnit)

    public static let reserve = value(
        "reserve", "End while that much is free (default: 100M).", "size", \.diskReserve, isLive: true,
        parse: { (text) throws(OptionError) in text == "0" ? 0 : try QuantityText.parseSize(text) },
        text: { QuantityText.text($0) }
    )
    .rare

    static let keeping = [keepFor, keepSize, keepFree, reserve]
}
