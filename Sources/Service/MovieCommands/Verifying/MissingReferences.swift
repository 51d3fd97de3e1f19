import AssetIO
import MediaCodecs
import MediaTypes
import MovieFile

/// The places in a video track where reference frames are missing, which are frames that other frames depend on. The
/// frame numbers of H.264 show these places.
///
/// A network camera's packets may be lost on the way. The recorder counts the frames of these packets as dropped, and
/// stores the others. Up to the next keyframe, decoders cannot decode some of the stored frames, or do not show them. A
/// raw camera's dropped frames leave no such place, because they never reached an encoder.
struct MissingReferences: Sendable {
    private struct Place: Sendable {
        /// The earliest time of a frame after the missing ones.
        var start: MediaTime
        /// The time of the next keyframe.
        var end: MediaTime
    }

    /// The track's id.
    let track: Int
    private var places: [Place] = []
    /// The number of missing frames.
    private var missing: Int64 = 0
    /// The number of stored frames from each place to the next keyframe, summed over all places.
    private var frames: Int64 = 0

    private var format: FormatDescription?
    private var numbers: H264FrameNumbers?
    /// True after a place, until the next keyframe.
    private var isAfterLoss = false

    private init(track: Int) { self.track = track }

    /// Reads a track without decoding it.
    ///
    /// - Parameter most: the number of frames that the recorder counted as dropped.
    /// - Returns: nil if no frame is missing, or if more than `most` are missing.
    /// - Throws: the errors of reading the file.
    static func find(in asset: Asset, _ track: AssetTrack, most: Int64) async throws(MediaError) -> MissingReferences? {
        let (reader, output) = try AssetReader.storedSamples(of: track, in: asset)
        defer { reader.cancelReading() }
        var found = MissingReferences(track: track.id)
        while let sample = try await output.next(), found.missing <= most, !Task.isCancelled { found.take(sample) }
        return found.missing > 0 && found.missing <= most ? found : nil
    }

    /// Returns true if missing frames explain why the frames of a time range cannot be decoded.
    func explain(_ range: TimeRange) -> Bool {
        places.contains { range.start >= $0.start && range.end <= $0.end }
    }

    /// Returns true if missing frames explain why a number of frames is not shown.
    func explain(frames count: UInt64) -> Bool { Int64(clamping: count) <= frames }

    private mutating func take(_ sample: SampleBuffer) {
        guard case .data(let data) = sample.content, let video = sample.format.video, video.codec == .h264 else {
            return
        }
        if sample.format != format {
            format = sample.format
            numbers = H264FrameNumbers(record: video.decoderConfiguration)
        }
        let time = sample.presentationTime
        let count = numbers?.missing(before: data.bytes) ?? 0
        missing += Int64(count)
        if sample.isKeyframe {
            if isAfterLoss { places[places.count - 1].end = time }
            isAfterLoss = false
        } else if isAfterLoss {
            places[places.count - 1].start = min(places[places.count - 1].start, time)
            frames += 1
        } else if count > 0 {
            isAfterLoss = true
            places.append(Place(start: time, end: .positiveInfinity))
            frames += 1
        }
    }
}

extension DecodingPass {
    /// Returns the missing frames of the only video track; nil if its recorder counted no drops, or if all of its
    /// frames can be decoded.
    ///
    /// - Parameter listed: the track in the file's tables.
    /// - Throws: the disk's error.
    func missingReferences(
        _ results: [Result], listed: (Int) -> TableCheck.Track?
    ) async throws(MediaError) -> MissingReferences? {
        let videos = results.filter { $0.track.mediaType == .video }
        guard let dropped = summary.ledger?["video"]?.droppedInAll, dropped > 0, videos.count == 1,
            let video = videos.first, video.failure == nil
        else { return nil }
        let isShort = listed(video.track.id)?.shown.map { $0.lowerBound > UInt64(max(0, video.count)) } ?? false
        guard isShort || video.damage.contains(where: { !$0.isMended }) else { return nil }
        do throws(MediaError) {
            return try await MissingReferences.find(in: asset, video.track, most: dropped)
        } catch {
            guard error.code != .ioFailure, error.code != .notPermitted else { throw error }
            // The damage is reported as damage, not as missing frames.
            return nil
        }
    }
}
