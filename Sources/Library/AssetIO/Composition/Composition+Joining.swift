public import MediaTypes

extension Composition {
    /// Joins assets one after the other: the first video and the first audio track of each that are enabled, and the
    /// chapters of all.
    ///
    /// The longer of the two tracks decides where the next asset begins. The shorter track gets a gap up to that time.
    /// If an asset has only one of the tracks, the other track gets a gap for the entire asset. An asset without an
    /// index is measured first, which reads its entire file; with an estimated end, it might be truncated. Metadata and
    /// date are those of the first asset. The first asset's timecode is kept if each later timecode continues the
    /// previous one, as in the files of one recording. The result's ledger is the sum of all ledgers.
    ///
    /// - Throws: `invalidSettings` for an empty list, `unsupported` for an asset without video and audio; the errors of
    ///   loading.
    public static func joining(_ assets: [Asset]) async throws(MediaError) -> Composition {
        let action = "cannot join assets"
        guard let first = assets.first else {
            throw MediaError(.invalidSettings, action, reason: "no assets were given")
        }
        var result = Composition()
        (result.metadata, result.creationDate) = try await first.load(.metadata, .creationDate)
        var time = MediaTime.zero
        var joint = SharedMetadata()
        for asset in assets {
            let asset = try await asset.measured()
            let sources = try presented(try await asset.load(.tracks), action)
            let length = sources.map(\.timeRange.end).max() ?? .zero
            try await result.insertTimeRange(TimeRange(start: .zero, duration: length), of: asset, at: time)
            joint.take(try await asset.load(.metadata), try await asset.load(.timecode), at: time)
            time += length
        }
        result.timecode = joint.timecode
        result.metadata.removeAll { $0.key == MetadataItem.ledgerKey }
        if let ledger = joint.ledger { result.metadata.append(ledger) }
        return result
    }
}

extension Asset {
    /// Returns this asset if its durations are precise; otherwise returns an asset of the same file that measures them.
    fileprivate func measured() async throws(MediaError) -> Asset {
        guard let url, try await !load(.providesPreciseDurationAndTiming) else { return self }
        return Asset(url: url, prefersPreciseDurationAndTiming: true)
    }
}
