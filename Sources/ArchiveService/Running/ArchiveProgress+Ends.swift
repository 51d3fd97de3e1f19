extension ArchiveProgress {
    /// Records a task that was given up.
    mutating func note(_ end: TaskEnd) {
        switch end.ending {
        case .exited(let code): note(end.task, "its task ended with exit status \(code); its log says more")
        case .signalled(let number): note(end.task, "its task was ended by signal \(number), again and again")
        case .lost(let reason): note(end.task, "its task was lost: \(reason)")
        case .cancelled: note(end.task, "its task was cancelled")
        }
    }
}
