/// The effects of a soak's faults on the files, which the judgement allows for.
struct FaultAccount {
    /// The maximum seconds of media in deleted files.
    var deletedSeconds = 0.0
    /// The files of another recorder, by identity, since directories are renamed. They contain no claps and have their
    /// own drop counts.
    var strangers: Set<String> = []
}
