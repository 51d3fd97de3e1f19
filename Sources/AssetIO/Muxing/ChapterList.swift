import MediaTypes

/// The chapters of a movie while it is written: which sample each one becomes, and when. A pure value.
///
/// Those that come before the session wait for it, in any order; later ones come in the order of their times. One that
/// begins before the session is shown from its start on, unless another does.
struct ChapterList {
    private struct Chapter {
        var title: String
        var time: MediaTime
    }

    private var early: [Chapter] = []
    private var sessionStart: MediaTime?
    private var last: MediaTime?
    /// Stands before the first chapter, until that has come.
    private var openingTitle: String?

    /// - Parameter openingTitle: of what comes before the first chapter, where that begins later than the session.
    init(openingTitle: String? = nil) { self.openingTitle = openingTitle }

    var isEmpty: Bool { early.isEmpty }

    /// Before it is known whether chapters have a title in front of them.
    mutating func setOpeningTitle(_ title: String?) { openingTitle = title }

    /// Adds a chapter; it lasts until the next one or the movie's end.
    ///
    /// - Returns: what goes into the track now; nothing before the session.
    /// - Throws: `invalidSample` for a time that is none, is taken, or does not rise.
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
            throw Self.refusal(title, "its time, \(time), does not come after that of the chapter before")
        }
        return opening(before: time) + [sample(title, time)]
    }

    /// The session begins.
    ///
    /// - Returns: what goes into the track now.
    mutating func begin(at start: MediaTime) -> [SampleBuffer] {
        sessionStart = start
        let chapters = early.sorted { $0.time < $1.time }
        early = []
        // Of those before the start only the last one is still on, and none where another begins with it.
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
