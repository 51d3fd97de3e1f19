/// A level meter in characters.
enum MeterText {
    /// From the floor to full scale.
    private static let cells = 20
    /// dBFS at the meter's left end.
    private static let floor = -60.0

    /// "████████████···│····": the mean as a bar, the peak as a line.
    ///
    /// - Parameters:
    ///   - peak: dBFS.
    ///   - mean: dBFS; never above the peak.
    static func bar(peak: Double, mean: Double) -> String {
        let filled = cell(mean)
        var bar = [Character](repeating: "█", count: filled) + [Character](repeating: "·", count: cells - filled)
        let mark = cell(peak)
        if mark > 0 { bar[mark - 1] = "│" }
        return String(bar)
    }

    /// How many cells a level reaches: 0 at the floor and below, all of them at full scale.
    private static func cell(_ level: Double) -> Int {
        guard level > floor else { return 0 }
        return max(1, Int((min(1, (level - floor) / -floor) * Double(cells)).rounded()))
    }
}
