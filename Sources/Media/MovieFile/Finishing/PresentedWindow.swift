import MediaTypes

/// A range of the recording's timeline that the movie shows, and its position in the movie. Between two windows is a
/// cut. In the movie, the samples after a cut directly follow those before it.
struct PresentedWindow {
    /// Ticks of a track, on the recording's timeline.
    let start: Int64
    let end: Int64
    private let scale: Int32
    private let movieScale: Int32
    /// Ticks of the movie. Calculated from exact times, so that tracks with different ticks stay in sync over any
    /// number of cuts.
    private let movieStart: UInt64
    private let movieEnd: UInt64

    /// Returns a window for every range between cuts. The last window has no end.
    ///
    /// - Parameter cuts: from the session's start, in order and without overlaps.
    static func all(between cuts: [TimeRange], on line: FinalHeader.TimeLine, movieScale: Int32) -> [PresentedWindow] {
        var windows: [PresentedWindow] = []
        // The start of the window, on the recording's timeline and in the movie.
        var (start, shown) = (MediaTime.zero, MediaTime.zero)
        for cut in cuts where !cut.isEmpty && cut.start >= start {
            let next = shown + (cut.start - start)
            windows.append(
                PresentedWindow(
                    start: line.position(of: start), end: line.position(of: cut.start), scale: line.scale,
                    movieScale: movieScale, movieStart: UInt64(clamping: shown.ticks(in: movieScale)),
                    movieEnd: UInt64(clamping: next.ticks(in: movieScale))))
            (start, shown) = (cut.end, next)
        }
        windows.append(
            PresentedWindow(
                start: line.position(of: start), end: .max, scale: line.scale, movieScale: movieScale,
                movieStart: UInt64(clamping: shown.ticks(in: movieScale)), movieEnd: .max))
        return windows
    }

    /// Converts a position in the window to a position in the movie.
    func movieTicks(_ position: Int64) -> UInt64 {
        if position >= end { return movieEnd }
        let distance = MediaTime(value: max(0, position - start), timescale: scale).ticks(in: movieScale)
        return min(movieEnd, movieStart + UInt64(clamping: distance))
    }
}
