package import MediaTypes

/// The start, the end and the size of each track of a file without an index, measured by reading every packet.
package struct PacketScan: Sendable {
    package struct Track: Sendable {
        package var start: MediaTime?
        package var end: MediaTime?
        package var byteCount: Int64 = 0
        package var packetCount = 0
        fileprivate var lastStart: MediaTime?
        fileprivate var lastDistance: MediaTime?
    }

    /// The results, by track index.
    package private(set) var tracks: [Track]

    /// Reads the complete file. Blocks until the end.
    ///
    /// - Parameter isCancelled: called before every packet.
    /// - Throws: `cancelled`; the errors of `MovieDemuxer.next` for a damaged or truncated file.
    package init(_ demuxer: MovieDemuxer, isCancelled: () -> Bool) throws(MediaError) {
        tracks = Array(repeating: Track(), count: demuxer.tracks.count)
        while let packet = try demuxer.next() {
            if isCancelled() {
                throw MediaError(.cancelled, "cannot measure \(demuxer.path)", reason: "it was cancelled")
            }
            let rate = demuxer.tracks[packet.track].format?.audio?.sampleRate
            // For Ogg, libavformat has already trimmed the last packet.
            tracks[packet.track].add(packet, sampleRate: rate, isTrimmed: demuxer.container == "ogg")
        }
    }
}

extension PacketScan.Track {
    fileprivate mutating func add(_ packet: MovieDemuxer.Packet, sampleRate: Int?, isTrimmed: Bool) {
        packetCount += 1
        byteCount &+= Int64(packet.sample.byteCount)
        guard !packet.isDiscarded, packet.sample.presentationTime.isNumeric else { return }
        func frames(_ count: Int) -> MediaTime {
            MediaTime(value: Int64(count), timescale: Int32(clamping: max(1, sampleRate ?? 1)))
        }
        let from = packet.sample.presentationTime + (packet.skippedFrames > 0 ? frames(packet.skippedFrames) : .zero)
        start = min(start ?? from, from)
        // In a file without durations, the last frame is assumed to last as long as the frame before it.
        if let lastStart, from > lastStart { lastDistance = from - lastStart }
        lastStart = max(lastStart ?? from, from)
        let length = packet.sample.duration ?? lastDistance ?? .zero
        let to =
            packet.sample.presentationTime + length
            - (packet.droppedFrames > 0 && !isTrimmed ? frames(packet.droppedFrames) : .zero)
        end = max(end ?? to, to)
    }
}
