import FileSystem
import Foundation
import MediaTypes
package import RecorderStorage

/// The indexed facts about one recording file.
package struct IndexedRecording: Sendable, Equatable {
    /// The facts read from a movie, as far as the page shows them.
    struct Info: Sendable, Equatable {
        /// The beginning in seconds since 1970; nil if the movie does not contain this time.
        var begin: Double?
        var duration: Double?
        var width: Int?
        var height: Int?
        /// FFmpeg's name of the video's codec, such as `hevc`; nil without video, or until the movie has been read.
        var codec: String?
        var hasVideo = false
        var hasAudio = false
        /// The pauses, in time order: times that passed but are not in the file.
        var pauses: [RecordingClock.Pause] = []
        var marks: [Mark] = []
        var ledger: [Loss]?
        /// The reason why the movie cannot be read or is incomplete. The text names no directory.
        var problem: String?
        /// The recorder that made the movie; nil if another program made it, or if unknown.
        var recorder: String?

        /// True if samples are missing, or the file is damaged. Paused samples do not count as lost.
        var hasLosses: Bool {
            problem != nil || (ledger ?? []).contains { $0.dropped.contains { $0.key != "paused" && $0.value > 0 } }
        }
    }

    struct Mark: Codable, Sendable, Equatable {
        /// The time in seconds from the beginning of the file.
        let time: Double
        let title: String
    }

    /// The drop counts of one kind of track.
    struct Loss: Codable, Sendable, Equatable {
        let track: String
        let captured: Int64
        let written: Int64
        /// Counts by cause; causes without drops are omitted.
        let dropped: [String: Int64]
        /// The number of paused samples; nil in an index of an earlier version, because that version counted them as
        /// drops.
        var paused: Int64?
        /// The number of repeated frames; nil if there are none.
        var repeated: Int64?
    }

    /// The row's number.
    let number: Int64
    /// The id that clients use.
    package let id: String
    package let recorder: String
    /// The absolute path. The server never sends it to a client.
    package let path: String
    package let identity: FinishedRecording.Identity
    var begin: Double
    let end: Double
    var info: Info
    let ending: RecordingEnding?

    /// True if the recorder no longer runs and has not finalized the file.
    var isInterrupted = false
    /// The owner's pin; nil if the recording is not kept, or if that was not determined.
    var pin: RecordingPin?

    /// True if the file has the temporary name of a recording in progress.
    var isUnfinished: Bool { OutputLocation.finalPath(of: path) != nil }
    /// True if the file is being written.
    var isGrowing: Bool { isUnfinished && !isInterrupted }
    /// The reason why the recording cannot be read, or is not finalized.
    private var problem: String? {
        guard isInterrupted else { return info.problem }
        return info.problem ?? "it was interrupted; the next start of \(recorder), or `recorder repair`, finalizes it"
    }
    var file: String { path.lastComponent }
    /// The mapping between the recording's times and wall clock times.
    var clock: MovieClock { MovieClock(begin: begin, duration: duration, pauses: info.pauses) }
    /// The playing time in seconds; estimated if it is unknown.
    var duration: Double { info.duration ?? Self.estimatedDuration(begin, end, info.pauses) }

    /// Returns the playing time of a file that is being written, whose end is the time of the last write.
    static func estimatedDuration(_ begin: Double, _ end: Double, _ pauses: [RecordingClock.Pause]) -> Double {
        max(0, end - begin - pauses.reduce(0) { $0 + $1.duration })
    }

    /// Returns this recording with the facts that its movie has now, if it is unfinished: the index may not have the
    /// newest pauses yet, and only estimates the duration. Blocks while it reads the movie.
    func readAgain() -> IndexedRecording {
        // If the file cannot be opened or read, the request reports that later.
        guard isUnfinished, let file = try? OpenRecordingFile(self) else { return self }
        let newest = withExtendedLifetime(file) { Info(reading: file.path, isGrowing: true) }
        guard newest.hasVideo || newest.hasAudio else { return self }
        var recording = self
        recording.info = newest
        recording.begin = newest.begin ?? begin
        return recording
    }
}

extension IndexedRecording: Encodable {
    private enum Keys: String, CodingKey {
        case id, recorder, file, begin, end, duration, bytes, width, height, codec, isGrowing
        case hasVideo = "hasPicture"
        case hasAudio = "hasSound"
        case isInterrupted, isKept, note, pauses, marks, ledger, ending, problem
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(id, forKey: .id)
        try container.encode(recorder, forKey: .recorder)
        try container.encode(file, forKey: .file)
        try container.encode(begin, forKey: .begin)
        try container.encode(end, forKey: .end)
        try container.encode(duration, forKey: .duration)
        try container.encode(identity.size, forKey: .bytes)
        try container.encode(info.width, forKey: .width)
        try container.encode(info.height, forKey: .height)
        try container.encode(info.codec, forKey: .codec)
        try container.encode(info.hasVideo, forKey: .hasVideo)
        try container.encode(info.hasAudio, forKey: .hasAudio)
        try container.encode(isGrowing, forKey: .isGrowing)
        try container.encode(isInterrupted, forKey: .isInterrupted)
        try container.encode(pin != nil, forKey: .isKept)
        try container.encode(pin?.note, forKey: .note)
        try container.encode(info.pauses, forKey: .pauses)
        try container.encode(info.marks, forKey: .marks)
        try container.encode(info.ledger, forKey: .ledger)
        try container.encode(ending, forKey: .ending)
        try container.encode(problem, forKey: .problem)
    }
}
