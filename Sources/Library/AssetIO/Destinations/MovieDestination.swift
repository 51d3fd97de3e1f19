package import MediaTypes
package import MovieFile

/// The output of a muxer: one file, or a sequence of segments.
///
/// `open` is called once, before everything else. `output`, `finish` and `close` are called by the muxer's thread
/// alone, `discard` and `abandon` by any thread.
package protocol MovieDestination: AnyObject, Sendable {
    /// The name used in errors.
    var name: String { get }
    /// The path of the finalized movie.
    var finalPath: String { get }
    /// The path of the movie until it is finalized; empty if it is never in one file.
    var temporaryPath: String { get }
    /// True if fragments are segments: each can be decoded on its own, and none ends because of elapsed time.
    var isSegmented: Bool { get }

    /// Checks that the output's name is free, and creates the output.
    ///
    /// - Throws: `outputExists`, `cannotCreate`, …; in that case, nothing that was created is left.
    func open(_ configuration: MuxerConfiguration) throws(MediaError)

    /// The sink for fragments. Used only after `open`.
    var output: any FragmentOutput { get }

    /// Finalizes the movie and returns its size in bytes.
    ///
    /// - Throws: the error that occurred; the written data remains.
    func finish(_ facts: FinishingInfo) throws(MediaError) -> UInt64

    /// The states of the two mirrored files; empty for an output that is not mirrored.
    var mirroredFiles: [MirroredFileStatus] { get }

    /// Removes the data after the last complete fragment, because another file has that data. Called before `close`.
    func cut(to size: UInt64)

    /// Closes all files, so that they can be used as soon as the end is reported.
    func close()

    /// Removes the written data, if the destination was opened. Wakes a thread that waits in `output`.
    func discard()

    /// Ends the output without finalizing it, and keeps the written data. Wakes a thread that waits in `output`. Called
    /// when the movie has failed or was released.
    func abandon()

    /// Removes the file if this destination owns it and it is empty.
    ///
    /// - Returns: true if the destination has no file any more.
    func discardEmpty() -> Bool
}

extension MovieDestination {
    package var finalPath: String { name }
    package var mirroredFiles: [MirroredFileStatus] { [] }
    package func cut(to size: UInt64) {}
    package func abandon() {}
    package func discardEmpty() -> Bool { false }
}
