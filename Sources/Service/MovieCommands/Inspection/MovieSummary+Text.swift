import CommandInterface
package import MediaTypes

extension MovieSummary {
    /// The output of `recorder info`.
    package var text: String {
        var facts = [container]
        if let duration { facts.append(NumberText.duration(duration)) }
        facts.append(NumberText.bytes(size))
        facts.append(health.text)
        var lines = [file, "  " + facts.joined(separator: " · ")]
        for track in tracks { lines.append("  \(track.id)  \(track.text)") }
        for chapter in chapters {
            lines.append("  chapter \(NumberText.clock(chapter.start))  \(chapter.title ?? "")")
        }
        for (kind, account) in (ledger ?? [:]).sorted(by: { $0.key > $1.key }) {
            // A file may contain any numbers.
            func also(_ count: Int64, _ words: String) -> String {
                count > 0 ? ", \(NumberText.grouped(count)) \(words)" : ""
            }
            lines.append(
                "  \(kind) ledger: \(NumberText.grouped(account.captured)) captured, "
                    + "\(NumberText.grouped(account.written)) written, "
                    + "\(NumberText.grouped(account.droppedInAll)) dropped"
                    + also(account[dropped: .paused], "paused") + also(account[dropped: .repeated], "repeated")
                    + also(account.eased, "with reduced effort"))
        }
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) { lines.append("  \(key): \(value)") }
        return lines.joined(separator: "\n")
    }
}

extension MovieSummary.Track {
    /// A line such as "video h264 · 1280×720 · 30 fps · 300 frames · 10.00 s · 1.2 Mbit/s".
    fileprivate var text: String {
        var facts = ["\(type) \(codec)"]
        if let width, let height { facts.append("\(width)×\(height)") }
        if let pixelAspectRatio { facts.append("pixels \(pixelAspectRatio)") }
        if let bitDepth, bitDepth != 8 { facts.append("\(bitDepth) bits") }
        if let color { facts.append(color) }
        if isFullRange == true { facts.append("full range") }
        if let fieldOrder, fieldOrder != "progressive" {
            facts.append(
                fieldOrder.hasPrefix("upper") ? "interlaced, upper field first" : "interlaced, lower field first")
        }
        if let frameRate { facts.append(NumberText.frameRate(frameRate)) }
        if let frameCount {
            let shown = shownFrameCount.map { ", \(NumberText.grouped(Int64($0))) shown" } ?? ""
            facts.append("\(NumberText.grouped(Int64(frameCount))) frames" + (shown.isEmpty ? "" : " stored" + shown))
        }
        if let sampleRate { facts.append(NumberText.sampleRate(sampleRate)) }
        if let channels { facts.append(NumberText.channels(channels)) }
        if let duration { facts.append(NumberText.duration(duration)) }
        if let bitRate, bitRate >= 1000 { facts.append("\(NumberText.grouped(Int64(bitRate / 1000))) kbit/s") }
        if let timecode { facts.append("from \(timecode)") }
        if let language { facts.append(language) }
        if let rotation, rotation != 0 { facts.append("rotated by \(rotation)°") }
        return facts.joined(separator: " · ")
    }
}

extension MovieSummary.Health {
    fileprivate var text: String {
        switch self {
        case .whole: "finalized"
        case .unfinished: "unfinished: still being recorded, or interrupted"
        case .torn: "unfinished: its last fragment is incomplete"
        case .unknown: "made by another program"
        }
    }
}
