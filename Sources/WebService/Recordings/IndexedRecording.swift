import Foundation
import MediaTypes
package import RecorderService

/// What the page knows of one recording's file.
package struct IndexedRecording: Sendable, Equatable {
    /// What a movie says of itself, as far as the page tells it.
    struct Facts: Sendable, Equatable {
        /// Seconds since 1970; nil where it does not say.
        var begin: Double?
        var duration: Double?
        var width: Int?
        var height: Int?
        var hasPicture = false
        var hasSound = false
        /// Where time passed that the file does not have; in the order of their times.
        var pauses: [RecordingClock.Pause] = []
        var marks: [Mark] = []
        var ledger: [Loss]?
        /// Why it cannot be read, or is not whole; without directories.
        var problem: String?
        /// The recorder that made it; nil: another program did, or nobody can tell.
        var recorder: String?

        /// Something is not there that should be. What a pause leaves out is no loss.
        var hasLosses: Bool {
            problem != nil || (ledger ?? []).contains { $0.dropped.contains { $0.key != "paused" && $0.value > 0 } }
        }
    }

    struct Mark: Codable, Sendable, Equatable {
        /// Seconds from the beginning of the file.
        let time: Double
        let title: String
    }

    /// Of one kind of track.
    struct Loss: Codable, Sendable, Equatable {
        let track: String
        let captured: Int64
        let written: Int64
        /// By cause; without those that dropped nothing.
        let dropped: [String: Int64]
        /// What pauses left out; nil in an index of an earlier version, which has them among the drops.
        var paused: Int64?
    }

    /// The row's.
    let number: Int64
    /// What others know it by.
    package let id: String
    package let recorder: String
    /// Absolute; nothing that leaves the server has it.
    package let path: String
    package let identity: FinishedRecording.Identity
    let begin: Double
    let end: Double
    let facts: Facts
    let ending: RecordingEnding?

    /// Its recorder is gone, and has not finished it.
    var isInterrupted = false

    /// It has the name of one that is being written.
    var isUnfinished: Bool { OutputLocation.finalPath(of: path) != nil }
    /// It is being written.
    var isGrowing: Bool { isUnfinished && !isInterrupted }
    /// Why it cannot be read, or is not finished.
    private var problem: String? {
        guard isInterrupted else { return facts.problem }
        return facts.problem ?? "it was interrupted; the next start of \(recorder), or `recorder repair`, finalizes it"
    }
    var file: String { (path as NSString).lastPathComponent }
    /// Which moment each of its pictures is of.
    var clock: FilmClock { FilmClock(begin: begin, duration: duration, pauses: facts.pauses) }
    /// Seconds that it plays, as far as that is known.
    var duration: Double { facts.duration ?? max(0, end - begin) }
}

extension IndexedRecording: Encodable {
    private enum Keys: CodingKey {
        case id, recorder, file, begin, end, duration, bytes, width, height, hasPicture, hasSound, isGrowing
        case isInterrupted, pauses, marks, ledger, ending, problem
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
        try container.encode(facts.width, forKey: .width)
        try container.encode(facts.height, forKey: .height)
        try container.encode(facts.hasPicture, forKey: .hasPicture)
        try container.encode(facts.hasSound, forKey: .hasSound)
        try container.encode(isGrowing, forKey: .isGrowing)
        try container.encode(isInterrupted, forKey: .isInterrupted)
        try container.encode(facts.pauses, forKey: .pauses)
        try container.encode(facts.marks, forKey: .marks)
        try container.encode(facts.ledger, forKey: .ledger)
        try container.encode(ending, forKey: .ending)
        try container.encode(problem, forKey: .problem)
    }
}
