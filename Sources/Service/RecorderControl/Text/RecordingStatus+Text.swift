import CommandInterface
import MediaTypes
package import RecorderStorage

extension RecordingStatus {
    /// The paths of the recording's files, the newest last; at most the newest hundred.
    package var files: [String] { segments.isEmpty ? [file].compactMap(\.self) : segments.map(\.file) }

    /// The output of `recorder stop` on standard error: two lines, and a third line after an error.
    package var summary: String {
        var facts: [String] = []
        if let duration { facts.append(NumberText.duration(duration)) }
        if let video {
            if let width = video.width, let height = video.height { facts.append("\(width)×\(height)") }
            if let rate = video.frameRate { facts.append(NumberText.frameRate(rate)) }
        }
        if let audio, let rate = audio.sampleRate, let channels = audio.channels {
            facts.append("\(NumberText.sampleRate(rate)) \(NumberText.channels(channels))")
        }
        if let bytes { facts.append(NumberText.bytes(bytes)) }
        if segments.count > 1 { facts.append("in \(segments.count) files") }
        if let closedIn { facts.append("closed in \(Self.waited(closedIn))") }
        return lines(facts, accounts)
    }

    /// Formats a duration: "80 ms", "27.1 s".
    private static func waited(_ seconds: Double) -> String {
        seconds >= 1
            ? "\(NumberText.fixed(seconds, places: 1)) s" : "\(Int64(clamping: (seconds * 1000).rounded())) ms"
    }

    /// The output of `recorder stop` while it waits for a file whose finalization takes long.
    package var finishing: String {
        guard file != nil else { return "\(name) is finishing: its devices are being opened or closed" }
        guard let depth = video?.queueDepth, depth > 0 else {
            return "\(name) is finishing: the file is being finalized" + (error.map { "; \($0)" } ?? "")
        }
        return
            "\(name) is finishing: \(NumberText.grouped(Int64(depth))) \(depth == 1 ? "frame waits" : "frames wait") "
            + "for the encoder"
    }

    /// The output of `recorder status`: state and file, current values, a level meter, drop counts, and errors.
    package var text: String {
        var live: [String] = []
        if let rate = video?.frameRate { live.append(NumberText.frameRate(rate)) }
        if let depth = video?.queueDepth {
            let bound = video?.queueMemory.map { " (limit \(NumberText.bytes($0)))" } ?? ""
            live.append((depth == 0 ? "queue empty" : "\(depth) in the queue") + bound)
        }
        if let effort = video?.effort, effort.step > 0 {
            live.append("reduced effort, step \(effort.step) of \(effort.steps): \(effort.summary)")
        }
        if let preRoll {
            live.append("pre-roll \(NumberText.duration(preRoll.duration)) (\(NumberText.bytes(preRoll.bytes)))")
        }
        if segments.count > 1 { live.append("\(segments.count) files") }
        if let marks, marks > 0 { live.append(marks == 1 ? "1 mark" : "\(marks) marks") }
        if let free = disk?.free { live.append("disk \(NumberText.bytes(free)) free") }
        if let rate = disk?.writeRate { live.append("\(NumberText.bytes(Int64(clamping: rate)))/s") }
        if let mirror, mirror.count > 1, mirror.allSatisfy(\.isComplete) { live.append("on two disks") }
        var meter: [String] = []
        if let peak = audio?.levelPeak, let rms = audio?.levelRMS {
            meter = ["\(MeterText.bar(peak: peak, mean: rms)) \(Self.levels(peak, rms))"]
        }
        return head + "\n"
            + lines(
                live, meter, accounts, absences, [retention?.text].compactMap(\.self),
                [kept?.text].compactMap(\.self), [copies?.text(of: name)].compactMap(\.self))
    }

    /// The status in one line: for logs, and for terminals that cannot be redrawn.
    package var line: String {
        var facts = [head]
        if let rate = video?.frameRate { facts.append(NumberText.frameRate(rate)) }
        if let peak = audio?.levelPeak, let rms = audio?.levelRMS { facts.append(Self.levels(peak, rms)) }
        facts += [losses, pausedText].compactMap(\.self)
        if let free = disk?.free { facts.append("disk \(NumberText.bytes(free)) free") }
        return (facts + absences + [warning, error].compactMap(\.self)).joined(separator: " · ")
    }

    /// The drops, for each track in its own unit, e.g. "dropped 364 frames, 2.10 s of audio"; nil without drops.
    package var losses: String? {
        var parts: [String] = []
        if let frames = video?.dropped.inAll, frames > 0 {
            parts.append(frames == 1 ? "1 frame" : "\(NumberText.grouped(frames)) frames")
        }
        if let frames = audio?.dropped.inAll, frames > 0 { parts.append(Self.audioText(frames, audio?.sampleRate)) }
        return parts.isEmpty ? nil : "dropped " + parts.joined(separator: ", ")
    }

    private static func audioText(_ frames: Int64, _ rate: Int?) -> String {
        guard let rate, rate > 0 else { return "\(NumberText.grouped(frames)) audio frames" }
        return "\(NumberText.duration(Double(frames) / Double(rate))) of audio"
    }

    /// The total duration of the pauses, such as "paused 6.30 s"; nil without pauses.
    private var pausedText: String? {
        if let frames = audio?.paused, frames > 0, let rate = audio?.sampleRate, rate > 0 {
            return "paused \(NumberText.duration(Double(frames) / Double(rate)))"
        }
        guard let frames = video?.paused, frames > 0 else { return nil }
        guard let rate = video?.frameRate, rate > 0 else { return "paused for \(NumberText.grouped(frames)) frames" }
        return "paused \(NumberText.duration(Double(frames) / rate))"
    }

    /// The recorded time, such as "00:01:02".
    package var clock: String { NumberText.clock(duration ?? 0) }

    private var head: String {
        var head = "\(name)  \(state.rawValue)"
        if duration != nil { head += "  \(clock)" }
        if let file { head += " → \(file)" }
        if let bytes { head += " (\(NumberText.bytes(bytes)))" }
        return head
    }

    private static func levels(_ peak: Double, _ rms: Double) -> String {
        "peak \(NumberText.fixed(peak, places: 1)) dB, mean \(NumberText.fixed(rms, places: 1)) dB"
    }

    /// One text for each incomplete mirrored file and each disconnected device; `error` has the reason.
    private var absences: [String] {
        func absence(_ what: String, _ isPresent: Bool?, _ seconds: Double?) -> String? {
            guard isPresent == false else { return nil }
            return "\(what) disconnected" + (seconds.map { " for \(NumberText.wholeSeconds($0))" } ?? "")
        }
        let files = (mirror ?? []).filter { !$0.isComplete && $0.state != "opening" }
        return files.map { file in
            let words = ["full": "disk full", "lost": "unavailable", "gone": "moved or deleted"]
            let behind = file.missing > 0 ? "\(NumberText.bytes(file.missing)) behind" : nil
            let state = file.state == "behind" && behind != nil ? nil : words[file.state] ?? file.state
            return "mirrored file \(file.file): " + [state, behind].compactMap(\.self).joined(separator: ", ")
        }
            + [
                absence("camera", video?.present, video?.awayFor),
                absence("microphone", audio?.present, audio?.awayFor),
            ].compactMap(\.self)
    }

    /// The drop counts of both tracks in one line, for the log.
    package var account: String { accounts.joined(separator: " · ") }

    private var accounts: [String] {
        var accounts: [String] = []
        if let video {
            accounts.append(
                "video \(NumberText.grouped(video.captured)) captured, \(NumberText.grouped(video.written)) written"
                    + Self.countText(video.repeated, "repeated") + video.dropped.text
                    + Self.countText(video.eased, "with reduced effort"))
        }
        if let audio {
            let gaps =
                switch audio.gaps {
                case nil: ""
                case 0: ", no gap"
                case 1: ", 1 gap (\(NumberText.grouped(audio.gapSamples ?? 0)) frames)"
                case let gaps?: ", \(gaps) gaps (\(NumberText.grouped(audio.gapSamples ?? 0)) frames)"
                }
            accounts.append("audio \(NumberText.grouped(audio.written)) frames\(gaps)\(audio.dropped.text)")
        }
        if let network = network?.text { accounts.append(network) }
        if let pausedText { accounts.append(pausedText) }
        var clocks: [String] = []
        if let syncOffset { clocks.append("sync \(NumberText.fixed(syncOffset * 1000, places: 1, sign: true)) ms") }
        if let drift = audio?.driftPPM {
            clocks.append("drift \(NumberText.fixed(drift, places: 0, sign: true)) ppm corrected")
        }
        if !clocks.isEmpty { accounts.append(clocks.joined(separator: ", ")) }
        return accounts
    }

    private static func countText(_ count: Int64?, _ words: String) -> String {
        guard let count, count > 0 else { return "" }
        return ", \(NumberText.grouped(count)) \(words)"
    }

    private func lines(_ groups: [String]...) -> String {
        var lines = groups.filter { !$0.isEmpty }.map { "  " + $0.joined(separator: " · ") }
        if let warning { lines.append("  warning: \(warning)") }
        if let error { lines.append("  \(error)") }
        return lines.joined(separator: "\n")
    }
}

extension RecordingStatus.Network {
    /// The packets that were lost, e.g. "3 of 10,000 packets lost"; nil if all arrived.
    fileprivate var text: String? {
        let streams = [video, audio].compactMap(\.self)
        let lost = streams.reduce(0) { $0 + $1.lost }
        guard lost > 0 else { return nil }
        let sent = streams.reduce(lost) { $0 + $1.packets }
        return "\(NumberText.grouped(lost)) of \(NumberText.grouped(sent)) packets lost"
    }
}

extension RecordingStatus.Drops {
    /// The drops by cause, e.g. ", 3 dropped (2 device, 1 queue)"; empty without drops.
    fileprivate var text: String {
        guard inAll > 0 else { return "" }
        let causes = [
            ("device", device), ("queue", queue), ("encoder", encoder), ("corrupt", corrupt), ("disk", disk),
        ]
        let parts = causes.filter { $0.1 > 0 }.map { "\(NumberText.grouped($0.1)) \($0.0)" }
        return ", \(NumberText.grouped(inAll)) dropped (\(parts.joined(separator: ", ")))"
    }
}

/// A level meter in characters.
enum MeterText {
    /// The width of the meter, which ends at full scale.
    private static let cells = 20
    /// The level at the meter's left end, in dBFS.
    private static let floor = -60.0

    /// Returns a meter such as "████████████···│····": the mean as a bar, the peak as a line.
    ///
    /// - Parameters:
    ///   - peak: The peak level in dBFS.
    ///   - mean: The mean level in dBFS, at most the peak.
    static func bar(peak: Double, mean: Double) -> String {
        let filled = cell(mean)
        var bar = [Character](repeating: "█", count: filled) + [Character](repeating: "·", count: cells - filled)
        let mark = cell(peak)
        if mark > 0 { bar[mark - 1] = "│" }
        return String(bar)
    }

    /// Returns the number of cells for a level: 0 at the floor and below, all of them at full scale.
    private static func cell(_ level: Double) -> Int {
        guard level > floor else { return 0 }
        return max(1, Int(clamping: (min(1, (level - floor) / -floor) * Double(cells)).rounded()))
    }
}
