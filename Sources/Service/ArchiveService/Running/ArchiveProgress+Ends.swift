extension ArchiveProgress {
    /// Records a task that has failed for good.
    mutating func record(_ end: TaskEnd) {
        switch end.ending {
        case .exited(let code): record(end.task, "its task ended with exit status \(code); see its log")
        case .signalled(let number): record(end.task, "its task was killed by signal \(number) each time")
        case .lost(let reason): record(end.task, "its task was lost: \(reason)")
        case .cancelled: record(end.task, "its task was cancelled")
        }
    }
}
