/// A line of the accounting: the result of one attempt at one movie or one task.
package struct AccountLine: Sendable, Hashable, Codable {
    package enum Event: String, Sendable, Hashable, Codable {
        /// A process began the task.
        case begun
        /// The process that ran the task ended. `exit` is its exit status.
        case ended
        /// A copy was encoded and verified, and has its final name.
        case made
        /// A movie's copy already existed.
        case found
        /// A part of a movie was encoded. It is joined with the other parts later.
        case partMade
        /// A part already existed, or was not needed because its movie is done.
        case partFound
        /// A movie failed. `reason` is the cause.
        case failed
        /// A copy was encoded and verified, and is about to get its name. `receipt` identifies the copy.
        case verified
        /// A source was deleted, because its copy is safe.
        case deleted
        /// A source should have been deleted but was kept. `reason` is the cause.
        case kept
    }

    /// Seconds since 1970.
    package var time: Double
    package var event: Event
    package var task: Int
    /// The movie's path as in the plan; nil for a line about the entire task.
    package var movie: String?
    package var host: String
    package var process: Int32
    /// The number of times that the engine itself had restarted the task; nil if the engine never restarts tasks.
    package var restart: Int?
    package var exit: Int32?
    package var reason: String?
    /// The duration of the work in seconds; nil if the line does not report work.
    package var seconds: Double?
    /// The movie's duration in seconds.
    package var duration: Double?
    package var inputBytes: Int64?
    package var bytes: Int64?
    /// The fingerprint of the copy: the SHA-256 of the program, the source and the settings.
    package var fingerprint: String?
    /// Descriptions of what the copy lacks, one line each; nil if it lacks nothing, or if the line is not about a new
    /// copy.
    package var leftOut: [String]?
    package var receipt: TranscodeReceipt?

    private enum CodingKeys: String, CodingKey {
        case time, event, task
        case movie = "file"
        case host, process, restart, exit, reason, seconds, duration, inputBytes, bytes, fingerprint, leftOut, receipt
    }

    package init(_ event: Event, task: Int, movie: String? = nil, host: String, process: Int32, time: Double) {
        (self.event, self.task, self.movie) = (event, task, movie)
        (self.host, self.process, self.time) = (host, process, time)
    }

    /// The maximum duration in seconds. The sum of a million of them is a number too.
    private static let longest = 1e12
    /// The maximum number of restarts.
    private static let mostRestarts = 1_000_000

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        time = try fields.decode(Double.self, forKey: .time)
        event = try fields.decode(Event.self, forKey: .event)
        task = try fields.decode(Int.self, forKey: .task)
        movie = try fields.decodeIfPresent(String.self, forKey: .movie)
        if movie == nil {
            movie = try decoder.container(keyedBy: EarlierName.self).decodeIfPresent(String.self, forKey: .movie)
        }
        host = try fields.decode(String.self, forKey: .host)
        process = try fields.decode(Int32.self, forKey: .process)
        restart = try fields.decodeIfPresent(Int.self, forKey: .restart).map { min(max(0, $0), Self.mostRestarts) }
        exit = try fields.decodeIfPresent(Int32.self, forKey: .exit)
        reason = try fields.decodeIfPresent(String.self, forKey: .reason)
        // Durations are only displayed, so an impossible one is ignored.
        func duration(_ key: CodingKeys) throws -> Double? {
            try fields.decodeIfPresent(Double.self, forKey: key).flatMap { (0...Self.longest).contains($0) ? $0 : nil }
        }
        func size(_ key: CodingKeys) throws -> Int64? {
            let size = try fields.decodeIfPresent(Int64.self, forKey: key)
            guard size ?? 0 >= 0 else {
                throw DecodingError.dataCorruptedError(forKey: key, in: fields, debugDescription: "it is negative")
            }
            return size
        }
        seconds = try duration(.seconds)
        self.duration = try duration(.duration)
        inputBytes = try size(.inputBytes)
        bytes = try size(.bytes)
        fingerprint = try fields.decodeIfPresent(String.self, forKey: .fingerprint)
        leftOut = try fields.decodeIfPresent([String].self, forKey: .leftOut)
        receipt = try fields.decodeIfPresent(TranscodeReceipt.self, forKey: .receipt)
    }
}
