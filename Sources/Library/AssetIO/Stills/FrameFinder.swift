import MediaTypes

/// Finds the frame that a track shows at a time, and decodes as little as possible for it.
///
/// The stored samples show which frame it is, and with which keyframe decoding must begin. For successive frames,
/// decoding continues after the previous frame. For any other frame, decoding begins again at a keyframe. Only one
/// thread at a time may call.
final class FrameFinder {
    private let asset: Asset
    private let track: AssetTrack
    /// The stored samples, which are cheap to scan.
    private var packets: (any SampleSource)?
    private var frames: (any SampleSource)?
    private var keyframes: KeyframeReader?
    private var hasKeyframes = true
    /// The frame that was read last, if `frames` reads on to the end of the track; otherwise nil.
    private var current: SampleBuffer?
    /// The keyframe with which decoding of the last frame began.
    private var lastKey: MediaTime?
    private var lastShown: MediaTime?
    /// True if the packets have no times, as in a stream without a container. The decoder then counts the frames from
    /// the beginning.
    private var isUntimed = false

    init(asset: Asset, track: AssetTrack) {
        self.asset = asset
        self.track = track
    }

    /// The frame that is shown at a time, and how to decode it.
    private struct Place {
        /// The timestamp of the keyframe with which decoding begins.
        var key: MediaTime?
        /// The frame's own timestamp; nil before the first one.
        var shown: MediaTime?
        /// The end of the frame, as far as it is known.
        var end: MediaTime?
    }

    /// Returns the frame that is shown at `time`, or a keyframe within the tolerance, which is faster. For a time
    /// before the first frame, returns the first frame. For a time at or after the end of the track, returns the last
    /// frame if it is near enough.
    ///
    /// - Throws: `invalidSettings` for a time after the end of the track plus the tolerance; `cancelled`; the errors of
    ///   reading or decoding. Requests for other frames may still succeed.
    func frame(
        at time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime, isCancelled: () -> Bool
    ) throws(MediaError) -> SampleBuffer {
        var place: Place?
        if time >= track.timeRange.end {
            let found = try locate(time, isCancelled)
            // The end in the header may be an estimate.
            if let end = found.end, end > time {
                place = found
            } else {
                guard let last = try last(found, notBefore: time - toleranceBefore, isCancelled) else {
                    throw beyond(time)
                }
                return last
            }
        }
        if toleranceBefore > .zero || toleranceAfter > .zero,
            let near = keyframeReader()?.frame(
                at: time, from: time - toleranceBefore, to: time + toleranceAfter, isCancelled: isCancelled)
        {
            return near
        }
        let exact: Place
        if let place { exact = place } else { exact = try locate(time, isCancelled) }
        return try decode(exact, isCancelled)
    }

    /// Returns the last frame of the track.
    ///
    /// - Parameter found: the result of `locate` for a time after the end.
    /// - Returns: nil if the frame is before `earliest`, or if there is none.
    private func last(
        _ found: Place, notBefore earliest: MediaTime, _ isCancelled: () -> Bool
    ) throws(MediaError) -> SampleBuffer? {
        var place = found
        if place.shown == nil { place = try locate(max(.zero, track.timeRange.end - tick), isCancelled) }
        guard let shown = place.shown, shown >= earliest else { return nil }
        return try decode(place, isCancelled)
    }

    private func decode(_ place: Place, _ isCancelled: () -> Bool) throws(MediaError) -> SampleBuffer {
        do throws(MediaError) {
            return try read(place, isCancelled)
        } catch {
            // A source that has failed cannot be used again.
            stop()
            throw error
        }
    }

    private func stop() { (frames, current, lastKey, lastShown) = (nil, nil, nil, nil) }

    private func keyframeReader() -> KeyframeReader? {
        guard hasKeyframes, keyframes == nil else { return keyframes }
        keyframes = asset.keyframeReader(of: track)
        hasKeyframes = keyframes != nil
        return keyframes
    }

    // MARK: Locating the frame

    /// The resolution of the track's clock.
    private var tick: MediaTime { MediaTime(value: 1, timescale: max(1, track.naturalTimeScale)) }

    /// The longest time by which frames can be out of order: the time of sixteen frames (ITU-T H.264, A.3.1).
    private var reordering: MediaTime {
        let least = track.minFrameDuration
        guard least.isNumeric, least > tick else { return MediaTime(value: 1, timescale: 1) }
        return MediaTime(
            value: least.value.multipliedReportingOverflow(by: 16).partialValue, timescale: least.timescale)
    }

    private func locate(_ time: MediaTime, _ isCancelled: () -> Bool) throws(MediaError) -> Place {
        if isUntimed { return untimedPlace(time) }
        // No frame that is shown by `time` is decoded after `time`. But some containers do not store decode times, and
        // with presentation times the range would end too early. Therefore the range is longer.
        let range = TimeRange(start: time, end: time + reordering)
        var place = Place()
        do throws(MediaError) {
            let source: any SampleSource
            if let packets {
                source = packets
                source.restart(ranges: [range])
            } else {
                source = try asset.source(of: track, ranges: [range], SourceOptions())
                packets = source
            }
            while let packet = try source.next() {
                if isCancelled() { throw cancelled }
                let start = packet.presentationTime
                guard start.isNumeric else {
                    isUntimed = true
                    return untimedPlace(time)
                }
                guard start <= time else { continue }
                if packet.isKeyframe { place.key = max(start, place.key ?? start) }
                if place.shown.map({ start >= $0 }) ?? true {
                    place.shown = start
                    place.end = packet.duration.map { start + $0 }
                }
            }
        } catch {
            packets = nil
            // Damage after the frame does not affect it.
            guard error.code != .cancelled, let end = place.end, end > time else { throw error }
        }
        return place
    }

    /// Returns the frame at a time if packets have no times: the first frame that begins less than one frame before.
    private func untimedPlace(_ time: MediaTime) -> Place {
        guard time < track.timeRange.end else { return Place() }
        let length = track.minFrameDuration
        return Place(shown: max(.zero, time - (length.isNumeric ? length - tick : .zero)))
    }

    private var cancelled: MediaError {
        MediaError(.cancelled, "cannot extract a frame from \(asset.origin.name)", reason: "it was cancelled")
    }

    private func beyond(_ time: MediaTime) -> MediaError {
        MediaError(
            .invalidSettings, "cannot extract a frame from \(asset.origin.name) at \(time.words)",
            reason: "its video ends at \(track.timeRange.end.words)")
    }

    // MARK: Decoding the frame

    private func read(_ place: Place, _ isCancelled: () -> Bool) throws(MediaError) -> SampleBuffer {
        guard let shown = place.shown else {
            stop()
            return try readOn(to: .negativeInfinity, isCancelled)
        }
        if let current {
            // The same frame is requested again.
            if current.presentationTime == shown { return current }
            // The requested frame is later than the current one, and no keyframe between the two is nearer.
            if shown > current.presentationTime, place.key.map({ $0 <= current.presentationTime }) ?? true {
                return try readOn(to: shown, isCancelled)
            }
            stop()
        }
        if isUntimed { return try readOn(to: shown, isCancelled) }
        let continues = place.key != nil && place.key == lastKey && lastShown.map { shown > $0 } ?? false
        (lastKey, lastShown) = (place.key, shown)
        // A second frame of the same GOP suggests that more will follow.
        if continues { return try readOn(to: shown, isCancelled) }
        return try readOne(shown, isCancelled)
    }

    /// Returns only the frame with that timestamp.
    private func readOne(_ time: MediaTime, _ isCancelled: () -> Bool) throws(MediaError) -> SampleBuffer {
        let source = try restart(TimeRange(start: time, end: time + tick))
        var frame: SampleBuffer?
        while let next = try source.next() {
            if isCancelled() { throw cancelled }
            frame = frame ?? next
        }
        // In containers without presentation times, the decoder's times may differ from those of the packets.
        if let frame { return frame }
        return try readOn(to: time, isCancelled)
    }

    /// Returns the first frame that is not before `time`, continuing after the last one that was read.
    private func readOn(to time: MediaTime, _ isCancelled: () -> Bool) throws(MediaError) -> SampleBuffer {
        let source: any SampleSource
        if current != nil, let frames {
            source = frames
        } else {
            source = try restart(TimeRange(start: max(.zero, time), end: .positiveInfinity))
        }
        while let next = try source.next() {
            if isCancelled() { throw cancelled }
            current = next
            if next.presentationTime >= time { return next }
        }
        throw MediaError(
            .corruptData, "cannot extract a frame from \(asset.origin.name)",
            reason: "nothing can be decoded at \(max(.zero, time).words)")
    }

    private func restart(_ range: TimeRange) throws(MediaError) -> any SampleSource {
        if let frames {
            frames.restart(ranges: [range])
            return frames
        }
        let source = try asset.source(
            of: track, ranges: [range],
            // A file needs no held frame, because its stored samples have already determined when the frame begins. But
            // an edit may begin inside a frame.
            SourceOptions(
                settings: .pixels(nil), sharesMemory: true,
                showsHeldFrame: asset.url == nil || !track.edits.isEmpty))
        frames = source
        return source
    }
}

extension Asset {
    /// Returns a reader for keyframes; nil if frames can only be read through a `SampleSource`.
    func keyframeReader(of track: AssetTrack) -> KeyframeReader? {
        guard case .file(let url) = origin, track.edits.isEmpty else { return nil }
        return try? KeyframeReader(path: url.path, track: track.index)
    }
}
