/// What is handed through to Slurm.
package struct SlurmOptions: Sendable, Hashable, Codable {
    package var partition: String?
    package var account: String?
    package var qos: String?
    /// Slurm's own, which lets other jobs go first.
    package var nice: Int?
    /// Minutes a task may take.
    package var timeLimit: Int?
    /// Tasks of an array that run at once; nil: as many as there is room for.
    package var throttle: Int?
    /// Processors of a task.
    package var threads = ArchiveSettings.standardThreads
    /// Where a node works, on its own disk; nil: beside the outputs.
    package var stage: String?

    package init() {}

    /// Largest array (MaxArraySize is 1001 by default, and the largest index one less).
    package static let largestArray = 1000
    /// Tasks in the queue at once: MaxJobCount is 10,000 by default, and others have jobs too.
    package static let largestWindow = 4000
    /// How often a task is begun again.
    package static let mostRestarts = 3
}
