extension MediaTime {
    /// As people write it: "9.97 s", "1 min 05 s", "1 min 05.25 s", "1 h 02 min 11 s". A moment keeps its hundredths, because
    /// somebody will look there.
    public var words: String {
        guard isNumeric else { return description }
        func padded(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let hundredths = ticks(in: 100)
        let (sign, all) = (hundredths < 0 ? "−" : "", hundredths.magnitude)
        let (part, seconds, minutes, hours) = (all % 100, all / 100 % 60, all / 6000 % 60, all / 360_000)
        guard all >= 6000 else { return "\(sign)\(seconds).\(padded(part)) s" }
        let tail = padded(seconds) + (part == 0 ? "" : "." + padded(part)) + " s"
        return sign + (hours > 0 ? "\(hours) h \(padded(minutes)) min " : "\(minutes) min ") + tail
    }
}
