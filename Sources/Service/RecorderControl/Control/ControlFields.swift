import MediaTypes

/// The empty body of a request without fields.
package struct NoFields: ControlFields {
    package static let names: [String] = []
}

/// A request with an optional time: `POST /v1/record`, `/v1/pause`, `/v1/resume`.
struct MomentFields: ControlFields {
    static let names = ["at"]

    /// The time at which the request takes effect, in seconds of `CLOCK_MONOTONIC`; nil for now.
    let at: Double?

    func moment(now: Int64) throws(ControlError) -> MediaTime? { try Self.moment(at, now: now) }

    /// Converts the request's time.
    ///
    /// - Throws: An error if the time is more than an hour ago, or more than ten seconds in the future.
    static func moment(_ seconds: Double?, now: Int64) throws(ControlError) -> MediaTime? {
        guard let seconds else { return nil }
        guard seconds >= 0 else { throw .badRequest("cannot schedule the request: “at” must be at least 0") }
        let distance = seconds - Double(now) / 1e9
        guard distance >= -3600, distance <= 10 else {
            throw ControlError(
                .conflict, "invalidState", "cannot schedule the request: “at” is too far from now",
                wayOut: "use seconds of CLOCK_MONOTONIC, from one hour ago to 10 s from now")
        }
        return MediaTime(nanoseconds: Int64(clamping: (seconds * 1e9).rounded()))
    }
}

/// The body of `POST /v1/stop`.
struct StopFields: ControlFields {
    static let names = ["disarm", "at"]

    let disarm: Bool?
    /// The time at which the recording ends; same as `MomentFields.at`.
    let at: Double?
}

/// The body of `POST /v1/save`.
struct SaveFields: ControlFields {
    static let names = ["last", "file"]

    /// The duration in seconds; nil for the entire pre-roll.
    let last: Double?
    let file: String?

    /// Maximum number of characters (Unicode scalars) of a path. A path of this length fits into Linux' limit of 4095
    /// bytes, whatever its characters are.
    static let longestPath = 1023

    /// Converts the duration.
    ///
    /// - Throws: An error for less than a millisecond or more than a year.
    func duration() throws(ControlError) -> MediaTime? {
        guard let last else { return nil }
        guard last >= 0.001, last <= 31_536_000 else {
            throw .badRequest("cannot save: “last” must be from 0.001 seconds to a year")
        }
        return MediaTime(seconds: last)
    }

    func path() throws(ControlError) -> String? {
        guard let file else { return nil }
        guard file.hasPrefix("/"), file.unicodeScalars.count <= Self.longestPath, !file.utf8.contains(0) else {
            throw .badRequest("cannot save: “file” must be an absolute path of at most \(Self.longestPath) characters")
        }
        return file
    }
}

/// The body of `POST /v1/mark`.
struct MarkFields: ControlFields {
    static let names = ["title", "at"]
    /// Maximum number of characters (Unicode scalars) of a title. A chapter's text sample can store many more.
    static let longest = 256

    let title: String
    /// The time of the mark; same as `MomentFields.at`.
    let at: Double?

    func text() throws(ControlError) -> String {
        let isLine = title.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard !title.isEmpty, title.unicodeScalars.count <= Self.longest, isLine else {
            throw .badRequest("cannot set a mark: “title” must be one line of 1 to \(Self.longest) characters")
        }
        return title
    }
}

/// The answer to `POST /v1/reload`.
struct ReloadAnswer: Codable, Sendable, Equatable {
    /// One line for each setting that changed.
    let changes: [String]
}
