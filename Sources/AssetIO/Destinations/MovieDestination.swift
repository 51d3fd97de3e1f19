package import MediaTypes
package import MovieFile

/// Where a muxer's movie goes: into one file, or out in segments.
///
/// `open` is called once, before everything else; `output`, `finish` and `close` by the muxer's thread alone; `discard` by
/// anybody.
package protocol MovieDestination: AnyObject, Sendable {
    /// What errors call it.
    var name: String { get }
    /// Where the movie is once it is whole.
    var finalPath: String { get }
    /// Where the movie is until it is whole; empty where it is never in one file.
    var temporaryPath: String { get }
    /// Fragments are segments: each can be decoded on its own, and none ends because time is up.
    var isSegmented: Bool { get }

    /// Looks whether the place is free, and takes it.
    ///
    /// - Throws: `outputExists`, `cannotCreate`, …; nothing of ours is left then.
    func open(_ configuration: MuxerConfiguration) throws(MediaError)

    /// Takes the fragments. Only once it is open.
    var output: any FragmentOutput { get }

    /// Makes the movie whole and returns its size in bytes.
    ///
    /// - Throws: what went wrong; what was written stays.
    func finish(_ facts: FinishingFacts) throws(MediaError) -> UInt64

    /// How its copies stand; empty where it is in one place.
    var copies: [CopyStatus] { get }

    /// Takes off what follows the last whole fragment: somebody else has it. Before `close`.
    func cut(to size: UInt64)

    /// Lets go of what is open, so that whoever hears of the end may use it.
    func close()

    /// Removes what was written, if it was opened. Wakes whoever waits in `output`.
    func discard()

    /// Removes the file if it is ours and holds no byte.
    ///
    /// - Returns: whether nothing of it is left.
    func discardEmpty() -> Bool
}

extension MovieDestination {
    package var finalPath: String { name }
    package var copies: [CopyStatus] { [] }
    package func cut(to size: UInt64) {}
    package func discardEmpty() -> Bool { false }
}
