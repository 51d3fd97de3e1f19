import AssetIO
import MediaTypes

/// What a file tells of its own accord.
enum RecordingFileEvent: Sendable {
    /// The directory that it belongs to is gone, and is waited for.
    case waiting(MediaError)
    /// It is there, and nothing is in it yet.
    case opened
    /// It holds a sample: it can be played from now on.
    case began
    /// One of its two copies, 0 or 1, stands otherwise than before.
    case copy(Int, CopyStatus)
    /// One track ended early; the other goes on.
    case trackFailed(MediaType, MediaError)
    /// Its owner moved it while it grew, to this path; nil: no path leads to it. What it is given still goes there.
    case moved(String?)
    /// Somebody took its name meanwhile, or it was moved: it is going to be whole, or is, under this one.
    case renamed(String)
    /// It is whole and has its name.
    case finished
    /// Nothing more can be written. What was synced stays under the temporary name.
    case failed(MediaError)
    /// It can take no more, and another may: it may not grow, was deleted, or its disk failed. `rest` is for the next one.
    case cutShort(MediaError)
}

/// One file of a recording while it is written. `RecordingFile` is the real one; tests have one that remembers.
///
/// Everything here is constant work and never waits: it is called on encoder threads, one call at a time.
protocol RecordingFileSink: AnyObject, Sendable {
    func append(_ packet: SampleBuffer)
    /// Enters a loss into the file's own account.
    func noteLoss(_ mediaType: MediaType, count: Int64, cause: DropCause)
    func addChapter(_ title: String, at time: MediaTime)
    /// Nothing more comes: the file becomes whole, and `finished` or `failed` tells of it.
    func finish(at end: MediaTime)
    /// The file is not wanted, or failed with nothing in it: removes it.
    func cancel()
    /// Removes the file after it failed, where it is ours and holds no byte. Touches the disk.
    ///
    /// - Returns: whether nothing of it is left.
    func discardEmpty() -> Bool
    /// What was given and is not written, once it was cut short: for another file, which has it in its account from then on.
    ///
    /// - Parameter all: also what was written last, from a key frame on.
    func rest(all: Bool) -> UnwrittenRest

    /// Where it ends, once `finish` said so.
    var end: MediaTime? { get }
    var bytesWritten: Int64 { get }
    /// Bytes of media that were given and are not in the file yet.
    var backlog: Int64 { get }
    func ledger(_ mediaType: MediaType) -> Ledger
    /// How its two copies stand; empty for one that is in one place.
    var copies: [CopyStatus] { get }
}

extension RecordingFileSink {
    var copies: [CopyStatus] { [] }
}

/// Begins a file. `events` is called from any thread, in order.
typealias RecordingFileMaker =
    @Sendable (RecordingFileOpening, _ events: @escaping @Sendable (RecordingFileEvent) -> Void) ->
    any RecordingFileSink
