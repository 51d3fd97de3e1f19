package import MediaTypes

/// Where a film is cut into stretches: at key frames of the source, so that no picture is decoded for two of them.
package enum StretchCuts {
    /// Stretches of about the same length, which follow one another from the beginning to the end. Blocks while key frames are
    /// looked for, in the index where the file has one.
    ///
    /// - Parameters:
    ///   - range: what is exported of the asset.
    ///   - count: how many; fewer where there are fewer key frames.
    /// - Throws: what opening the file throws; `unsupported` for an asset that is no file, or has no pictures.
    package static func ranges(of asset: Asset, in range: TimeRange, count: Int) throws(MediaError) -> [TimeRange] {
        let action = "cannot cut \(asset.origin.name) into stretches"
        let duration = try asset.loadBlocking(.duration)
        let end = min(range.end, duration)
        guard let track = try asset.loadBlocking(.tracks).first(where: { $0.mediaType == .video }) else {
            throw MediaError(.unsupported, action, reason: "it has no pictures")
        }
        guard asset.url != nil else {
            throw MediaError(.unsupported, action, reason: "it is joined of several", wayOut: "encode them one by one")
        }
        var cuts = [range.start]
        let length = (end - range.start).seconds
        for number in 1..<max(1, count) {
            let wanted = range.start + MediaTime(seconds: length * Double(number) / Double(count), timescale: 1000)
            guard let key = try keyFrame(of: track, in: asset, at: wanted) else { continue }
            if key > cuts[cuts.count - 1], key < end { cuts.append(key) }
        }
        return cuts.indices.map { index in
            TimeRange(start: cuts[index], end: index + 1 < cuts.count ? cuts[index + 1] : range.end)
        }
    }

    /// When the key frame is shown with which decoding of a moment begins; nil: there is none.
    private static func keyFrame(
        of track: AssetTrack, in asset: Asset, at time: MediaTime
    ) throws(MediaError) -> MediaTime? {
        let reader = try AssetReader(asset: asset)
        let output = try TrackOutput(track: track)
        try output.configure { $0.leavesUnread = true }
        try reader.add(output)
        try reader.configure { $0.timeRange = TimeRange(start: time, end: .positiveInfinity) }
        try reader.startReading()
        defer { reader.cancelReading() }
        // In a container without an index reading may begin somewhat earlier.
        var last: MediaTime?
        while let sample = output.copyNextSampleBuffer() {
            if sample.isKeyFrame {
                if sample.presentationTime > time { return last ?? sample.presentationTime }
                last = sample.presentationTime
            }
            if (sample.decodeTime ?? sample.presentationTime) > time, last != nil { return last }
        }
        return last
    }
}
