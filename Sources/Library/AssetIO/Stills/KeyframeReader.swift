import Demuxing
import MediaCodecs
import MediaTypes

/// Decodes single keyframes of one track, without the frames between them. It has its own demuxer and decoder.
///
/// Only one thread at a time may call.
final class KeyframeReader {
    private let demuxer: MovieDemuxer
    private var decoder: VideoDecoder
    private var decodedFormat: FormatDescription?
    private let index: Int

    /// Opens the file and the decoder.
    ///
    /// - Throws: the errors of opening the file or the decoder; `unsupported` for a track that is not video.
    init(path: String, track index: Int) throws(MediaError) {
        demuxer = try MovieDemuxer(path: path)
        guard demuxer.tracks.indices.contains(index), let video = demuxer.tracks[index].format?.video else {
            throw MediaError(.unsupported, "cannot extract frames from \(path)", reason: "the track is not video")
        }
        demuxer.select([index])
        self.index = index
        do throws(MediaError) {
            decoder = try Self.decoder(demuxer.tracks[index], video)
        } catch { throw demuxer.tracks[index].refusal(error, path) }
        decodedFormat = demuxer.tracks[index].format
    }

    private static func decoder(_ track: MovieDemuxer.Track, _ video: VideoFormat) throws(MediaError) -> VideoDecoder {
        // Decoding one frame at a time cannot use more than one thread.
        try VideoDecoder(
            format: video,
            hints: DecoderHints(
                codecName: track.codecName, bitsPerCodedSample: track.bitsPerCodedSample,
                blockAlign: track.blockAlign, codecTag: track.codecTag, bitRate: track.bitRate,
                initialPadding: track.initialPadding, videoDelay: track.videoDelay),
            timeScale: track.timeScale, pixelFormat: nil, sharesMemory: true, threadCount: 1)
    }

    /// Opens another decoder if the format changes, because a decoder is made for one format.
    private func follow(_ format: FormatDescription) throws(MediaError) {
        guard format != decodedFormat, let video = format.video else { return }
        decoder = try Self.decoder(demuxer.tracks[index].changed(to: format), video)
        decodedFormat = format
    }

    /// Returns the keyframe shown at `time`, or the last one before it, unless that is before `earliest`. Otherwise
    /// returns the next one, unless that is after `latest`.
    ///
    /// - Returns: nil if there is no keyframe from `earliest` to `latest`, or if it cannot be decoded alone.
    func frame(
        at time: MediaTime, from earliest: MediaTime, to latest: MediaTime, isCancelled: () -> Bool
    ) -> SampleBuffer? {
        guard let packet = packet(at: time, from: earliest, to: latest, isCancelled), !packet.isDiscarded else {
            return nil
        }
        defer { decoder.flush() }
        var frame: SampleBuffer?
        do throws(MediaError) {
            let coded = CodedSample(packet.sample, hasPresentationTime: packet.hasPresentationTime)
            try follow(packet.sample.format)
            try decoder.decode(coded) { frame = frame ?? $0 }
            try decoder.finish { frame = frame ?? $0 }
        } catch {
            // Decoding from an earlier keyframe shows if the file is damaged here.
            return nil
        }
        return frame
    }

    private func packet(
        at time: MediaTime, from earliest: MediaTime, to latest: MediaTime, _ isCancelled: () -> Bool
    ) -> MovieDemuxer.Packet? {
        guard let before = lastKeyframe(notAfter: time) else { return nil }
        if before.sample.presentationTime >= earliest { return before }
        while !isCancelled(), let next = try? demuxer.next() {
            if (next.sample.decodeTime ?? next.sample.presentationTime) > latest { return nil }
            if next.sample.isKeyframe, next.sample.presentationTime > time {
                return next.sample.presentationTime <= latest ? next : nil
            }
        }
        return nil
    }

    /// Seeks further and further back until a keyframe comes that is shown at or before `time`. Several attempts may be
    /// needed, because containers seek by decode times, and containers without an index by estimates.
    private func lastKeyframe(notAfter time: MediaTime) -> MovieDemuxer.Packet? {
        let start = max(.zero, demuxer.tracks[index].start ?? .zero)
        var back = MediaTime.zero
        while true {
            let target = max(start, time - back)
            guard demuxer.seek(to: target, track: index) else { return nil }
            if let packet = keyframe(notAfter: time, isOnlyOne: back == .zero) { return packet }
            guard target > start else { return nil }
            back = back + back + MediaTime(value: 1, timescale: 1)
        }
    }

    /// Returns the last keyframe from here on that is shown at or before `time`.
    ///
    /// - Parameter isOnlyOne: true if the container has sought to exactly this keyframe, so the first one that is read
    ///   is the result.
    private func keyframe(notAfter time: MediaTime, isOnlyOne: Bool) -> MovieDemuxer.Packet? {
        var last: MovieDemuxer.Packet?
        while let packet = try? demuxer.next() {
            if packet.sample.isKeyframe {
                guard packet.sample.presentationTime <= time else { return last }
                last = packet
                if isOnlyOne { return last }
            } else if (packet.sample.decodeTime ?? packet.sample.presentationTime) > time {
                return last
            }
        }
        return last
    }
}
