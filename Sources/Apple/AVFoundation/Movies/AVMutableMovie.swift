import AssetIO
public import Foundation
import MediaTypes
import MovieFile
import RealTime

/// The options for writing the header of a movie.
public struct AVMovieWritingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Writes the header into the movie's own file and keeps the media there.
    public static let addMovieHeaderToDestination = AVMovieWritingOptions([])
    /// Not supported. It would write a file with only a header, which refers to the media of another file.
    public static let truncateDestinationToMovieHeaderOnly = AVMovieWritingOptions(rawValue: 1)
}

/// A movie file whose header can be edited: its metadata, and the properties of its tracks. Only one thread at a time
/// may edit it.
///
/// Changes stay in memory until `writeHeader` writes them to the file. The media is never changed.
open class AVMutableMovie: AVMovie, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    let header: Locked<HeaderEditor>

    /// Opens a movie. Blocks the calling thread while the file's header is read.
    ///
    /// - Throws: an error for a file that cannot be opened or is not a movie. Also an error for a recording in
    ///   progress, and for a movie that consists of fragments.
    public init(url: URL, options: [String: Any]? = nil, error: Void) throws {
        do throws(MediaError) {
            guard url.isFileURL else {
                throw MediaError(
                    .unsupported, "cannot edit \(url.absoluteString)", reason: "it is not a file",
                    wayOut: "download it first")
            }
            header = Locked(try HeaderEditor(path: url.path))
        } catch {
            throw AVError(error)
        }
        super.init(url: url, options: options)
    }

    override func makeTrack(_ track: AssetTrack) -> AVAssetTrack { AVMutableMovieTrack(track, of: self) }

    /// The metadata, in the key spaces of the file. Setting the property removes the items that the new value does not
    /// contain. Items without an identifier or a value have no effect.
    open override var metadata: [AVMetadataItem] {
        get { super.metadata }
        set {
            header.withLock { header in
                // An item that was read from the file and is set again keeps its form in the file.
                let known = header.metadata.map { (item: AVMetadataItem($0), stored: $0) }
                var all: [MetadataItem] = []
                for item in newValue {
                    let stored = known.first { $0.item.isEqual(item) }?.stored
                    guard let new = stored ?? item.engine(for: header.isQuickTime ? .mov : .mp4) else { continue }
                    if let index = all.firstIndex(where: new.replaces) { all[index] = new } else { all.append(new) }
                }
                header.metadata = all
            }
        }
    }

    override func loadedMetadata() throws(MediaError) -> [AVMetadataItem] {
        header.withLock { $0.metadata }.map(AVMetadataItem.init)
    }

    /// Writes the header into the movie's file. Blocks the calling thread until the disk responds.
    ///
    /// The file grows by the size of its header. At every moment, it has a complete header, even if the program crashes
    /// or the disk is full.
    ///
    /// - Parameters:
    ///   - url: the URL of this movie.
    ///   - fileType: the type of the file.
    /// - Throws: an error for any other URL, type or option, for an invalid language, and for a signed recording. Also
    ///   an error for metadata that cannot be rewritten without loss, and if another program writes to the file or has
    ///   changed it.
    open func writeHeader(to url: URL, fileType: AVFileType, options: AVMovieWritingOptions = []) throws {
        do throws(MediaError) {
            let editor = header.withLock { $0 }
            let action = "cannot write the header of \(url.path)"
            guard !options.contains(.truncateDestinationToMovieHeaderOnly) else {
                throw MediaError(
                    .unsupported, action, reason: "a file with only a header would refer to the media of another file",
                    wayOut: "use addMovieHeaderToDestination")
            }
            guard let own = self.url, Self.isSame(url, own) else {
                throw MediaError(
                    .unsupported, action, reason: "the header can be written only into the movie's own file",
                    wayOut: "copy the file, and open the copy")
            }
            guard editor.isQuickTime == (fileType == .mov) else {
                throw MediaError(
                    .invalidSettings, action, reason: "the file is not of the type \(fileType.rawValue)",
                    wayOut: "export the movie to change its type")
            }
            let written = try editor.write()
            header.withLock { $0 = written }
        } catch {
            throw AVError(error)
        }
    }

    private static func isSame(_ one: URL, _ other: URL) -> Bool {
        one.isFileURL && one.resolvingSymlinksInPath().path == other.resolvingSymlinksInPath().path
    }
}

extension AVAsynchronousKeyValueLoading where Self: AVMutableMovie {
    public var tracks: [AVMutableMovieTrack] { allTracks(for: "tracks").compactMap { $0 as? AVMutableMovieTrack } }
    public func track(withTrackID trackID: CMPersistentTrackID) -> AVMutableMovieTrack? {
        allTracks().first { $0.trackID == trackID } as? AVMutableMovieTrack
    }
    public func tracks(withMediaType mediaType: AVMediaType) -> [AVMutableMovieTrack] {
        allTracks().filter { $0.mediaType == mediaType }.compactMap { $0 as? AVMutableMovieTrack }
    }
}
