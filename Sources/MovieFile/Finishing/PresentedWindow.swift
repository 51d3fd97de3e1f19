import MediaTypes

/// A stretch of the recording's time line that the movie shows, and where in the movie it stands. Between two of them lies a
/// cut: what follows it comes at once.
struct PresentedWindow {
    /// In ticks of a track, on the recording's time line.
    let start: Int64
    let end: Int64
    private let scale: Int32
    private let movieScale: Int32
    /// In ticks of the movie. From exact times, so that tracks of different ticks stay together over any number of cuts.
    private let movieStart: UInt64
    private let movieEnd: UInt64

    /// One for every stretch between cuts; the last has no end.
    ///
    /// - Parameter cuts: from the session's start, in order and without overlaps.
    static func all(between cuts: [TimeRange], on line: FinalHeader.TimeLine, movieScale: Int32) -> [PresentedWindow] {
        var windows: [PresentedWindow] = []
        // Where the window begins, on the recording's line and in the movie.
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

    /// Where in the movie a moment of the window stands.
    func movieTicks(_ position: Int64) -> UInt64 {
        if position >= end { return movieEnd }
        let distance = MediaTime(value: max(0, position - start), timescale: scale).ticks(in: movieScale)
        return min(movieEnd, movieStart + UInt64(clamping: distance))
    }
}
