extension ArchiveProgress {
    /// Records a task that was given up.
    mutating func note(_ end: TaskEnd) {
        switch end.ending {
        case .exited(let code): note(end.task, "its task ended with exit status \(code); see its log")
        case .signalled(let number): note(end.task, "its task was killed by signal \(number) each time")
        case .lost(let reason): note(end.task, "its task was lost: \(reason)")
        case .cancelled: note(end.task, "its task was cancelled")
        }
    }
}
