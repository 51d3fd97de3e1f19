/// What one attempt did with one film or one task: a line of the accounting.
package struct AccountLine: Sendable, Hashable, Codable {
    package enum Event: String, Sendable, Hashable, Codable {
        /// A process began the task.
        case begun
        /// The process ends, with `exit`.
        case ended
        /// A film was encoded, verified and put in its place.
        case made
        /// A film's copy was there already.
        case found
        /// A part of a film was encoded, to be joined with the others.
        case partMade
        /// A part was there already, or its film is done.
        case partFound
        /// A film is not done; `reason` says why.
        case failed
        /// A copy was encoded and verified, and is about to get its name: `receipt` says which.
        case verified
        /// A source was deleted, since its copy is safe.
        case deleted
        /// A source was to be deleted, and stays; `reason` says why.
        case kept
    }

    /// Seconds since 1970.
    package var time: Double
    package var event: Event
    package var task: Int
    /// As in the plan; nil where it is about the task.
    package var film: String?
    package var host: String
    package var process: Int32
    /// How often the engine had started the task before.
    package var restart: Int?
    package var exit: Int32?
    package var reason: String?
    /// Of work.
    package var seconds: Double?
    /// Seconds of film.
    package var duration: Double?
    package var inputBytes: Int64?
    package var bytes: Int64?
    /// SHA-256 of settings and source, as it stands in the copy.
    package var fingerprint: String?
    package var receipt: CopyReceipt?

    package init(_ event: Event, task: Int, film: String? = nil, host: String, process: Int32, time: Double) {
        (self.event, self.task, self.film) = (event, task, film)
        (self.host, self.process, self.time) = (host, process, time)
    }
}
