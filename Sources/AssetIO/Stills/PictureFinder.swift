import MediaTypes

/// Finds the picture that a track shows at a time, and decodes as little as that takes.
///
/// The stored samples tell which picture it is and where decoding must begin. Pictures one behind the other are read on
/// from where the last one was; for others decoding begins anew. One thread at a time calls it.
final class PictureFinder {
    private let asset: Asset
    private let track: AssetTrack
    /// The stored samples, which are cheap to look through.
    private var packets: (any SampleSource)?
    private var pictures: (any SampleSource)?
    private var keyFrames: KeyFrameReader?
    private var hasKeyFrames = true
    /// The pictures are read without an end, and this is the last that came.
    private var current: SampleBuffer?
    /// Where decoding of the last picture began.
    private var lastKey: MediaTime?
    private var lastShown: MediaTime?

    init(asset: Asset, track: AssetTrack) {
        self.asset = asset
        self.track = track
    }

    /// What is shown at a time, and how to come by it.
    private struct Place {
        /// Decoding begins there.
        var key: MediaTime?
        /// The picture's own time; nil before the first one.
        var shown: MediaTime?
        /// When it gives way to the next, as far as that is known.
        var end: MediaTime?
    }

    /// The picture that is shown at `time`; a key frame that is near enough instead, because it costs less. Before the first
    /// picture it is the first; from the end of the track on it is the last, where that is near enough.
    ///
    /// - Throws: `invalidSettings` for a time beyond the end of the track and the tolerance, `cancelled`, and what reading or decoding throws:
    ///   another picture may still be had.
    func picture(
        at time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime, isCancelled: () -> Bool
    ) throws(MediaError) -> SampleBuffer {
        var place: Place?
        if time >= track.timeRange.end {
            let found = try locate(time, isCancelled)
            // What the header says of the end may be an estimate.
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
            let near = keyFrameReader()?.picture(
                at: time, from: time - toleranceBefore, to: time + toleranceAfter, isCancelled: isCancelled)
        {
            return near
        }
        let exact: Place
        if let place { exact = place } else { exact = try locate(time, isCancelled) }
        return try decode(exact, isCancelled)
    }

    /// The last picture of the track.
    ///
    /// - Parameter found: what is known of the place behind the end.
    /// - Returns: nil when that is earlier than asked for, or there is none.
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
            // A source that has failed stays so.
            stop()
            throw error
        }
    }

    private func stop() { (pictures, current, lastKey, lastShown) = (nil, nil, nil, nil) }

    private func keyFrameReader() -> KeyFrameReader? {
        guard hasKeyFrames, keyFrames == nil else { return keyFrames }
        keyFrames = asset.keyFrameReader(of: track)
        hasKeyFrames = keyFrames != nil
        return keyFrames
    }

    // MARK: Which picture

    /// The shortest time that the track's clock knows.
    private var tick: MediaTime { MediaTime(value: 1, timescale: max(1, track.naturalTimeScale)) }

    /// What pictures can be out of order by: sixteen of them (ITU-T H.264, A.3.1).
    private var reordering: MediaTime {
        let least = track.minFrameDuration
        guard least.isNumeric, least > tick else { return MediaTime(value: 1, timescale: 1) }
        return MediaTime(
            value: least.value.multipliedReportingOverflow(by: 16).partialValue, timescale: least.timescale)
    }

    private func locate(_ time: MediaTime, _ isCancelled: () -> Bool) throws(MediaError) -> Place {
        // None that is shown by then is decoded later; but some containers do not say when a sample is decoded, and then the
        // time of showing it ends the range too early.
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
                guard start <= time else { continue }
                if packet.isKeyFrame { place.key = max(start, place.key ?? start) }
                if place.shown.map({ start >= $0 }) ?? true {
                    place.shown = start
                    place.end = packet.duration.map { start + $0 }
                }
            }
        } catch {
            packets = nil
            // Damage behind the picture is no concern of this one.
            guard error.code != .cancelled, let end = place.end, end > time else { throw error }
        }
        return place
    }

    private var cancelled: MediaError {
        MediaError(.cancelled, "cannot make a picture of \(asset.origin.name)", reason: "it was cancelled")
    }

    private func beyond(_ time: MediaTime) -> MediaError {
        MediaError(
            .invalidSettings, "cannot make a picture of \(asset.origin.name) at \(time.words)",
            reason: "its pictures end at \(track.timeRange.end.words)")
    }

    // MARK: The picture

    private func read(_ place: Place, _ isCancelled: () -> Bool) throws(MediaError) -> SampleBuffer {
        guard let shown = place.shown else {
            stop()
            return try readOn(to: .negativeInfinity, isCancelled)
        }
        if let current {
            // The same one once more.
            if current.presentationTime == shown { return current }
            // Further on, and no key frame would be a shorter way.
            if shown > current.presentationTime, place.key.map({ $0 <= current.presentationTime }) ?? true {
                return try readOn(to: shown, isCancelled)
            }
            stop()
        }
        let goesOn = place.key != nil && place.key == lastKey && lastShown.map { shown > $0 } ?? false
        (lastKey, lastShown) = (place.key, shown)
        // The second of one group of pictures will hardly be the last.
        if goesOn { return try readOn(to: shown, isCancelled) }
        return try readOne(shown, isCancelled)
    }

    /// The one picture of that time.
    private func readOne(_ time: MediaTime, _ isCancelled: () -> Bool) throws(MediaError) -> SampleBuffer {
        let source = try restart(TimeRange(start: time, end: time + tick))
        var picture: SampleBuffer?
        while let next = try source.next() {
            if isCancelled() { throw cancelled }
            picture = picture ?? next
        }
        // Containers without times of showing: the decoder's times may be others than the packets'.
        if let picture { return picture }
        return try readOn(to: time, isCancelled)
    }

    /// The first picture that is not before `time`, from where the last one was read.
    private func readOn(to time: MediaTime, _ isCancelled: () -> Bool) throws(MediaError) -> SampleBuffer {
        let source: any SampleSource
        if current != nil, let pictures {
            source = pictures
        } else {
            source = try restart(TimeRange(start: max(.zero, time), end: .positiveInfinity))
        }
        while let next = try source.next() {
            if isCancelled() { throw cancelled }
            current = next
            if next.presentationTime >= time { return next }
        }
        throw MediaError(
            .corruptData, "cannot make a picture of \(asset.origin.name)",
            reason: "nothing can be decoded at \(max(.zero, time).words)")
    }

    private func restart(_ range: TimeRange) throws(MediaError) -> any SampleSource {
        if let pictures {
            pictures.restart(ranges: [range])
            return pictures
        }
        let source = try asset.source(
            of: track, ranges: [range],
            // In a file the stored samples have told when the frame begins.
            SourceOptions(settings: .pixels(nil), sharesMemory: true, showsHeldFrame: asset.url == nil))
        pictures = source
        return source
    }
}

extension Asset {
    /// A reader of nothing but key frames; nil where only the way through a `SampleSource` leads to the pictures.
    func keyFrameReader(of track: AssetTrack) -> KeyFrameReader? {
        guard case .file(let url) = origin else { return nil }
        return try? KeyFrameReader(path: url.path, track: track.index)
    }
}
