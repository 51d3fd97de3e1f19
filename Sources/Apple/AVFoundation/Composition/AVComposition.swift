import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// A movie that is assembled from time ranges of other assets. It refers to their media and does not copy it.
open class AVComposition: AVAsset, NSMutableCopying, @unchecked Sendable {
    // Unchecked: mutable state is protected by locks.
    let core: CompositionCore
    private let objects = Locked<[Int: AVCompositionTrack]>([:])
    let options: [String: Any]
    let size = Locked<CGSize?>(nil)

    /// Creates a composition without tracks.
    public init() {
        core = CompositionCore()
        options = [:]
        super.init(engine: nil)
    }

    init(core: CompositionCore, options: [String: Any], size: CGSize?) {
        self.core = core
        self.options = options
        self.size.withLock { $0 = size }
        super.init(engine: nil)
    }

    override var engine: Asset { core.asset }
    override var keepsTracks: Bool { false }

    /// Returns a track of this composition's track class.
    func makeTrack(_ id: Int, _ mediaType: AVMediaType) -> AVCompositionTrack {
        AVCompositionTrack(id, mediaType, core, of: self)
    }

    /// Returns all tracks, including empty ones. The objects are the same each time.
    override func allTracks() -> [AVAssetTrack] { trackObjects }

    var trackObjects: [AVCompositionTrack] {
        let tracks = core.composition.tracks
        return objects.withLock { objects in
            tracks.map { track in
                if let known = objects[track.id] { return known }
                let made = makeTrack(track.id, AVMediaType(track.mediaType))
                objects[track.id] = made
                return made
            }
        }
    }

    open override var duration: CMTime { CMTime(core.composition.duration) }
    open override var naturalSize: CGSize { size.withLock { $0 } ?? super.naturalSize }
    /// The options with which the files of segments are opened.
    open var urlAssetInitializationOptions: [String: Any] { options }

    open override func copy() -> Any { copy(with: nil) }
    open override func copy(with zone: NSZone?) -> Any {
        AVComposition(core: core.replica, options: options, size: size.withLock { $0 })
    }
    open override func mutableCopy() -> Any { mutableCopy(with: nil) }
    open func mutableCopy(with zone: NSZone?) -> Any {
        AVMutableComposition(core: core.replica, options: options, size: size.withLock { $0 })
    }
}

/// Asynchronous loading of a composition's tracks, which are of the class `AVCompositionTrack`.
extension AVAsynchronousKeyValueLoading where Self: AVComposition {
    public var tracks: [AVCompositionTrack] { trackObjects }
    public func track(withTrackID trackID: CMPersistentTrackID) -> AVCompositionTrack? {
        trackObjects.first { $0.trackID == trackID }
    }
    public func tracks(withMediaType mediaType: AVMediaType) -> [AVCompositionTrack] {
        trackObjects.filter { $0.mediaType == mediaType }
    }
    public func tracks(withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic) -> [AVCompositionTrack] {
        trackObjects.filter { $0.hasMediaCharacteristic(mediaCharacteristic) }
    }
    public func loadTrack(withTrackID trackID: CMPersistentTrackID) async throws -> AVCompositionTrack? {
        track(withTrackID: trackID)
    }
    public func loadTracks(withMediaType mediaType: AVMediaType) async throws -> [AVCompositionTrack] {
        tracks(withMediaType: mediaType)
    }
    public func loadTracks(
        withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
    ) async throws -> [AVCompositionTrack] {
        tracks(withMediaCharacteristic: mediaCharacteristic)
    }
}
