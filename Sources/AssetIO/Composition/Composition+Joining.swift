public import MediaTypes

extension Composition {
    /// Each asset after the other: the first video and the first audio track of each, and the chapters of all.
    ///
    /// The longer of the two decides where the next asset begins; the other leaves a gap there, as does an asset that lacks
    /// one of them. An asset without an index is measured first, which reads its whole file, because an estimated end would
    /// cut it off. Metadata and date are those of the first; its timecode too, where those of the others go on where the one
    /// before ends, as in the segments of one recording. Ledgers are added up.
    ///
    /// - Throws: `invalidSettings` for none, `unsupported` for one without video and audio; what loading throws.
    public static func joining(_ assets: [Asset]) async throws(MediaError) -> Composition {
        let action = "cannot join assets"
        guard let first = assets.first else {
            throw MediaError(.invalidSettings, action, reason: "there are none")
        }
        var result = Composition()
        (result.metadata, result.creationDate) = try await first.load(.metadata, .creationDate)
        var time = MediaTime.zero
        var joint = FactsInCommon()
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
    /// This asset, or one of the same file whose durations are measured where the header only estimates them.
    fileprivate func measured() async throws(MediaError) -> Asset {
        guard let url, try await !load(.providesPreciseDurationAndTiming) else { return self }
        return Asset(url: url, prefersPreciseDurationAndTiming: true)
    }
}
