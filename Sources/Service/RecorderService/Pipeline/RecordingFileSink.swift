import AssetIO
import MediaTypes

/// An event in a file's life.
enum RecordingFileEvent: Sendable {
    /// The file's directory is missing, and the recorder waits for it.
    case waiting(MediaError)
    /// The file exists, and is empty.
    case opened
    /// The file has a sample and can be played from now on.
    case began
    /// The state of a mirrored file has changed; its index is 0 or 1.
    case mirroredFile(Int, MirroredFileStatus)
    /// One track ended early; the other continues.
    case trackFailed(MediaType, MediaError)
    /// The user moved the file to this path while it was growing. The path is nil if it is unknown. Samples are still
    /// written to the file.
    case moved(String?)
    /// The file was moved, or another program has created a file with its name. The associated value is the path of the
    /// finalized file.
    case renamed(String)
    /// The file is finalized and has its name.
    case finished
    /// The file cannot be written any more. Data that was already synced remains in the file with the temporary name.
    case failed(MediaError)
    /// The file cannot grow, because it is too large, because it was deleted, or because its disk failed. Another file
    /// may continue with the samples from `rest`.
    case cutShort(MediaError)
}

/// One file of a recording while it is being written. `RecordingFile` is the real implementation; tests use one that
/// records calls.
///
/// The methods are called on encoder threads, one call at a time. They take constant time and never block, unless their
/// comments say otherwise.
protocol RecordingFileSink: AnyObject, Sendable {
    /// Stores a packet, and counts its frames in the file's accounts.
    func append(_ packet: SampleBuffer)
    /// Records that the video continues at this time without a packet: the last frame lasts longer.
    func continueVideo(at time: MediaTime)
    func addChapter(_ title: String, at time: MediaTime)
    /// Ends and finalizes the file; `finished` or `failed` follows.
    func finish(at end: MediaTime)
    /// Removes a file that is not wanted, or that failed while empty.
    func cancel()
    /// Removes the file after it failed, if this recorder created it and it is empty. Accesses the disk.
    ///
    /// - Returns: true if the file no longer exists.
    func discardEmpty() -> Bool
    /// Returns the samples that were not written when the file was cut short. The next file stores and counts them.
    ///
    /// - Parameter all: True to also return the samples that were written last, from a keyframe on.
    func rest(all: Bool) -> UnwrittenRest

    /// The end of the file, set by `finish`.
    var end: MediaTime? { get }
    var bytesWritten: Int64 { get }
    /// Bytes of media that the file has received but not written.
    var backlog: Int64 { get }
    /// The states of the two mirrored files; empty without a mirror.
    var mirroredFiles: [MirroredFileStatus] { get }
}

extension RecordingFileSink {
    func continueVideo(at time: MediaTime) {}
    var mirroredFiles: [MirroredFileStatus] { [] }
}

/// Begins a file. The file counts its packets in `accounts`, and calls `events` from any thread, in order.
typealias RecordingFileMaker =
    @Sendable (
        RecordingFileOpening, _ accounts: FileAccounts, _ events: @escaping @Sendable (RecordingFileEvent) -> Void
    ) -> any RecordingFileSink
