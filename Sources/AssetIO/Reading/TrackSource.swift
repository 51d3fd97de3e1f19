import DequeModule
import MediaCodecs
import MediaTypes
import MovieFile

/// One track of a file, read range by range: its own demuxer, which leaves the other tracks out, and its own decoder.
///
/// Holds what one packet decodes to and what the decoder delays, no more.
final class TrackSource: SampleSource, @unchecked Sendable {
    // Unchecked: whoever has the output's turn uses it, one thread at a time.
    private enum Decoding {
        case none
        case video(VideoDecoder)
        case audio(AudioDecoder)
    }

    private let path: String
    private let index: Int
    private let decoding: Decoding
    private var demuxer: MovieDemuxer
    private var isFresh = true
    private var ranges: Deque<TimeRange>
    private var range = TimeRange(start: .zero, end: .positiveInfinity)
    private var ready: Deque<SampleBuffer> = []
    private var failure: MediaError?
    private var isAtEnd = true
    /// Read while looking for the place to start.
    private var first: MovieDemuxer.Packet?
    /// The key frame that decoding began with; nil until it has come.
    private var keyTime: MediaTime?

    var allocationCount: Int {
        if case .video(let decoder) = decoding { decoder.allocationCount } else { 0 }
    }

    /// - Throws: what opening the file or the decoder throws; `invalidSettings` for settings that do not fit the track.
    init(
        path: String, track index: Int, options: SourceOptions, ranges: [TimeRange]
    ) throws(MediaError) {
        self.path = path
        self.index = index
        self.ranges = Deque(ranges)
        demuxer = try MovieDemuxer(path: path)
        demuxer.select([index])
        guard demuxer.tracks.indices.contains(index) else {
            throw MediaError(.corruptData, "cannot read \(path)", reason: "the file has changed: the track is gone")
        }
        let track = demuxer.tracks[index]
        let hints = DecoderHints(
            codecName: track.codecName, bitsPerCodedSample: track.bitsPerCodedSample, blockAlign: track.blockAlign,
            codecTag: track.codecTag, bitRate: track.bitRate,
            initialPadding: track.initialPadding, videoDelay: track.videoDelay)
        switch (options.settings, track.format) {
        case (nil, _): decoding = .none
        case (.pixels(let format), .video(let video)):
            decoding = .video(
                try VideoDecoder(
                    format: video, hints: hints, timeScale: track.timeScale, pixelFormat: format,
                    sharesMemory: options.sharesMemory, threadCount: options.threadCount))
        case (.pcm(let form), .audio(let audio)):
            decoding = .audio(
                try AudioDecoder(format: audio, hints: hints, timeScale: track.timeScale, output: form.output))
        default:
            throw MediaError(.invalidSettings, "cannot read track \(track.id)", reason: "the settings do not fit it")
        }
    }

    /// Further ranges, once the former ones have ended.
    func restart(ranges: [TimeRange]) { self.ranges = Deque(ranges) }

    /// The next sample; nil when the last range has ended.
    ///
    /// - Throws: `corruptData` with the place, for a file that is damaged or cut short; everything before was given.
    func next() throws(MediaError) -> SampleBuffer? {
        while true {
            if let sample = ready.popFirst() { return sample }
            if let failure { throw failure }
            if isAtEnd {
                guard let range = ranges.popFirst() else { return nil }
                try begin(range)
            } else {
                step()
            }
        }
    }

    // MARK: Where a range begins

    private func begin(_ range: TimeRange) throws(MediaError) {
        self.range = range
        keyTime = nil
        first = nil
        isAtEnd = false
        switch decoding {
        case .none: break
        case .video(let decoder): if !isFresh { decoder.flush() }
        case .audio(let decoder):
            if !isFresh { decoder.flush() }
            decoder.range = TimeRange(start: max(.zero, range.start), end: min(range.end, editedEnd))
        }
        if range.start > (demuxer.tracks[index].start ?? .zero), range.start > .zero {
            try seek(to: range.start)
        } else {
            try rewind()
        }
        isFresh = false
    }

    /// Where the edit list cuts the sound off in the middle of a packet.
    private var editedEnd: MediaTime {
        let track = demuxer.tracks[index]
        guard demuxer.hasCompleteIndex, let start = track.start, let duration = track.duration, duration > .zero else {
            return .positiveInfinity
        }
        return start + duration
    }

    /// A fresh demuxer: some containers cannot seek to their own beginning.
    private func rewind() throws(MediaError) {
        guard !isFresh else { return }
        demuxer = try MovieDemuxer(path: path)
        demuxer.select([index])
    }

    /// Goes back until there is a packet to decode from that is shown no later than `start`.
    private func seek(to start: MediaTime) throws(MediaError) {
        var back = isVideo ? MediaTime.zero : Self.preroll
        while true {
            let target = start - back
            guard target > (demuxer.tracks[index].start ?? .zero), target > .zero else {
                isFresh = false
                return try rewind()
            }
            // A seek that failed leaves the demuxer nowhere.
            if demuxer.seek(to: target, track: index), let packet = try firstUsable(), packet.start <= start - preroll {
                first = packet
                return
            }
            try rewindAfterSeek()
            back = back + back + MediaTime(value: 1, timescale: 1)
        }
    }

    private func rewindAfterSeek() throws(MediaError) {
        isFresh = false
        try rewind()
    }

    private func firstUsable() throws(MediaError) -> MovieDemuxer.Packet? {
        while let packet = try demuxer.next() {
            if !isVideo || packet.sample.isKeyFrame { return packet }
        }
        return nil
    }

    /// Sound decodes to itself only some packets after the first: MDCT overlap, MP3's bit reservoir, Opus' 80 ms.
    private static let preroll = MediaTime(value: 1, timescale: 4)
    private var preroll: MediaTime {
        if case .audio = decoding { Self.preroll } else { .zero }
    }

    private var isVideo: Bool { demuxer.tracks[index].mediaType == .video }

    // MARK: Packets

    private func step() {
        do throws(MediaError) {
            let packet: MovieDemuxer.Packet?
            do throws(MediaError) {
                packet = try nextPacket()
            } catch {
                // What was whole before the damage is given first. Of a decoder that failed, what it still holds may be
                // the damaged picture and others that lean on it.
                try? drain()
                throw error
            }
            if let packet, !isBeyond(packet) { try take(packet) } else { try drain() }
        } catch {
            isAtEnd = true
            failure = error
        }
    }

    private func nextPacket() throws(MediaError) -> MovieDemuxer.Packet? {
        if let packet = first {
            first = nil
            return packet
        }
        return try demuxer.next()
    }

    private func drain() throws(MediaError) {
        isAtEnd = true
        switch decoding {
        case .none: break
        case .video(let decoder):
            try decoder.finish { deliver($0) }
            if keyTime == nil, range.end == .positiveInfinity {
                throw MediaError(
                    .corruptData, "cannot decode \(path)", reason: "there is no key frame in the track")
            }
        case .audio(let decoder): try decoder.finish { deliver($0) }
        }
    }

    /// Nothing from here on is inside the range: packets come in the order of decoding, and none is shown before that.
    private func isBeyond(_ packet: MovieDemuxer.Packet) -> Bool {
        let decodeTime = packet.sample.decodeTime ?? packet.sample.presentationTime
        // Without presentation times nobody knows how much earlier than decoded a picture is shown.
        return decodeTime >= (packet.hasPresentationTime ? range.end : range.end + Self.reordering)
    }

    private static let reordering = MediaTime(value: 1, timescale: 1)

    private func take(_ packet: MovieDemuxer.Packet) throws(MediaError) {
        let coded = CodedSample(
            packet.sample, isDiscarded: packet.isDiscarded, hasPresentationTime: packet.hasPresentationTime,
            skippedFrames: packet.skippedFrames, droppedFrames: packet.droppedFrames)
        switch decoding {
        case .none:
            // Pictures from the key frame on: those before the range are what decoding needs.
            let end = packet.sample.presentationTime + (packet.sample.duration ?? .zero)
            if isVideo || range.start <= .zero || end > range.start { ready.append(packet.sample) }
        case .video(let decoder):
            guard isDecodable(packet) else { return }
            do throws(MediaError) {
                try decoder.decode(coded) { deliver($0) }
            } catch { throw located(error, packet) }
        case .audio(let decoder):
            do throws(MediaError) {
                try decoder.decode(coded) { deliver($0) }
            } catch {
                // After a seek the first packets may lean on others that were not read.
                guard keyTime == nil, packet.start < range.start else { throw located(error, packet) }
            }
        }
    }

    /// Whether the decoder has what a picture leans on. Before the first key frame it has nothing; pictures that are shown
    /// before that key frame but stored behind it lean on the group before (ITU-T H.265, RASL pictures).
    private func isDecodable(_ packet: MovieDemuxer.Packet) -> Bool {
        guard let keyTime else {
            if packet.sample.isKeyFrame { self.keyTime = packet.start }
            return packet.sample.isKeyFrame
        }
        return packet.sample.isKeyFrame || !packet.hasPresentationTime || packet.start >= keyTime
    }

    private func deliver(_ sample: SampleBuffer) {
        if isVideo {
            guard range.start <= .zero || sample.presentationTime >= range.start,
                sample.presentationTime < range.end
            else { return }
        }
        ready.append(sample)
    }

    private func located(_ error: MediaError, _ packet: MovieDemuxer.Packet) -> MediaError {
        guard error.code == .corruptData else { return error }
        let place = packet.position >= 0 ? ", byte \(packet.position)" : ""
        return MediaError(
            .corruptData, "cannot read \(path) at \(packet.start.seconds) s\(place)",
            reason: "\(error.action): \(error.reason)", underlying: error.underlying,
            wayOut: "the file is damaged there; what comes before can be used")
    }
}

extension MovieDemuxer.Packet {
    fileprivate var start: MediaTime { sample.presentationTime }
}
