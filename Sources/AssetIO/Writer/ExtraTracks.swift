import MediaTypes

/// The tracks that a writer makes and feeds by itself: the titles of chapters, and the time of day.
struct ExtraTracks: Sendable {
    private struct Chapter {
        var title: String
        var time: MediaTime
    }

    /// Those that come before the session begins.
    private var early: [Chapter] = []
    private var chapters: AssetWriterInput?
    /// Stands before the first chapter, until that has come.
    private var openingTitle: String?
    private var sessionStart: MediaTime?
    private var timecode: AssetWriterInput?

    /// Once, when writing starts: the inputs that the configuration asks for, with what refers to them.
    mutating func makeInputs(
        _ configuration: AssetWriter.Configuration, fed: [AssetWriterInput]
    ) throws(MediaError) -> [AssetWriterInput] {
        var inputs: [AssetWriterInput] = []
        let main = fed.first { $0.mediaType == .video } ?? fed.first { $0.mediaType == .audio }
        if configuration.writesChapters || !early.isEmpty {
            guard let main else { throw Self.alone("chapters") }
            let input = try Self.input(.text(TextFormat()))
            // Titles are for the player's list, not for its picture.
            try input.configure { $0.marksOutputTrackAsEnabled = false }
            try main.addTrackAssociation(withTrackOf: input, type: .chapterList)
            chapters = input
            openingTitle = configuration.openingChapterTitle
            inputs.append(input)
        }
        if let format = configuration.timecode {
            guard let main else { throw Self.alone("a timecode") }
            let input = try Self.input(.timecode(format))
            try main.addTrackAssociation(withTrackOf: input, type: .timecode)
            timecode = input
            inputs.append(input)
        }
        return inputs
    }

    /// A track that waits for nobody and refuses nothing but what is out of order.
    private static func input(_ format: FormatDescription) throws(MediaError) -> AssetWriterInput {
        let input = try AssetWriterInput(mediaType: format.mediaType, outputSettings: nil, sourceFormatHint: format)
        try input.configure {
            $0.expectsMediaDataInRealTime = true
            $0.realTimeBudget = RealTimeBudget(duration: .positiveInfinity)
        }
        return input
    }

    private static func alone(_ what: String) -> MediaError {
        MediaError(
            .invalidSettings, "cannot write \(what)", reason: "the movie has no video or audio track to refer to it")
    }

    /// Keeps a chapter for the session's start, or gives the input that takes it now.
    mutating func addChapter(
        _ title: String, at time: MediaTime, hasStarted: Bool, isInSession: Bool
    ) throws(MediaError) -> AssetWriterInput? {
        let action = "cannot add the chapter “\(title)”"
        guard time.isNumeric else { throw MediaError(.invalidSample, action, reason: "its time is not a number") }
        guard !hasStarted || chapters != nil else {
            throw MediaError(
                .invalidState, action, reason: "writing has started without a chapter track",
                wayOut: "set writesChapters, or add a first chapter, before startWriting")
        }
        if isInSession { return chapters }
        guard !early.contains(where: { $0.time == time }) else {
            throw MediaError(.invalidSample, action, reason: "another chapter begins at that time, \(time)")
        }
        early.append(Chapter(title: title, time: time))
        return nil
    }

    /// The chapter that must come before the first one; nil where there is none, or no more.
    mutating func takeOpening(before time: MediaTime) -> (title: String, time: MediaTime)? {
        guard let title = openingTitle.take(), let sessionStart, sessionStart < time else { return nil }
        return (title, sessionStart)
    }

    /// From here on it is known what comes before the first chapter.
    mutating func noteSession(at start: MediaTime) {
        sessionStart = start
        guard let first = early.map(\.time).min(), let opening = takeOpening(before: first) else { return }
        early.append(Chapter(title: opening.title, time: opening.time))
    }

    /// The session begins: what is known by now is written.
    func begin(at start: MediaTime, timeOfDay: () -> MediaTime) throws(MediaError) {
        if let chapters {
            for chapter in early.sorted(by: { $0.time < $1.time }) {
                try Self.append(chapter.title, at: chapter.time, to: chapters)
            }
        }
        if let timecode, let format = timecode.sourceFormatHint?.timecode {
            let number = format.frameNumber(atTimeOfDay: timeOfDay())
            try timecode.append(format.sample(frameNumber: number, at: start))
        }
    }

    static func append(_ title: String, at time: MediaTime, to input: AssetWriterInput) throws(MediaError) {
        guard try input.append(TextFormat().sample(title, at: time)) else {
            throw MediaError(
                .invalidSample, "cannot add the chapter “\(title)”",
                reason: "its time, \(time), does not come after that of the chapter before")
        }
    }
}
