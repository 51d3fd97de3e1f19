import Foundation
package import MediaTypes

/// What a signed recording proves. The JSON object of `recorder verify --json`.
package struct Verification: Codable, Sendable, Equatable {
    package enum Verdict: String, Codable, Sendable {
        /// Everything that is covered is as it was signed.
        case genuine
        /// Something that is covered is not as it was signed, or missing.
        case altered
        /// There is no signature in it.
        case unsigned
        /// Somebody else signed it.
        case otherKey
    }

    package enum Ending: String, Codable, Sendable {
        case signed
        /// A crash, or a tail that was cut off: which of both cannot be told.
        case unsigned
        /// A part was taken out of a recording: nobody signed where it begins and ends.
        case cut
    }

    /// A stretch that is not as it was signed, in seconds from the movie's beginning.
    package struct Problem: Codable, Sendable, Equatable {
        package var from: Double
        /// nil: to the end.
        @OrNull package var to: Double?
        package var what: String
    }

    package internal(set) var file: String
    package internal(set) var verdict = Verdict.unsigned
    /// The wall clock at the beginning and at the end of what is genuine.
    @OrNull package internal(set) var begun: String? = nil
    @OrNull package internal(set) var ended: String? = nil
    /// Seconds.
    package internal(set) var duration: Double = 0
    @OrNull package internal(set) var ending: Ending? = nil
    /// Of a cut: where in the recording's file it begins, in seconds.
    @OrNull package internal(set) var cutFrom: Double? = nil
    /// How wrong the wall clock may have been, in seconds; nil: nothing set it.
    @OrNull package internal(set) var uncertainty: Double? = nil
    @OrNull package internal(set) var recorder: String? = nil
    @OrNull package internal(set) var software: String? = nil
    @OrNull package internal(set) var camera: String? = nil
    @OrNull package internal(set) var microphone: String? = nil
    @OrNull package internal(set) var recording: String? = nil
    /// Which file of the recording it is, from 1.
    @OrNull package internal(set) var number: Int? = nil
    package internal(set) var fragments = 0
    package internal(set) var samples = 0
    package internal(set) var problems: [Problem] = []
    /// What is in the file and no signature speaks of, by name.
    package internal(set) var notCovered: [String] = []

    init(file: String) { self.file = file }

    /// Adds what a player shows otherwise than was signed.
    package mutating func add(_ found: [Problem]) {
        guard !found.isEmpty else { return }
        problems = (problems + found).sorted { $0.from < $1.from }
        if verdict == .genuine { verdict = .altered }
    }

    package mutating func addNotCovered(_ what: String) { notCovered.append(what) }

    /// - Parameter from: where in the file that was recorded this begins, in seconds.
    mutating func describe(_ file: SignedHead.File, from: Double, duration: Double) {
        recorder = file.recorder
        software = file.software
        camera = file.camera
        microphone = file.microphone
        recording = file.recording
        number = file.number
        begun = file.begun
        guard let begun = SignedTime.date(file.begun) else { return }
        self.begun = SignedTime.text(begun.addingTimeInterval(from))
        ended = SignedTime.text(begun.addingTimeInterval(from + duration))
    }
}

/// What ties a file to those around it.
struct FileTies {
    var number: Int
    /// The hashes of its heads, the end last.
    var heads: Set<String> = []
    var last: String?
    var hasEnd = false
    /// What it says of the file before, as it learned.
    var before: SignedHead.FileBefore?
}
