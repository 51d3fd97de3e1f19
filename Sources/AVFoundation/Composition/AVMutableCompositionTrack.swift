import AssetIO
public import Foundation
import MediaTypes

/// A composition's track to be edited. One thread edits at a time.
open class AVMutableCompositionTrack: AVCompositionTrack, @unchecked Sendable {
    // Unchecked: what changes is behind the core's lock.

    private func configure(_ change: (inout Composition.Track) -> Void) {
        _ = try? core.edit { composition throws(MediaError) in try composition.configureTrack(id, change) }
    }

    open override var isEnabled: Bool {
        get { super.isEnabled }
        set { configure { $0.isEnabled = newValue } }
    }
    open override var naturalTimeScale: CMTimeScale {
        get { super.naturalTimeScale }
        set { core[extrasOf: id].naturalTimeScale = newValue > 0 ? newValue : nil }
    }
    /// ISO 639-2/T.
    open override var languageCode: String? {
        get { super.languageCode }
        set { configure { $0.languageCode = newValue } }
    }
    /// BCP 47.
    open override var extendedLanguageTag: String? {
        get { super.extendedLanguageTag }
        set { configure { $0.extendedLanguageTag = newValue } }
    }
    /// The identity, until it is set: what is inserted does not turn it.
    open override var preferredTransform: CGAffineTransform {
        get { super.preferredTransform }
        set { configure { $0.preferredTransform = newValue.media } }
    }
    /// Kept with the track; an audio mix is what makes a track louder.
    open override var preferredVolume: Float {
        get { super.preferredVolume }
        set { core[extrasOf: id].preferredVolume = newValue }
    }

    // MARK: Editing

    /// Puts a time range of another asset's track in; what is there from `startTime` on comes later.
    ///
    /// - Parameters:
    ///   - timeRange: what lies behind the end of the other track is a gap, and nothing at the end of this one.
    ///   - startTime: invalid: the end of the track. Behind it a gap fills what lies between.
    /// - Throws: `AVError` for a range that is empty or outside, a track of another kind, and for what cannot be read.
    open func insertTimeRange(_ timeRange: CMTimeRange, of track: AVAssetTrack, at startTime: CMTime) throws {
        do {
            try core.edit { composition throws(MediaError) in
                _ = try insert(timeRange, of: track, at: startTime, into: &composition)
            }
        } catch { throw AVError(error) }
    }

    /// One after the other, all or none.
    ///
    /// - Parameters:
    ///   - timeRanges: `NSValue(timeRange:)`; an invalid one leaves a gap of its duration.
    ///   - tracks: as many.
    open func insertTimeRanges(_ timeRanges: [NSValue], of tracks: [AVAssetTrack], at startTime: CMTime) throws {
        do {
            try core.edit { composition throws(MediaError) in
                guard timeRanges.count == tracks.count else {
                    throw MediaError(
                        .invalidSettings, "cannot insert into track \(id)",
                        reason: "there are \(timeRanges.count) time ranges and \(tracks.count) tracks")
                }
                var time = startTime
                for (range, track) in zip(timeRanges, tracks) {
                    time = CMTime(try insert(range.timeRangeValue, of: track, at: time, into: &composition))
                }
            }
        } catch { throw AVError(error) }
    }

    /// - Returns: where the range ends.
    private func insert(
        _ timeRange: CMTimeRange, of track: AVAssetTrack, at startTime: CMTime, into composition: inout Composition
    ) throws(MediaError) -> MediaTime {
        let action = "cannot insert into track \(id)"
        guard let own = composition.track(withID: id) else {
            throw MediaError(.invalidState, action, reason: "it was removed from its composition")
        }
        guard let source = track.engine, let asset = track.sourceAsset else {
            throw MediaError(.invalidSettings, action, reason: "track \(track.trackID) has nothing in it")
        }
        let end = own.segments.last?.timeRange.end ?? .zero
        let time = startTime.isNumeric ? startTime.media : end
        var range = timeRange.media
        var rest = MediaTime.zero
        if range.duration.isNumeric, range.start < source.timeRange.end, range.end > source.timeRange.end {
            rest = range.end - source.timeRange.end
            range = TimeRange(start: range.start, end: source.timeRange.end)
        }
        try composition.insertTimeRange(range, of: source, from: asset, at: time, into: id)
        let length =
            range.duration.isNumeric ? range.duration : max(.zero, source.timeRange.end - range.start)
        if rest > .zero, time < end {
            try composition.insertEmptyTimeRange(TimeRange(start: time + length, duration: rest), into: id)
        }
        return time + length + (time < end ? rest : .zero)
    }

    /// Makes room; at the end of the track nothing happens. A range that is none changes nothing.
    open func insertEmptyTimeRange(_ timeRange: CMTimeRange) {
        _ = try? core.edit { composition throws(MediaError) in
            try composition.insertEmptyTimeRange(timeRange.media, into: id)
        }
    }

    /// What comes later follows at once. A range that is none changes nothing.
    open func removeTimeRange(_ timeRange: CMTimeRange) {
        _ = try? core.edit { composition throws(MediaError) in
            try composition.removeTimeRange(timeRange.media, from: id)
        }
    }

    /// Has a stretch take another time. Sound gets another pitch with it.
    open func scaleTimeRange(_ timeRange: CMTimeRange, toDuration duration: CMTime) {
        _ = try? core.edit { composition throws(MediaError) in
            try composition.scaleTimeRange(timeRange.media, to: duration.media, in: id)
        }
    }

    // MARK: Segments

    /// Whether segments may be this track's.
    ///
    /// - Throws: `AVError` that says why not: `compositionTrackSegmentsNotContiguous`, `invalidCompositionTrackSegmentDuration`,
    ///   `…SourceStartTime`, `…SourceDuration`.
    open func validateSegments(_ trackSegments: [AVCompositionTrackSegment]) throws {
        var end = CMTime.zero
        for (number, segment) in trackSegments.enumerated() {
            func fault(_ code: AVError.Code, _ reason: String) -> AVError {
                AVError(
                    code,
                    MediaError(
                        .invalidSettings, "cannot use segments for track \(id)",
                        reason: "segment \(number + 1) \(reason)"))
            }
            let (source, target) = (segment.timeMapping.source, segment.timeMapping.target)
            guard target.duration.isNumeric, target.duration > .zero else {
                throw fault(.invalidCompositionTrackSegmentDuration, "has no duration")
            }
            guard target.start == end else {
                throw fault(.compositionTrackSegmentsNotContiguous, "does not begin where the one before ends")
            }
            end = target.end
            if segment.isEmpty { continue }
            guard source.start.isNumeric, source.start >= .zero else {
                throw fault(.invalidCompositionTrackSegmentSourceStartTime, "begins nowhere in its media")
            }
            guard source.duration.isNumeric, source.duration > .zero else {
                throw fault(.invalidCompositionTrackSegmentSourceDuration, "is of no stretch of its media")
            }
        }
    }

    /// Blocks while headers of files are read that segments name. What is no track's row of segments changes nothing.
    func replaceSegments(with segments: [AVCompositionTrackSegment]) {
        _ = try? core.edit { composition throws(MediaError) in
            var assets: [URL: Asset] = [:]
            for asset in composition.tracks.flatMap(\.segments).compactMap(\.source?.asset) {
                if let url = asset.url { assets[url] = asset }
            }
            var placed: [Composition.Placed] = []
            for segment in segments { placed.append(try segment.placed(&assets)) }
            try composition.replaceSegments(of: id, with: placed)
        }
    }

    // MARK: Associations

    open func addTrackAssociation(
        to compositionTrack: AVCompositionTrack, type trackAssociationType: AVAssetTrack.AssociationType
    ) {
        guard compositionTrack.core === core, compositionTrack.id != id else { return }
        var ids = core[extrasOf: id].associations[trackAssociationType.rawValue] ?? []
        if !ids.contains(compositionTrack.trackID) { ids.append(compositionTrack.trackID) }
        core[extrasOf: id].associations[trackAssociationType.rawValue] = ids
    }

    open func removeTrackAssociation(
        to compositionTrack: AVCompositionTrack, type trackAssociationType: AVAssetTrack.AssociationType
    ) {
        let ids = core[extrasOf: id].associations[trackAssociationType.rawValue] ?? []
        let left = ids.filter { $0 != compositionTrack.trackID }
        core[extrasOf: id].associations[trackAssociationType.rawValue] = left.isEmpty ? nil : left
    }
}

extension AVAsynchronousKeyValueLoading where Self: AVMutableCompositionTrack {
    /// Segments that do not follow each other from 0 on, or whose media is not there, are not taken; `validateSegments` says
    /// why. Setting blocks while headers of files are read that they name.
    public var segments: [AVCompositionTrackSegment]! {
        get { segmentObjects }
        set { replaceSegments(with: newValue ?? []) }
    }
}
