import AssetIO
public import Foundation
import MediaTypes

/// An editable track of a composition. Only one thread at a time may edit it.
open class AVMutableCompositionTrack: AVCompositionTrack, @unchecked Sendable {
    // Unchecked: mutable state is protected by the core's lock.

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
    /// The ISO 639-2/T language code.
    open override var languageCode: String? {
        get { super.languageCode }
        set { configure { $0.languageCode = newValue } }
    }
    /// The BCP 47 language tag.
    open override var extendedLanguageTag: String? {
        get { super.extendedLanguageTag }
        set { configure { $0.extendedLanguageTag = newValue } }
    }
    /// The transform. It is the identity until it is set, and inserting media does not change it.
    open override var preferredTransform: CGAffineTransform {
        get { super.preferredTransform }
        set { configure { $0.preferredTransform = newValue.media } }
    }
    /// The preferred volume. It is only stored with the track. To change the actual volume, use an audio mix.
    open override var preferredVolume: Float {
        get { super.preferredVolume }
        set { core[extrasOf: id].preferredVolume = newValue }
    }

    // MARK: Editing

    /// Inserts a time range of another asset's track; existing content from `startTime` on moves later.
    ///
    /// - Parameters:
    ///   - timeRange: the range in the other track. If it extends beyond the other track's end, the rest becomes a gap,
    ///     except at the end of this track.
    ///   - startTime: the position; invalid means the end of the track. If it is after the end, a gap fills the
    ///     difference.
    /// - Throws: `AVError` for a range that is empty or outside the other track, a track of another media type, and
    ///   media that cannot be read.
    open func insertTimeRange(_ timeRange: CMTimeRange, of track: AVAssetTrack, at startTime: CMTime) throws {
        do {
            try core.edit { composition throws(MediaError) in
                _ = try insert(timeRange, of: track, at: startTime, into: &composition)
            }
        } catch { throw AVError(error) }
    }

    /// Inserts several time ranges one after the other. If one fails, none is inserted.
    ///
    /// - Parameters:
    ///   - timeRanges: values of `NSValue(timeRange:)`. A range whose start is invalid inserts a gap of its duration, but
    ///     not at the end of this track.
    ///   - tracks: the tracks, one for each range. The track of a gap has no effect.
    open func insertTimeRanges(_ timeRanges: [NSValue], of tracks: [AVAssetTrack], at startTime: CMTime) throws {
        do {
            try core.edit { composition throws(MediaError) in
                guard timeRanges.count == tracks.count else {
                    throw MediaError(
                        .invalidSettings, "cannot insert into track \(id)",
                        reason: "there are \(timeRanges.count) time ranges but \(tracks.count) tracks")
                }
                var time = startTime
                for (range, track) in zip(timeRanges, tracks) {
                    let range = range.timeRangeValue
                    if !range.start.isValid, range.duration.isNumeric, range.duration > .zero {
                        time = CMTime(try insertGap(range.duration.media, at: time, into: &composition))
                    } else {
                        time = CMTime(try insert(range, of: track, at: time, into: &composition))
                    }
                }
            }
        } catch { throw AVError(error) }
    }

    /// Inserts a gap. At the end of the track nothing changes until something is inserted after the gap.
    ///
    /// - Returns: the end of the gap.
    private func insertGap(
        _ length: MediaTime, at startTime: CMTime, into composition: inout Composition
    ) throws(MediaError) -> MediaTime {
        let end = composition.track(withID: id)?.segments.last?.timeRange.end ?? .zero
        let time = startTime.isNumeric ? startTime.media : end
        try composition.insertEmptyTimeRange(TimeRange(start: time, duration: length), into: id)
        return time + length
    }

    /// - Returns: the end of the range.
    private func insert(
        _ timeRange: CMTimeRange, of track: AVAssetTrack, at startTime: CMTime, into composition: inout Composition
    ) throws(MediaError) -> MediaTime {
        let action = "cannot insert into track \(id)"
        guard let own = composition.track(withID: id) else {
            throw MediaError(.invalidState, action, reason: "it was removed from its composition")
        }
        guard let source = track.engine, let asset = track.sourceAsset else {
            throw MediaError(.invalidSettings, action, reason: "track \(track.trackID) is empty")
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

    /// Inserts a gap, but not at the end of the track. An invalid range changes nothing.
    open func insertEmptyTimeRange(_ timeRange: CMTimeRange) {
        _ = try? core.edit { composition throws(MediaError) in
            try composition.insertEmptyTimeRange(timeRange.media, into: id)
        }
    }

    /// Removes a time range; later content moves earlier to close the gap. An invalid range changes nothing.
    open func removeTimeRange(_ timeRange: CMTimeRange) {
        _ = try? core.edit { composition throws(MediaError) in
            try composition.removeTimeRange(timeRange.media, from: id)
        }
    }

    /// Changes the duration of a time range. The pitch of audio changes with it.
    open func scaleTimeRange(_ timeRange: CMTimeRange, toDuration duration: CMTime) {
        _ = try? core.edit { composition throws(MediaError) in
            try composition.scaleTimeRange(timeRange.media, to: duration.media, in: id)
        }
    }

    // MARK: Segments

    /// Checks whether the segments are valid for this track.
    ///
    /// - Throws: `AVError` with the reason: `compositionTrackSegmentsNotContiguous`,
    ///   `invalidCompositionTrackSegmentDuration`, `…SourceStartTime`, `…SourceDuration`.
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
                throw fault(.compositionTrackSegmentsNotContiguous, "does not begin where the previous one ends")
            }
            end = target.end
            if segment.isEmpty { continue }
            guard source.start.isNumeric, source.start >= .zero else {
                throw fault(.invalidCompositionTrackSegmentSourceStartTime, "has an invalid start time in its media")
            }
            guard source.duration.isNumeric, source.duration > .zero else {
                throw fault(.invalidCompositionTrackSegmentSourceDuration, "has an invalid duration in its media")
            }
        }
    }

    /// Replaces all segments. Does nothing if a segment is invalid. Blocks while the headers of the segments' files are
    /// read.
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
    /// The segments. Setting the property blocks while the headers of the segments' files are read. It has no effect if
    /// the segments are not contiguous from 0 on, or if their media is missing. `validateSegments` reports the reason.
    public var segments: [AVCompositionTrackSegment]! {
        get { segmentObjects }
        set { replaceSegments(with: newValue ?? []) }
    }
}
