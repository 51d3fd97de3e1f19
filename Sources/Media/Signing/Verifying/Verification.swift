import Foundation
package import MediaTypes

/// The result of verifying a signed recording. The JSON object of `recorder verify --json`.
package struct Verification: Codable, Sendable, Equatable {
    package enum Verdict: String, Codable, Sendable {
        /// Everything that the signature covers is as it was signed.
        case genuine
        /// Something that the signature covers was changed, or is missing.
        case altered
        /// The file has no signature.
        case unsigned
        /// The signature was made with another key.
        case otherKey
    }

    package enum Ending: String, Codable, Sendable {
        case signed
        /// The end is not signed, because of a crash or a truncation. The two cannot be distinguished.
        case unsigned
        /// A part of a recording. Its start and end are not signed.
        case cut
    }

    /// A time range that is not as it was signed, in seconds from the start of the movie.
    package struct Problem: Codable, Sendable, Equatable {
        package var from: Double
        /// The end in seconds; nil means the end of the movie.
        @OrNull package var to: Double?
        package var what: String
    }

    package internal(set) var file: String
    package internal(set) var verdict = Verdict.unsigned
    /// The wall clock at the start and at the end of the genuine part.
    @OrNull package internal(set) var begun: String? = nil
    @OrNull package internal(set) var ended: String? = nil
    /// The duration of the genuine part, in seconds.
    package internal(set) var duration: Double = 0
    @OrNull package internal(set) var ending: Ending? = nil
    /// The start of a cut within the file of the recording, in seconds.
    @OrNull package internal(set) var cutFrom: Double? = nil
    /// The possible error of the wall clock, in seconds; nil if no program set it.
    @OrNull package internal(set) var uncertainty: Double? = nil
    @OrNull package internal(set) var recorder: String? = nil
    @OrNull package internal(set) var software: String? = nil
    @OrNull package internal(set) var camera: String? = nil
    @OrNull package internal(set) var microphone: String? = nil
    @OrNull package internal(set) var recording: String? = nil
    /// The number of the file in the recording, from 1.
    @OrNull package internal(set) var number: Int? = nil
    package internal(set) var fragments = 0
    package internal(set) var samples = 0
    package internal(set) var problems: [Problem] = []
    /// The parts of the file that no signature covers, by name.
    package internal(set) var notCovered: [String] = []

    init(file: String) { self.file = file }

    /// Adds the differences between what a player shows and what was signed.
    package mutating func add(_ found: [Problem]) {
        guard !found.isEmpty else { return }
        problems = (problems + found).sorted { $0.from < $1.from }
        if verdict == .genuine { verdict = .altered }
    }

    package mutating func addNotCovered(_ what: String) { notCovered.append(what) }

    /// - Parameter from: the start of this movie within the recorded file, in seconds.
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

/// The facts that link a file to the previous and the next one.
struct FileTies {
    var number: Int
    /// The hashes of the file's heads, including the end.
    var heads: Set<String> = []
    var last: String?
    /// The latest statement about the previous file.
    var before: SignedHead.FileBefore?
}
