/// The options passed to Slurm.
package struct SlurmOptions: Sendable, Hashable, Codable {
    package var partition: String?
    package var account: String?
    package var qos: String?
    /// The niceness of the jobs (`sbatch --nice`), which gives other jobs a higher priority; nil to omit the option.
    package var nice: Int?
    /// The time limit of a task in minutes; nil for the cluster's default.
    package var timeLimit: Int?
    /// The maximum number of tasks of an array that run at once; nil for no limit.
    package var throttle: Int?
    /// The number of CPUs of a task.
    package var threads = ArchiveSettings.standardThreads
    /// A working directory on the node's own disk; nil to work beside the outputs.
    package var stage: String?

    package init() {}

    /// The maximum number of tasks in an array. MaxArraySize is 1001 by default, and indices must be less than it.
    package static let largestArray = 1000
    /// The maximum number of queued tasks. MaxJobCount is 10,000 by default, and leaves space for the jobs of other
    /// users.
    package static let largestWindow = 4000
    /// The maximum number of restarts of a task.
    package static let mostRestarts = 3
}
