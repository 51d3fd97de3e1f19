import AssetIO
public import Foundation
import MediaTypes

/// A movie file. The mutable subclass can edit its header. Creating a movie does not read the file.
open class AVMovie: AVAsset, @unchecked Sendable {
    // Unchecked: constant.
    private let file: URL

    /// - Parameter options: only `AVURLAssetPreferPreciseDurationAndTimingKey` has an effect.
    public init(url: URL, options: [String: Any]? = nil) {
        file = url
        let precise = (options?[AVURLAssetPreferPreciseDurationAndTimingKey] as? NSNumber)?.boolValue ?? false
        super.init(engine: Asset(url: url, prefersPreciseDurationAndTiming: precise))
    }

    open var url: URL? { file }

    override func makeTrack(_ track: AssetTrack) -> AVAssetTrack { AVMovieTrack(track, of: self) }
}

extension AVAsynchronousKeyValueLoading where Self: AVMovie {
    public var tracks: [AVMovieTrack] { allTracks(for: "tracks").compactMap { $0 as? AVMovieTrack } }
    public func track(withTrackID trackID: CMPersistentTrackID) -> AVMovieTrack? {
        allTracks().first { $0.trackID == trackID } as? AVMovieTrack
    }
    public func tracks(withMediaType mediaType: AVMediaType) -> [AVMovieTrack] {
        allTracks().filter { $0.mediaType == mediaType }.compactMap { $0 as? AVMovieTrack }
    }
}

/// One track of a movie file.
open class AVMovieTrack: AVAssetTrack, @unchecked Sendable {
    // Unchecked: like its superclass.
    /// The group of alternative tracks; 0 for a track without alternatives.
    open var alternateGroupID: Int { engine?.alternateGroup ?? 0 }
}
