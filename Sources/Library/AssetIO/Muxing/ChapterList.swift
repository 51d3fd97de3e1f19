import MediaTypes

/// The chapters of a movie that is being written: the sample of each one, and its time. A pure value.
///
/// Before the session, chapters may be added in any order; they are written when the session begins. Later chapters
/// must be added in the order of their times. A chapter that begins before the session is shown from the session's
/// start on, unless a later chapter begins at or before the session's start.
struct ChapterList {
    private struct Chapter {
        var title: String
        var time: MediaTime
    }

    private var early: [Chapter] = []
    private var sessionStart: MediaTime?
    private var last: MediaTime?
    /// The title for the time before the first chapter; nil once the first chapter was added.
    private var openingTitle: String?

    /// - Parameter openingTitle: the title of a chapter that is added before the first one, if the first one begins
    ///   later than the session.
    init(openingTitle: String? = nil) { self.openingTitle = openingTitle }

    var isEmpty: Bool { early.isEmpty }

    /// Sets the title for the time before the first chapter. Called before chapters are written.
    mutating func setOpeningTitle(_ title: String?) { openingTitle = title }

    /// Adds a chapter, which lasts until the next one or the movie's end.
    ///
    /// - Returns: the samples to write now; none before the session.
    /// - Throws: `invalidSample` for a time that is invalid, is the time of another chapter, or does not increase.
    mutating func add(_ title: String, at time: MediaTime) throws(MediaError) -> [SampleBuffer] {
        guard time.isNumeric else { throw Self.refusal(title, "its time is not a number") }
        guard sessionStart != nil else {
            guard !early.contains(where: { $0.time == time }) else {
                throw Self.refusal(title, "another chapter begins at that time, \(time)")
            }
            early.append(Chapter(title: title, time: time))
            return []
        }
        guard time > last ?? .negativeInfinity else {
            throw Self.refusal(title, "its time, \(time), is not after that of the previous chapter")
        }
        return opening(before: time) + [sample(title, time)]
    }

    /// Begins the session.
    ///
    /// - Returns: the samples to write now.
    mutating func begin(at start: MediaTime) -> [SampleBuffer] {
        sessionStart = start
        let chapters = early.sorted { $0.time < $1.time }
        early = []
        // Only one chapter applies at the start: the one that begins there, or else the last one before it.
        let first = chapters.lastIndex { $0.time <= start } ?? 0
        guard let next = chapters.dropFirst(first).first else { return [] }
        return opening(before: next.time) + chapters[first...].map { sample($0.title, $0.time) }
    }

    private mutating func opening(before time: MediaTime) -> [SampleBuffer] {
        guard let title = openingTitle.take(), let sessionStart, sessionStart < time else { return [] }
        return [sample(title, sessionStart)]
    }

    private mutating func sample(_ title: String, _ time: MediaTime) -> SampleBuffer {
        last = time
        return TextFormat().sample(title, at: time)
    }

    private static func refusal(_ title: String, _ reason: String) -> MediaError {
        MediaError(.invalidSample, "cannot add the chapter “\(title)”", reason: reason)
    }
}
