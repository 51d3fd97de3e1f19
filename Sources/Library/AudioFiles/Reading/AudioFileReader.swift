import AssetIO
package import Foundation
package import MediaTypes

/// Reads the first audio track of a file as linear PCM, frame by frame. Only one thread at a time may call. Calls wait
/// for the disk.
package final class AudioFileReader {
    /// The format of the audio in the file.
    package let format: AudioFormat
    /// The format of the frames that are returned, interleaved.
    package let output: AudioFormat
    /// The number of the next frame.
    package private(set) var position: Int64 = 0

    private let asset: Asset
    private let track: AssetTrack
    private let form: TrackOutput.PCM
    private var stream: AudioStream?
    /// The number of frames in the file, once it is known.
    private var counted: Int64?
    /// The time of the first frame; nil until it was read.
    private var origin: MediaTime?

    /// - Parameter pcm: the sample format of the result.
    /// - Throws: the errors of opening a file; `unsupported` for a file without audio, and for an unknown codec.
    package init(url: URL, pcm: PCMSampleFormat) throws(MediaError) {
        let asset = Asset(url: url)
        guard let track = try asset.tracksNow(withMediaType: .audio).first else {
            throw MediaError(.unsupported, "cannot read \(url.path)", reason: "it has no audio")
        }
        guard let format = track.formatDescription?.audio else {
            throw MediaError(
                .unsupported, "cannot read \(url.path)", reason: "the codec \(track.codecName) is not supported")
        }
        self.asset = asset
        self.track = track
        self.format = format
        form = TrackOutput.PCM(pcm)
        output = AudioFormat(
            pcm: pcm, sampleRate: format.sampleRate, channelCount: format.channelCount, layout: format.layout)
        // The stream is opened now, so that a codec without a decoder is reported when the file is opened.
        stream = try openStream(at: 0)
    }

    /// Passes up to `frames` frames to `body`, in one or several pieces. Returns their number, which is lower than
    /// `frames` only at the end.
    ///
    /// - Throws: `corruptData` with the position of the damage, if the file is damaged or truncated. All frames before
    ///   the damage are returned first.
    package func read(_ frames: Int, _ body: (UnsafeRawBufferPointer) -> Void) throws(MediaError) -> Int {
        let stream: AudioStream
        if let open = self.stream { stream = open } else { stream = try openStream(at: position) }
        self.stream = stream
        let count = try stream.read(frames, body)
        origin = origin ?? stream.firstTime
        position += Int64(count)
        return count
    }

    /// Moves to another frame, which `read` returns next. A number outside the file is replaced by the nearest one
    /// inside.
    package func seek(to frame: Int64) throws(MediaError) {
        let target = min(max(0, frame), try countFrames())
        guard target != position else { return }
        let current = stream
        stream = nil
        if target > position, !seeksExactly, let current {
            // Skipping forward avoids decoding the file from its beginning again.
            try current.skip(target - position)
            stream = current
        }
        position = target
    }

    /// Returns the number of frames that decoding returns. If the header does not state it reliably, this decodes the
    /// entire file. In a damaged file, only the frames before the first damage count.
    package func countFrames() throws(MediaError) -> Int64 {
        if let counted { return counted }
        let count: Int64
        if let end = announcedCount() { count = end } else { count = try decodedCount() }
        counted = count
        return count
    }

    // MARK: -

    private var rate: Int32 { Int32(clamping: max(1, format.sampleRate)) }

    /// True if seeking reaches every frame exactly, because the file counts audio frames and each packet can be decoded
    /// alone or after a few earlier packets.
    private var seeksExactly: Bool {
        let isCounted = track.naturalTimeScale == rate
        let codecs: [AudioCodec] = [.aac, .alac, .flac]
        return isCounted && (format.bytesPerFrame != nil || codecs.contains(format.codec))
    }

    /// Returns the time of a frame. A header may state any start, so the sum is clamped to the range of `MediaTime`.
    private func time(of frame: Int64, after start: MediaTime) -> MediaTime {
        start.converted(to: rate) + MediaTime(value: frame, timescale: rate)
    }

    private func openStream(at frame: Int64) throws(MediaError) -> AudioStream {
        if frame > 0, seeksExactly, let origin {
            if let stream = exactStream(from: time(of: frame, after: origin)) { return stream }
        }
        let stream = try AudioStream(asset, track, form, output, from: nil)
        try stream.skip(frame)
        return stream
    }

    /// Returns the audio from a time on; nil if seeking does not arrive exactly there, or if the file is damaged.
    private func exactStream(from time: MediaTime) -> AudioStream? {
        guard let stream = try? AudioStream(asset, track, form, output, from: time),
            (try? stream.begins(at: time)) == true
        else { return nil }
        return stream
    }

    /// Returns the count in the header if the last second of the audio confirms it.
    private func announcedCount() -> Int64? {
        let announced = track.timeRange.duration.ticks(in: rate)
        guard seeksExactly, announced > 0, let start = firstTime() else { return nil }
        let before = max(0, announced - Int64(rate))
        guard let last = exactStream(from: time(of: before, after: start)), last.count() == announced - before else {
            return nil
        }
        return announced
    }

    /// Returns the time of the first frame; nil if there is none, or if it is damaged.
    private func firstTime() -> MediaTime? {
        if let origin { return origin }
        guard let first = try? AudioStream(asset, track, form, output, from: nil),
            (try? first.read(1) { _ in }) == 1
        else { return nil }
        origin = first.firstTime
        return origin
    }

    private func decodedCount() throws(MediaError) -> Int64 {
        try AudioStream(asset, track, form, output, from: nil).count()
    }
}
