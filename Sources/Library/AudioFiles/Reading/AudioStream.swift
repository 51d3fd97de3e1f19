import AssetIO
import MediaTypes

/// The decoded audio of a track, from one frame to the track's end.
final class AudioStream {
    /// The time of the first frame; nil until it was read.
    private(set) var firstTime: MediaTime?

    private let reader: AssetReader
    private let track: TrackOutput
    private let frameSize: Int
    private var data: MediaData?
    private var offset = 0

    /// - Parameter start: the time of the first frame; nil for the beginning of the track.
    init(
        _ asset: Asset, _ track: AssetTrack, _ form: TrackOutput.PCM, _ output: AudioFormat, from start: MediaTime?
    ) throws(MediaError) {
        frameSize = max(1, output.bytesPerFrame ?? 1)
        reader = try AssetReader(asset: asset)
        self.track = try TrackOutput(track: track, outputSettings: .pcm(form))
        if let start {
            try reader.configure { $0.timeRange = TimeRange(start: start, end: .positiveInfinity) }
        }
        try reader.add(self.track)
        try reader.startReading()
    }

    deinit { reader.cancelReading() }

    /// Passes up to `frames` frames to `body`. Returns their number, which is lower than `frames` only at the end.
    ///
    /// - Throws: the reader's error, once all frames before the error were passed on.
    func read(_ frames: Int, _ body: (UnsafeRawBufferPointer) -> Void) throws(MediaError) -> Int {
        var done = 0
        while done < frames {
            guard let data = try current(afterError: done == 0) else { break }
            let count = min(frames - done, (data.count - offset) / frameSize)
            guard count > 0 else {
                self.data = nil
                continue
            }
            body(UnsafeRawBufferPointer(rebasing: data.bytes[offset..<(offset + count * frameSize)]))
            offset += count * frameSize
            done += count
        }
        return done
    }

    /// Returns true if the first frame has this time.
    func begins(at time: MediaTime) throws(MediaError) -> Bool {
        _ = try current(afterError: true)
        return firstTime.map { $0 == time } ?? false
    }

    func skip(_ frames: Int64) throws(MediaError) {
        var left = frames
        while left > 0 {
            let count = try read(Int(min(left, 1 << 20))) { _ in }
            guard count > 0 else { return }
            left -= Int64(count)
        }
    }

    /// Returns the number of frames from here to the end, or to the first damage.
    func count() -> Int64 {
        var all: Int64 = 0
        while let count = try? read(1 << 20, { _ in }), count > 0 { all += Int64(count) }
        return all
    }

    /// Returns the data that contains the next frame; nil at the end.
    ///
    /// - Parameter throwsFailure: false to end at damage, so that the frames before it are returned first.
    private func current(afterError throwsFailure: Bool) throws(MediaError) -> MediaData? {
        if let data { return data }
        while let sample = track.copyNextSampleBuffer() {
            guard case .data(let bytes) = sample.content, bytes.count >= frameSize else { continue }
            firstTime = firstTime ?? sample.presentationTime
            (data, offset) = (bytes, 0)
            return bytes
        }
        if throwsFailure, reader.status == .failed, let error = reader.error { throw error }
        return nil
    }
}
