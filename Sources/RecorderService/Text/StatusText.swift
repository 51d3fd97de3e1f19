extension RecordingStatus {
    /// What `recorder stop` says on standard error: two lines, a third when something went wrong.
    public var summary: String {
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
        if let closedIn { facts.append("closed in \(Int((closedIn * 1000).rounded())) ms") }
        return lines(facts, accounts)
    }

    /// What `recorder status` says while it records.
    public var text: String {
        var head = "\(name)  \(state.rawValue)"
        if let duration { head += "  \(NumberText.clock(duration))" }
        if let file { head += " → \(file)" }
        if let bytes { head += " (\(NumberText.bytes(bytes)))" }
        var live: [String] = []
        if let video {
            if let rate = video.frameRate { live.append(NumberText.frameRate(rate)) }
            if let depth = video.queueDepth { live.append("\(depth) in the queue") }
        }
        if let audio, let peak = audio.levelPeak, let rms = audio.levelRMS {
            live.append("peak \(NumberText.fixed(peak, places: 1)) dB, mean \(NumberText.fixed(rms, places: 1)) dB")
        }
        if let free = disk?.free { live.append("disk \(NumberText.bytes(free)) free") }
        if let rate = disk?.writeRate { live.append("\(NumberText.bytes(Int64(rate)))/s") }
        return head + "\n" + lines(live, accounts)
    }

    /// The account of both tracks in one line, for the log.
    public var account: String { accounts.joined(separator: " · ") }

    private var accounts: [String] {
        var accounts: [String] = []
        if let video {
            accounts.append(
                "video \(NumberText.grouped(video.captured)) captured, \(NumberText.grouped(video.written)) written"
                    + video.dropped.text)
        }
        if let audio {
            let gaps =
                switch audio.gaps {
                case nil: ""
                case 0: ", no gap"
                case 1: ", 1 gap (\(NumberText.grouped(audio.gapSamples ?? 0)) samples)"
                case let gaps?: ", \(gaps) gaps (\(NumberText.grouped(audio.gapSamples ?? 0)) samples)"
                }
            accounts.append("audio \(NumberText.grouped(audio.written)) samples\(gaps)\(audio.dropped.text)")
        }
        var clocks: [String] = []
        if let syncOffset { clocks.append("sync \(NumberText.fixed(syncOffset * 1000, places: 1, sign: true)) ms") }
        if let drift = audio?.driftPPM {
            clocks.append("drift \(NumberText.fixed(drift, places: 0, sign: true)) ppm corrected")
        }
        if !clocks.isEmpty { accounts.append(clocks.joined(separator: ", ")) }
        return accounts
    }

    private func lines(_ groups: [String]...) -> String {
        var lines = groups.filter { !$0.isEmpty }.map { "  " + $0.joined(separator: " · ") }
        if let error { lines.append("  \(error)") }
        return lines.joined(separator: "\n")
    }
}

extension RecordingStatus.Drops {
    /// ", 3 dropped (2 device, 1 queue)"; empty when nothing was.
    fileprivate var text: String {
        guard inAll > 0 else { return "" }
        let causes = [
            ("device", device), ("queue", queue), ("encoder", encoder), ("corrupt", corrupt), ("paused", paused),
            ("disk", disk),
        ]
        let parts = causes.filter { $0.1 > 0 }.map { "\(NumberText.grouped($0.1)) \($0.0)" }
        return ", \(NumberText.grouped(inAll)) dropped (\(parts.joined(separator: ", ")))"
    }
}
