import MediaTypes

/// The accounts of both tracks of one recording.
struct TrackAccounts: Sendable {
    private let video = TrackAccount()
    private let audio = TrackAccount()

    init() {}

    subscript(_ type: MediaType) -> TrackAccount { type == .video ? video : audio }

    /// Adds the parts of a file that begins.
    func begin(_ number: Int) -> FileAccounts { FileAccounts(video: video.begin(number), audio: audio.begin(number)) }

    /// Adds the parts of a finalized or lost file to the sums, and removes the parts.
    func settle(_ number: Int) {
        video.settle(number)
        audio.settle(number)
    }
}

/// The parts of one file in the accounts of its tracks. A file outside any recording, such as a saved pre-roll, has
/// parts that belong to no account.
struct FileAccounts: Sendable {
    var video = TrackAccount.File()
    var audio = TrackAccount.File()

    subscript(_ type: MediaType) -> TrackAccount.File { type == .video ? video : audio }

    func close() {
        video.close()
        audio.close()
    }
}
