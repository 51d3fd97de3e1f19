import MediaTypes
import MovieFile
import RealTime

/// Writes a movie to two files on two disks. Each file alone is the complete movie.
///
/// The movie has the path of the first file, unless only the second file was finalized.
final class MirroredDestination: MovieDestination {
    private let mirror: FileMirror
    private let wholePath = Locked<String?>(nil)

    /// - Parameter mirror: the two mirrored files.
    init(_ mirror: FileMirror) { self.mirror = mirror }

    var name: String { mirror.places[0].destination.name }
    var finalPath: String { wholePath.withLock { $0 } ?? name }
    var temporaryPath: String { mirror.places[0].destination.temporaryPath }
    var isSegmented: Bool { false }

    func open(_ configuration: MuxerConfiguration) throws(MediaError) { try mirror.open() }

    var output: any FragmentOutput {
        MirrorOutput { [mirror] block throws(MediaError) in try mirror.hand(block) }
    }

    func finish(_ facts: FinishingInfo) throws(MediaError) -> UInt64 {
        let (size, index) = try mirror.finish(facts)
        let path = mirror.places[index].destination.finalPath
        wholePath.withLock { $0 = path }
        return size
    }

    func close() { mirror.close() }
    func discard() { mirror.discard() }

    func discardEmpty() -> Bool {
        mirror.places.map { $0.destination.discardEmpty() }.allSatisfy(\.self)
    }

    var mirroredFiles: [MirroredFileStatus] { mirror.statuses }
}
