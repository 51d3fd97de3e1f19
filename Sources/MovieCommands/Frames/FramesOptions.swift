package import CommandInterface
package import MediaTypes

/// What `recorder frames` was asked for.
package struct FramesOptions: Sendable {
    package var file: String
    /// Single moments, or one every so often, or so many; one of the three at most.
    package var moments: [MediaTime] = []
    package var interval: MediaTime?
    package var count: Int?
    /// One picture of all, with their times in it.
    package var isSheet = false
    /// Pictures fit inside; nil: as large as they are, on a sheet 320×240.
    package var size: FrameSize?
    package var output: String?
    package var format: StillImageFormat?
    /// How far from the time asked for a picture may be; nil: not at all for single moments and on a
    /// sheet of so many, else half the way to the next.
    package var tolerance: MediaTime?
    package var overwrite = false

    package init(file: String) { self.file = file }

    /// More would be a film again.
    static let greatestCount = 100_000

    /// - Throws: for options that mean nothing together.
    package func validate() throws(OptionError) {
        let kinds = [(!moments.isEmpty, "--at"), (interval != nil, "--every"), (count != nil, "--count")]
            .filter(\.0).map(\.1)
        if kinds.count > 1 {
            throw OptionError("\(kinds[0]) and \(kinds[1]) exclude each other: leave one out")
        }
        if let count, !(1...Self.greatestCount).contains(count) {
            throw OptionError("--count \(count) is no usable number: 1 to \(Self.greatestCount)")
        }
        if let output, let format, !namesDirectory(output), let named = StillFileNames.format(of: output),
            named != format
        {
            throw OptionError("--format \(format.rawValue) contradicts --output \(output): leave one out")
        }
    }

    private func namesDirectory(_ output: String) -> Bool { output.hasSuffix("/") }

    /// Nothing was said about which pictures: a sheet of some.
    var makesSheet: Bool { isSheet || (moments.isEmpty && interval == nil && count == nil) }

    /// The times to be shown, ascending or as they were given, none twice; and how far from them is near enough.
    ///
    /// - Parameter end: of the film.
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
            // In the middle of its part: the first and the last picture of a film are black too often.
            MediaTime(nanoseconds: Int64(clamping: Int128(whole) * Int128(2 * index + 1) / Int128(2 * count)))
        }
        // A sheet stands in even steps; files may be the key frames near them.
        return (times, tolerance ?? (makesSheet ? .zero : Self.half(whole / Int64(count))))
    }

    private static let sheetCount = 20
    /// Not quite: the picture in the middle between two times is not given for both.
    private static func half(_ nanoseconds: Int64) -> MediaTime { MediaTime(nanoseconds: max(0, nanoseconds / 2 - 1)) }
}
