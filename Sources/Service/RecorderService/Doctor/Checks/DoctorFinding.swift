package import MediaTypes

/// The result of one check of `recorder doctor`: one line.
package struct DoctorFinding: Encodable, Sendable, Equatable {
    /// The verdicts, from the best to the worst.
    package enum Verdict: String, Encodable, Sendable, CaseIterable, Comparable {
        case ok
        /// Recording works, but something is missing or could fail.
        case hint
        /// The check could not be made.
        case unknown
        /// The finding prevents recording.
        case problem

        package static func < (one: Verdict, other: Verdict) -> Bool { one.rank < other.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    package enum Check: String, Encodable, Sendable {
        case configuration, permissions, devices, space, speed, clock, limits, page, service, features
    }

    package let check: Check
    /// The object of the check, such as a recorder, a folder or "cameras".
    package let subject: String
    package let verdict: Verdict
    package let text: String
    /// Advice; null if there is nothing to do, or if none is known.
    @OrNull package var wayOut: String?
    /// The measured numbers, by their names in docs/reference/json.md.
    package let values: [String: Double]

    init(
        _ check: Check, _ subject: String, _ verdict: Verdict, _ text: String, wayOut: String? = nil,
        values: [String: Double] = [:]
    ) {
        self.check = check
        self.subject = subject
        self.verdict = verdict
        self.text = text
        self.wayOut = wayOut
        self.values = values
    }

    /// Creates the finding for an error, with its raw code.
    init(_ check: Check, _ subject: String, _ verdict: Verdict, _ error: MediaError) {
        let text = MediaError(error.code, error.action, reason: error.reason, underlying: error.underlying).description
        self.init(check, subject, verdict, text, wayOut: error.wayOut.isEmpty ? nil : error.wayOut)
    }

    /// The line for users: "problem  cameras: this user may not use /dev/video0; run …".
    package var line: String {
        let column = verdict.rawValue + String(repeating: " ", count: max(1, 9 - verdict.rawValue.count))
        return "\(column)\(subject): \(text)" + (wayOut.map { "; " + $0 } ?? "")
    }
}
