import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// A composition to be edited. Editing reads nothing of the media. One thread edits at a time.
open class AVMutableComposition: AVComposition, @unchecked Sendable {
    // Unchecked: what changes is behind locks.

    /// - Parameter options: what URLs of segments are opened with.
    public convenience init(urlAssetInitializationOptions options: [String: Any]? = nil) {
        self.init(core: CompositionCore(), options: options ?? [:], size: nil)
    }

    override func makeTrack(_ id: Int, _ mediaType: AVMediaType) -> AVCompositionTrack {
        AVMutableCompositionTrack(id, mediaType, core, of: self)
    }

    /// That of the first video track, unless it is set.
    open override var naturalSize: CGSize {
        get { super.naturalSize }
        set { size.withLock { $0 = newValue } }
    }

    // MARK: Tracks

    /// Adds a track with nothing in it.
    ///
    /// - Parameter preferredTrackID: `kCMPersistentTrackID_Invalid`, or a number that is taken: one that is free.
    /// - Returns: nil for what is neither video nor audio.
    open func addMutableTrack(
        withMediaType mediaType: AVMediaType, preferredTrackID: CMPersistentTrackID
    ) -> AVMutableCompositionTrack? {
        guard let type = mediaType.engine else { return nil }
        let id = try? core.edit { composition throws(MediaError) in
            let isFree = preferredTrackID > 0 && composition.track(withID: Int(preferredTrackID)) == nil
            let id = try composition.addTrack(mediaType: type, preferredID: isFree ? Int(preferredTrackID) : nil)
            try composition.configureTrack(id) { $0.preferredTransform = .identity }
            return id
        }
        guard let id else { return nil }
        return trackObjects.first { $0.id == id } as? AVMutableCompositionTrack
    }

    /// Nothing happens for a track of another composition.
    open func removeTrack(_ track: AVCompositionTrack) {
        guard track.core === core else { return }
        _ = try? core.edit { composition throws(MediaError) in try composition.removeTrack(track.id) }
    }

    /// The track into which a time range of the other track is best inserted: of the same kind, and of the same format if
    /// there is one.
    open func mutableTrack(compatibleWith track: AVAssetTrack) -> AVMutableCompositionTrack? {
        let known = trackObjects.filter { $0.mediaType == track.mediaType }
        let format = track.engine?.formatDescription
        let best = known.first { $0.engine?.formatDescription == format } ?? known.first
        return best as? AVMutableCompositionTrack
    }

    // MARK: Editing

    /// Puts a time range of all video and audio tracks of another asset in. The tracks there are take them in their order,
    /// and new ones are added where they are too few, turned as those of the asset. Everything from `startTime` on comes
    /// later by the length of the range, in every track.
    ///
    /// Blocks the calling thread while the asset's header is read.
    ///
    /// - Parameter startTime: invalid: the end of the composition.
    /// - Throws: `AVError` for a range that is empty or not within the asset, an asset without video and audio, and for what
    ///   cannot be read. The composition is then as it was.
    open func insertTimeRange(_ timeRange: CMTimeRange, of asset: AVAsset, at startTime: CMTime) throws {
        let (range, engine) = (timeRange.media, asset.engine)
        do {
            try core.edit { composition throws(MediaError) in
                let time = startTime.isNumeric ? startTime.media : composition.duration
                try composition.insertEveryTrackNow(range, of: engine, at: time)
            }
        } catch { throw AVError(error) }
    }

    /// The same; no thread of Swift's pool waits.
    open func insertTimeRange(_ timeRange: CMTimeRange, of asset: AVAsset, at startTime: CMTime) async throws {
        let work: @Sendable () throws -> Void = {
            try self.insertTimeRange(timeRange, of: asset, at: startTime)
        }
        try await OffPool.run(work)
    }

    @preconcurrency
    open func insertTimeRange(
        _ timeRange: CMTimeRange, of asset: AVAsset, at startTime: CMTime,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        OffPool.queue.async {
            do {
                try self.insertTimeRange(timeRange, of: asset, at: startTime)
                completionHandler(nil)
            } catch { completionHandler(error) }
        }
    }

    /// Makes room in all tracks; behind the end of one nothing happens. A range that is none changes nothing.
    open func insertEmptyTimeRange(_ timeRange: CMTimeRange) {
        _ = try? core.edit { composition throws(MediaError) in
            try composition.insertEmptyTimeRange(timeRange.media)
        }
    }

    /// Takes a stretch out of all tracks; what comes later follows at once. A range that is none changes nothing.
    open func removeTimeRange(_ timeRange: CMTimeRange) {
        _ = try? core.edit { composition throws(MediaError) in try composition.removeTimeRange(timeRange.media) }
    }

    /// Has a stretch of all tracks take another time. Sound gets another pitch with it.
    open func scaleTimeRange(_ timeRange: CMTimeRange, toDuration duration: CMTime) {
        _ = try? core.edit { composition throws(MediaError) in
            try composition.scaleTimeRange(timeRange.media, to: duration.media)
        }
    }
}

extension AVAsynchronousKeyValueLoading where Self: AVMutableComposition {
    private var mutableTracks: [AVMutableCompositionTrack] {
        trackObjects.compactMap { $0 as? AVMutableCompositionTrack }
    }
    public var tracks: [AVMutableCompositionTrack] { mutableTracks }
    public func track(withTrackID trackID: CMPersistentTrackID) -> AVMutableCompositionTrack? {
        mutableTracks.first { $0.trackID == trackID }
    }
    public func tracks(withMediaType mediaType: AVMediaType) -> [AVMutableCompositionTrack] {
        mutableTracks.filter { $0.mediaType == mediaType }
    }
    public func tracks(
        withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
    ) -> [AVMutableCompositionTrack] {
        mutableTracks.filter { $0.hasMediaCharacteristic(mediaCharacteristic) }
    }
    public func loadTrack(withTrackID trackID: CMPersistentTrackID) async throws -> AVMutableCompositionTrack? {
        track(withTrackID: trackID)
    }
    public func loadTracks(withMediaType mediaType: AVMediaType) async throws -> [AVMutableCompositionTrack] {
        tracks(withMediaType: mediaType)
    }
    public func loadTracks(
        withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
    ) async throws -> [AVMutableCompositionTrack] {
        tracks(withMediaCharacteristic: mediaCharacteristic)
    }
}
