package import MediaTypes

/// Splits a movie into chunks at keyframes of the source, so that no frame has to be decoded for two chunks.
package enum ChunkSplitter {
    /// Returns contiguous chunks of about the same length, from the beginning to the end. Blocks while it looks for
    /// keyframes. It uses the index if the file has one.
    ///
    /// - Parameters:
    ///   - range: the time range of the asset to export.
    ///   - count: the number of chunks. The result has fewer if the movie has fewer keyframes.
    /// - Throws: the errors of opening the file; `unsupported` for an asset that is not a file, or has no video.
    package static func ranges(of asset: Asset, in range: TimeRange, count: Int) throws(MediaError) -> [TimeRange] {
        let action = "cannot split \(asset.origin.name) into chunks"
        let duration = try asset.loadNow(.duration)
        let end = min(range.end, duration)
        guard let track = try asset.loadNow(.tracks).presented(.video) else {
            throw MediaError(.unsupported, action, reason: "it has no video")
        }
        guard asset.url != nil else {
            throw MediaError(
                .unsupported, action, reason: "it is joined from several files", wayOut: "encode them one by one")
        }
        var cuts = [range.start]
        let length = (end - range.start).seconds
        for number in 1..<max(1, count) {
            let wanted = range.start + MediaTime(seconds: length * Double(number) / Double(count), timescale: 1000)
            guard let key = try keyframe(of: track, in: asset, at: wanted) else { continue }
            if key > cuts[cuts.count - 1], key < end { cuts.append(key) }
        }
        return cuts.indices.map { index in
            TimeRange(start: cuts[index], end: index + 1 < cuts.count ? cuts[index + 1] : range.end)
        }
    }

    /// Returns the timestamp of the keyframe from which a track must be decoded to show a time; nil if there is none.
    private static func keyframe(
        of track: AssetTrack, in asset: Asset, at time: MediaTime
    ) throws(MediaError) -> MediaTime? {
        let reader = try AssetReader(asset: asset)
        let output = try TrackOutput(track: track)
        try output.configure { $0.leavesUnread = true }
        try reader.add(output)
        try reader.configure { $0.timeRange = TimeRange(start: time, end: .positiveInfinity) }
        try reader.startReading()
        defer { reader.cancelReading() }
        // Without an index in the container, reading may begin somewhat earlier.
        var last: MediaTime?
        while let sample = output.copyNextSampleBuffer() {
            if sample.isKeyframe {
                if sample.presentationTime > time { return last ?? sample.presentationTime }
                last = sample.presentationTime
            }
            if (sample.decodeTime ?? sample.presentationTime) > time, last != nil { return last }
        }
        return last
    }
}
