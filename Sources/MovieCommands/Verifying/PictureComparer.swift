import AssetIO
import CommandInterface
import Foundation
import MediaCodecs
import MediaTypes

/// Compares the pictures of two tracks: when each is shown, and what some of them look like.
struct PictureComparer {
    private let pair: FilmPair
    private let tracks: FilmPair.Tracks
    private let options: FilmComparisonOptions
    private let reach: (Double) -> Void

    init(
        _ pair: FilmPair, _ tracks: FilmPair.Tracks, _ options: FilmComparisonOptions, reach: @escaping (Double) -> Void
    ) {
        (self.pair, self.tracks, self.options, self.reach) = (pair, tracks, options, reach)
    }

    /// - Throws: the disk's error; what cannot be decoded is a difference.
    func compare(into comparison: inout FilmComparison) async throws(MediaError) {
        var track = FilmComparison.Track(
            type: tracks.type.rawValue, id: tracks.copy.id, sourceID: tracks.source.id,
            duration: tracks.copy.timeRange.duration.seconds, sourceDuration: tracks.source.timeRange.duration.seconds)
        do throws(MediaError) {
            try await compareTimes(&track, into: &comparison)
            reach(0.2)
            await compareLooks(&track, into: &comparison)
        } catch {
            guard error.code != .ioFailure, error.code != .notPermitted, error.code != .cancelled else { throw error }
            comparison.differences.append(.init(.decoding, error.reason, track: track.id))
        }
        comparison.tracks.append(track)
    }

    // MARK: Times

    private func compareTimes(
        _ track: inout FilmComparison.Track, into comparison: inout FilmComparison
    ) async throws(MediaError) {
        var copies = try PictureTimes(pair.copy, tracks.copy)
        var sources = try PictureTimes(pair.source, tracks.source)
        // A tick of the coarser scale.
        let scale = max(1, min(tracks.copy.naturalTimeScale, tracks.source.naturalTimeScale))
        var match = TimeMatch(tolerance: MediaTime(value: 1, timescale: scale))
        var (copy, source) = (try await copies.next(), try await sources.next())
        var (count, sourceCount) = (Int64(0), Int64(0))
        while copy != nil || source != nil {
            if Task.isCancelled { throw MediaError(.cancelled, "cannot compare", reason: "it was cancelled") }
            let step = match.take(copy: copy, source: source)
            if step != .source {
                count += 1
                copy = try await copies.next()
            }
            if step != .copy {
                sourceCount += 1
                source = try await sources.next()
            }
        }
        (track.pictures, track.sourcePictures) = (count, sourceCount)
        comparison.add(match, track.id)
    }

    // MARK: Looks

    /// The middles of stretches of equal length.
    private var times: [MediaTime] {
        let range = tracks.source.timeRange.intersection(TimeRange(start: .zero, end: pair.copyDuration))
        let count = Int32(clamping: max(1, options.pictures))
        return (0..<count).map { index in
            range.start + range.duration.multiplied(byRatio: 2 * index + 1, over: 2 * count)
        }
    }

    private func compareLooks(_ track: inout FilmComparison.Track, into comparison: inout FilmComparison) async {
        let box = Self.size(tracks.copy).smaller(Self.size(tracks.source))
        let times = times
        var copies = generator(pair.copy, tracks.copy, box).images(for: times).makeAsyncIterator()
        var sources = generator(pair.source, tracks.source, box).images(for: times).makeAsyncIterator()
        var (sum, count, unread) = (0.0, 0, 0)
        var likeness = PictureLikeness()
        var seen: MediaTime?
        while let source = await sources.next(), let copy = await copies.next(), !Task.isCancelled {
            reach(0.2 + 0.8 * Double(count + unread) / Double(times.count))
            guard case .succeeded(let original, let time) = source.outcome else { continue }
            // A short film has fewer pictures than are asked for.
            if time == seen { continue }
            seen = time
            guard case .succeeded(let picture, _) = copy.outcome,
                let value = try? likeness.measure(picture, original)
            else {
                unread += 1
                if unread == 1 {
                    comparison.differences.append(
                        .init(.decoding, "a picture cannot be made of it", track: track.id, from: time.seconds))
                }
                continue
            }
            sum += value
            count += 1
            if value < track.worstLikeness ?? 2 { (track.worstLikeness, track.worstAt) = (value, time.seconds) }
        }
        guard count > 0 else { return }
        track.likeness = sum / Double(count)
        comparison.addLikeness(of: track, options)
    }

    private func generator(_ asset: Asset, _ track: AssetTrack, _ box: CGSize) -> FrameGenerator {
        let generator = FrameGenerator(asset: asset, track: track)
        generator.appliesPreferredTrackTransform = true
        generator.maximumSize = box
        generator.pixelFormat = .i420
        (generator.requestedTimeToleranceBefore, generator.requestedTimeToleranceAfter) = (.zero, .zero)
        return generator
    }

    /// As it is shown: upright.
    private static func size(_ track: AssetTrack) -> CGSize {
        let turned = track.preferredTransform.transform(track.presentationDimensions)
        return CGSize(width: abs(turned.width), height: abs(turned.height))
    }
}

extension CGSize {
    fileprivate func smaller(_ other: CGSize) -> CGSize {
        CGSize(width: min(width, other.width).rounded(), height: min(height, other.height).rounded())
    }
}

extension FilmComparison {
    fileprivate mutating func add(_ match: TimeMatch, _ id: Int) {
        let (missing, added) = (match.missing, match.added)
        if missing.count > 0, missing.count == added.count, let source = missing.first, let copy = added.first {
            differences.append(
                .init(
                    .times,
                    "\(NumberText.grouped(missing.count)) picture\(missing.count == 1 ? " is" : "s are") shown at other "
                        + "times, the first at \(FilmText.place(copy.seconds)) instead of \(FilmText.place(source.seconds))",
                    track: id, from: min(source, copy).seconds))
            return
        }
        for (list, what) in [(missing, "missing"), (added, "not in the source")] where list.count > 0 {
            differences.append(
                .init(
                    .pictures, "\(NumberText.grouped(list.count)) picture\(list.count == 1 ? " is" : "s are") \(what)",
                    track: id, from: list.first?.seconds))
        }
    }

    fileprivate mutating func addLikeness(of track: Track, _ options: FilmComparisonOptions) {
        guard let mean = track.likeness, let worst = track.worstLikeness else { return }
        if mean < options.likeness {
            differences.append(
                .init(
                    .likeness,
                    "its pictures are not those of its source: likeness \(NumberText.fixed(mean, places: 3)) on average, "
                        + "and \(NumberText.fixed(options.likeness, places: 3)) is the least", track: track.id,
                    from: track.worstAt))
        } else if worst < options.likeness - options.slack {
            differences.append(
                .init(
                    .likeness, "a picture is not that of its source: likeness \(NumberText.fixed(worst, places: 3))",
                    track: track.id, from: track.worstAt))
        }
    }
}
