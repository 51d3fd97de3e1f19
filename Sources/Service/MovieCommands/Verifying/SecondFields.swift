import AssetIO
import MediaCodecs
import MediaTypes
import MovieFile

/// Finds the samples of a track that contain only the second field of a frame. Such a sample is not a frame.
struct SecondFields {
    private var format: FormatDescription?
    private var pairs: H264FieldPairs?

    /// Accepts the next stored sample in decode order.
    ///
    /// - Returns: true if the sample is the second field of a frame.
    mutating func contains(_ sample: SampleBuffer) -> Bool {
        guard case .data(let data) = sample.content, let video = sample.format.video, video.codec == .h264 else {
            return false
        }
        if sample.format != format {
            format = sample.format
            pairs = H264FieldPairs(record: video.decoderConfiguration)
        }
        return pairs?.isSecondField(data.bytes) ?? false
    }

    /// Returns the number of second fields of a track. Reads the track without decoding it.
    ///
    /// - Throws: the errors of reading the file.
    static func count(in asset: Asset, _ track: AssetTrack) async throws(MediaError) -> UInt64 {
        guard let video = track.formatDescription?.video, video.codec == .h264,
            H264FieldPairs(record: video.decoderConfiguration) != nil
        else { return 0 }
        let (reader, output) = try AssetReader.storedSamples(of: track, in: asset)
        defer { reader.cancelReading() }
        var (fields, count) = (SecondFields(), UInt64(0))
        while let sample = try await output.next(), !Task.isCancelled {
            if fields.contains(sample) { count += 1 }
        }
        return count
    }
}

extension AssetReader {
    /// Returns a started reader of all stored samples of a track, without the damaged ones.
    ///
    /// - Throws: the errors of opening the file.
    static func storedSamples(
        of track: AssetTrack, in asset: Asset
    ) throws(MediaError) -> (reader: AssetReader, output: TrackOutput) {
        let reader = try AssetReader(asset: asset)
        try reader.configure {
            $0.skipsDamagedMedia = true
            $0.timeRange = TimeRange(start: .zero, end: .positiveInfinity)
        }
        let output = try TrackOutput(track: track)
        try output.configure { $0.alwaysCopiesSampleData = false }
        try reader.add(output)
        try reader.startReading()
        return (reader, output)
    }
}

extension DecodingPass {
    /// Returns the number of second fields of each video track that has more samples than decoded frames.
    ///
    /// - Parameter listed: the track in the file's tables.
    /// - Throws: the disk's error.
    func secondFields(
        _ results: [Result], listed: (Int) -> TableCheck.Track?
    ) async throws(MediaError) -> [Int: UInt64] {
        var counts: [Int: UInt64] = [:]
        for result in results where result.track.mediaType == .video && result.isDecoded {
            guard let shown = listed(result.track.id)?.shown, shown.lowerBound > UInt64(max(0, result.count)) else {
                continue
            }
            do throws(MediaError) {
                counts[result.track.id] = try await SecondFields.count(in: asset, result.track)
            } catch {
                guard error.code != .ioFailure, error.code != .notPermitted else { throw error }
            }
        }
        return counts
    }
}
