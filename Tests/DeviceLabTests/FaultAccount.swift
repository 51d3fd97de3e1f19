/// What the faults of a soak themselves did to the files: its judgement does not ask for what they took away.
struct FaultAccount {
    /// Seconds of media in files that were deleted, at most.
    var deletedSeconds = 0.0
    /// What another recorder has made, by its identity, since directories are renamed: no claps are in it, and its account is its own.
    var strangers: Set<String> = []
}
