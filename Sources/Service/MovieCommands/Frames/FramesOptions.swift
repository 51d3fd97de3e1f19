package import CommandInterface
package import MediaTypes

/// The request of `recorder frames`.
package struct FramesOptions: Sendable {
    package var file: String
    /// The single times to show. At most one of `moments`, `interval` and `count` may be set.
    package var moments: [MediaTime] = []
    package var interval: MediaTime?
    package var count: Int?
    /// True if all frames are drawn on one contact sheet, with their times.
    package var isSheet = false
    /// The box that images fit into; nil for the full size, or for 320×240 on a sheet.
    package var size: FrameSize?
    package var output: String?
    package var format: StillImageFormat?
    /// The maximum distance of a frame from the requested time. If nil, it is zero for single times and on a sheet,
    /// else half the distance to the next time.
    package var tolerance: MediaTime?
    package var overwrite = false

    package init(file: String) { self.file = file }

    /// The maximum number of images.
    static let greatestCount = 100_000

    /// Checks the options.
    ///
    /// - Throws: An error if options contradict each other.
    package func validate() throws(OptionError) {
        let kinds = [(!moments.isEmpty, "--at"), (interval != nil, "--every"), (count != nil, "--count")]
            .filter(\.0).map(\.1)
        if kinds.count > 1 {
            throw OptionError("\(kinds[0]) and \(kinds[1]) cannot be combined: omit one")
        }
        if let count, !(1...Self.greatestCount).contains(count) {
            throw OptionError("--count \(count) is out of range: 1 to \(Self.greatestCount)")
        }
        if let output, let format, !namesDirectory(output), let named = StillFileNames.format(of: output),
            named != format
        {
            throw OptionError("--format \(format.rawValue) contradicts --output \(output): omit one")
        }
    }

    private func namesDirectory(_ output: String) -> Bool { output.hasSuffix("/") }

    /// True if the frames are drawn on a contact sheet. This is the default if no frames were chosen.
    var makesSheet: Bool { isSheet || (moments.isEmpty && interval == nil && count == nil) }

    /// Returns the times to show, without duplicates, and the tolerance. Single times keep the given order.
    ///
    /// - Parameter end: The end of the movie.
    func times(end: MediaTime) -> (times: [MediaTime], tolerance: MediaTime) {
        if !moments.isEmpty {
            var seen: Set<MediaTime> = []
            return (moments.filter { seen.insert($0).inserted }, tolerance ?? .zero)
        }
        if let interval {
            var times = [MediaTime.zero]
            while times.count < Self.greatestCount, let last = times.last, last + interval < end {
                times.append(last + interval)
            }
            return (times, tolerance ?? (makesSheet ? .zero : Self.half(interval.nanoseconds)))
        }
        let count = count ?? Self.sheetCount
        let whole = max(0, end.nanoseconds)
        let times = (0..<count).map { index in
            // Use the middle of each part: the first and last frame of a movie are often black.
            MediaTime(nanoseconds: Int64(clamping: Int128(whole) * Int128(2 * index + 1) / Int128(2 * count)))
        }
        // A sheet has even steps; separate files may use nearby keyframes.
        return (times, tolerance ?? (makesSheet ? .zero : Self.half(whole / Int64(count))))
    }

    private static let sheetCount = 20
    /// Returns slightly less than half of a time, so that a frame exactly between two requested times is not used for
    /// both.
    private static func half(_ nanoseconds: Int64) -> MediaTime { MediaTime(nanoseconds: max(0, nanoseconds / 2 - 1)) }
}
