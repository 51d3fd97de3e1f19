import AssetIO
import CommandInterface
import Foundation
import MediaCodecs
import MediaTypes

/// Compares two video tracks: the time of every frame, and what some of the frames look like.
struct FrameComparer {
    private let pair: MoviePair
    private let tracks: MoviePair.Tracks
    private let options: MovieComparisonOptions
    private let reach: (Double) -> Void
    /// The shorter side of the compared frames after scaling, in pixels. Scaling removes noise, which every encoder
    /// removes too, and lets a square of eight pixels cover enough detail.
    private static let lines = 64.0

    init(
        _ pair: MoviePair, _ tracks: MoviePair.Tracks, _ options: MovieComparisonOptions,
        reach: @escaping (Double) -> Void
    ) {
        (self.pair, self.tracks, self.options, self.reach) = (pair, tracks, options, reach)
    }

    /// Compares the tracks.
    ///
    /// - Returns: The offset by which the copy's timeline begins later; nil if unknown.
    /// - Throws: The disk's error; media that cannot be decoded is a difference.
    func compare(into comparison: inout MovieComparison, offset known: MediaTime?) async throws(MediaError)
        -> MediaTime?
    {
        var track = MovieComparison.Track(
            type: tracks.type.rawValue, id: tracks.copy.id, sourceID: tracks.source.id,
            duration: tracks.copy.timeRange.duration.seconds, sourceDuration: tracks.source.timeRange.duration.seconds)
        var offset: MediaTime?
        do throws(MediaError) {
            let matching = try await match(known)
            offset = matching.offset
            (track.frames, track.sourceFrames) = (matching.frames, matching.sourceFrames)
            comparison.add(matching.match, track.id)
            reach(0.2)
            if Self.isToneMapped(tracks) {
                comparison.notes.append(
                    "the frames of track \(track.id) were tone-mapped from high dynamic range: their look is not compared"
                )
            } else {
                try await compareLooks(of: pairs(matching), &track, into: &comparison)
            }
        } catch {
            guard error.code != .ioFailure, error.code != .notPermitted, error.code != .cancelled else { throw error }
            comparison.differences.append(.init(.decoding, error.reason, track: track.id))
        }
        comparison.tracks.append(track)
        return offset
    }

    /// Returns true if the copy's brightness was changed on purpose by tone mapping. A comparison of frames then cannot
    /// show whether the copy is right.
    private static func isToneMapped(_ tracks: MoviePair.Tracks) -> Bool {
        let isHigh = { (track: AssetTrack) in track.formatDescription?.video?.color.isHighDynamicRange == true }
        return isHigh(tracks.source) && !isHigh(tracks.copy)
    }

    // MARK: Times

    /// Matches the frames at their own times. If some have no counterpart, matches again, with the copy's first frame
    /// moved to the time of the source's first frame.
    private func match(_ known: MediaTime?) async throws(MediaError) -> FrameMatching {
        let plain = try await match(at: known ?? .zero)
        guard known == nil, plain.mismatches > 0 else { return plain }
        var copies = try FrameTimes(pair.copy, tracks.copy)
        var sources = try FrameTimes(pair.source, tracks.source)
        guard let copy = try await copies.next(), let source = try await sources.next(), copy != source else {
            return plain
        }
        let moved = try await match(at: copy - source)
        return moved.mismatches < plain.mismatches ? moved : plain
    }

    private func match(at offset: MediaTime) async throws(MediaError) -> FrameMatching {
        var copies = try FrameTimes(pair.copy, tracks.copy)
        var sources = try FrameTimes(pair.source, tracks.source)
        // The offset has been rounded too, so a time may differ by twice as much.
        let tolerance = offset == .zero ? tracks.tick : tracks.tick + tracks.tick
        var matching = FrameMatching(offset: offset, tolerance: tolerance, wanted: times)
        var (copy, source) = (try await copies.next(), try await sources.next())
        while copy != nil || source != nil {
            if Task.isCancelled { throw MediaError(.cancelled, "cannot compare", reason: "it was cancelled") }
            let step = matching.take(copy: copy, source: source)
            if step != .source { copy = try await copies.next() }
            if step != .copy { source = try await sources.next() }
        }
        matching.finish()
        return matching
    }

    // MARK: Looks

    /// The times of the frames to compare: the centers of ranges of equal length.
    private var times: [MediaTime] {
        let range = tracks.source.timeRange
        let count = Int32(clamping: max(1, options.frames))
        return (0..<count).map { index in
            range.start + range.duration.multiplied(byRatio: 2 * index + 1, over: 2 * count)
        }
    }

    /// Returns the pairs of frames with matching times. If there are none, pairs the frames shown at the times to
    /// compare.
    private func pairs(_ matching: FrameMatching) -> [FrameMatching.Pair] {
        guard matching.pairs.isEmpty else { return matching.pairs }
        return times.map { .init(copy: $0 + matching.offset, source: $0) }
            .filter { $0.copy < tracks.copy.timeRange.end }
    }

    private func compareLooks(
        of pairs: [FrameMatching.Pair], _ track: inout MovieComparison.Track, into comparison: inout MovieComparison
    ) async throws(MediaError) {
        let box = Self.size(tracks.copy).smaller(Self.size(tracks.source)).within(Self.lines)
        let wanted = pairs.flatMap { [$0.before, $0.source, $0.after].compactMap { $0 } }
        var copies = generator(pair.copy, tracks.copy, box).images(for: pairs.map { max(.zero, $0.copy) })
            .makeAsyncIterator()
        var sources = generator(pair.source, tracks.source, box).images(for: wanted.map { max(.zero, $0) })
            .makeAsyncIterator()
        var tally = SSIMTally()
        var ssim = FrameSSIM()
        var isTold = false
        // The times of the source's frames that cannot be decoded.
        var unread: [MediaTime] = []
        for (index, pair) in pairs.enumerated() {
            if Task.isCancelled { return }
            reach(0.2 + 0.8 * Double(index) / Double(pairs.count))
            let before = try pair.before == nil ? nil : Self.frame(await sources.next())
            let original = try Self.frame(await sources.next())
            let after = try pair.after == nil ? nil : Self.frame(await sources.next())
            let copy = try Self.frame(await copies.next())
            guard let original else {
                unread.append(pair.source)
                continue
            }
            guard let copy, let value = try? ssim.measure(copy, original) else {
                if !isTold {
                    comparison.differences.append(
                        .init(.decoding, "a frame cannot be decoded", track: track.id, from: pair.source.seconds))
                }
                isTold = true
                continue
            }
            tally.add(
                value, before: before.flatMap { try? ssim.measure(copy, $0) },
                after: after.flatMap { try? ssim.measure(copy, $0) }, at: pair.source.seconds)
        }
        comparison.add(unread: unread, of: pairs.count, track.id)
        guard tally.count > 0 else { return }
        (track.ssim, track.worstSSIM, track.worstAt) = (tally.mean, tally.worst, tally.worstAt)
        comparison.differences += tally.differences(track: track.id, options)
    }

    /// Returns the frame; nil if it cannot be decoded.
    ///
    /// - Throws: The disk's error.
    private static func frame(_ generated: FrameGenerator.Generated?) throws(MediaError) -> PixelBuffer? {
        switch generated?.outcome {
        case .succeeded(let frame, _)?: return frame
        case .failed(let error)? where error.code == .ioFailure || error.code == .notPermitted: throw error
        default: return nil
        }
    }

    private func generator(_ asset: Asset, _ track: AssetTrack, _ box: CGSize) -> FrameGenerator {
        let generator = FrameGenerator(asset: asset, track: track)
        generator.appliesPreferredTrackTransform = true
        generator.maximumSize = box
        generator.pixelFormat = .i420
        (generator.requestedTimeToleranceBefore, generator.requestedTimeToleranceAfter) = (.zero, .zero)
        return generator
    }

    /// Returns the upright display size.
    private static func size(_ track: AssetTrack) -> CGSize {
        let turned = track.preferredTransform.transform(track.presentationDimensions)
        return CGSize(width: abs(turned.width), height: abs(turned.height))
    }
}

extension CGSize {
    fileprivate func smaller(_ other: CGSize) -> CGSize {
        CGSize(width: min(width, other.width).rounded(), height: min(height, other.height).rounded())
    }

    fileprivate func within(_ lines: Double) -> CGSize {
        let side = min(width, height)
        guard side > lines else { return self }
        return CGSize(width: (width * lines / side).rounded(), height: (height * lines / side).rounded())
    }
}

extension MovieComparison {
    /// Reports the source's frames that cannot be decoded: as a note, or as a difference if they are most of the chosen
    /// frames. A result that rests on few frames, or on none, must not lead to the deletion of the source.
    fileprivate mutating func add(unread: [MediaTime], of count: Int, _ id: Int) {
        guard let first = unread.first else { return }
        let what = "\(unread.count) of the \(count) chosen frames of the source cannot be decoded"
        if unread.count * 2 > count {
            differences.append(.init(.decoding, what, track: id, from: first.seconds))
        } else {
            notes.append("\(what): the look of these frames of track \(id) is not compared")
        }
    }

    fileprivate mutating func add(_ match: TimeMatch, _ id: Int) {
        let (missing, added) = (match.missing, match.added)
        if missing.count > 0, missing.count == added.count, let source = missing.first, let copy = added.first {
            differences.append(
                .init(
                    .times,
                    "\(NumberText.grouped(missing.count)) frame\(missing.count == 1 ? " is" : "s are") shown at other "
                        + "times, the first at \(PositionText.place(copy.seconds)) instead of \(PositionText.place(source.seconds))",
                    track: id, from: min(source, copy).seconds))
            return
        }
        for (list, what) in [(missing, "missing"), (added, "not in the source")] where list.count > 0 {
            differences.append(
                .init(
                    .frames, "\(NumberText.grouped(list.count)) frame\(list.count == 1 ? " is" : "s are") \(what)",
                    track: id, from: list.first?.seconds))
        }
    }
}
