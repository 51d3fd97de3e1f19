import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// An editable composition. Editing does not read the media. Only one thread at a time may edit it.
open class AVMutableComposition: AVComposition, @unchecked Sendable {
    // Unchecked: mutable state is protected by locks.

    /// - Parameter options: the options with which the files of segments are opened.
    public convenience init(urlAssetInitializationOptions options: [String: Any]? = nil) {
        self.init(core: CompositionCore(), options: options ?? [:], size: nil)
    }

    override func makeTrack(_ id: Int, _ mediaType: AVMediaType) -> AVCompositionTrack {
        AVMutableCompositionTrack(id, mediaType, core, of: self)
    }

    /// The natural size. If it is not set, it is the size of the first video track.
    open override var naturalSize: CGSize {
        get { super.naturalSize }
        set { size.withLock { $0 = newValue } }
    }

    // MARK: Tracks

    /// Adds an empty track.
    ///
    /// - Parameter preferredTrackID: the track ID; if it is `kCMPersistentTrackID_Invalid` or in use, a free ID is
    ///   chosen.
    /// - Returns: nil if the type is neither video nor audio.
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

    /// Removes a track. Does nothing for a track of another composition.
    open func removeTrack(_ track: AVCompositionTrack) {
        guard track.core === core else { return }
        _ = try? core.edit { composition throws(MediaError) in try composition.removeTrack(track.id) }
    }

    /// Returns the best track for inserting a time range of another track. The result has the same media type, and the
    /// same format if possible.
    open func mutableTrack(compatibleWith track: AVAssetTrack) -> AVMutableCompositionTrack? {
        let known = trackObjects.filter { $0.mediaType == track.mediaType }
        let format = track.engine?.formatDescription
        let best = known.first { $0.engine?.formatDescription == format } ?? known.first
        return best as? AVMutableCompositionTrack
    }

    // MARK: Editing

    /// Inserts a time range of all video and audio tracks of another asset. Existing tracks are used in order. If there
    /// are too few, new ones are added with the transforms of the asset's tracks. In every track, all content from
    /// `startTime` on moves later by the duration of the range.
    ///
    /// Blocks the calling thread while the asset's header is read.
    ///
    /// - Parameter startTime: the position; invalid means the end of the composition.
    /// - Throws: `AVError` for a range that is empty or not within the asset, an asset without video and audio, and
    ///   media that cannot be read. The composition is then unchanged.
    open func insertTimeRange(_ timeRange: CMTimeRange, of asset: AVAsset, at startTime: CMTime) throws {
        let (range, engine) = (timeRange.media, asset.engine)
        do {
            try core.edit { composition throws(MediaError) in
                let time = startTime.isNumeric ? startTime.media : composition.duration
                try composition.insertEveryTrackNow(range, of: engine, at: time)
            }
        } catch { throw AVError(error) }
    }

    /// An asynchronous variant. It does not block a thread of Swift's pool.
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

    /// Inserts a gap in all tracks, but not after the end of a track. An invalid range changes nothing.
    open func insertEmptyTimeRange(_ timeRange: CMTimeRange) {
        _ = try? core.edit { composition throws(MediaError) in
            try composition.insertEmptyTimeRange(timeRange.media)
        }
    }

    /// Removes a time range from all tracks; later content moves earlier to close the gap. An invalid range changes
    /// nothing.
    open func removeTimeRange(_ timeRange: CMTimeRange) {
        _ = try? core.edit { composition throws(MediaError) in try composition.removeTimeRange(timeRange.media) }
    }

    /// Changes the duration of a time range in all tracks. The pitch of audio changes with it.
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
