import MediaTypes

/// Where recordings lie beside each other, by what their files say of the clocks. A pure value.
struct ClockAlignment: Equatable {
    /// Seconds from the earliest one's beginning to each one's.
    let offsets: [Double]
    /// Seconds by which they may be wrong; 0 where all are of one boot of one machine, nil where nobody vouches for a wall clock.
    let uncertainty: Double?
    /// By how many seconds more two of them are apart at their ends, by their wall clocks.
    let drift: Double

    /// nil where one does not say when it began.
    init?(_ clocks: [RecordingClock]) {
        let isOneBoot = Set(clocks.map(\.boot)).count == 1 && clocks.first?.boot.isEmpty == false
        let starts = isOneBoot ? clocks.map(\.start) : clocks.compactMap(\.wallStart)
        guard starts.count == clocks.count, let first = starts.min() else { return nil }
        offsets = starts.map { $0 - first }
        guard !isOneBoot else {
            (uncertainty, drift) = (0, 0)
            return
        }
        let known = clocks.compactMap(\.uncertainty).sorted(by: >)
        // Two of them may be wrong in opposite directions.
        uncertainty = known.count == clocks.count ? known.prefix(2).reduce(0, +) : nil
        let drifts = clocks.map(\.drift)
        drift = (drifts.max() ?? 0) - (drifts.min() ?? 0)
    }
}
