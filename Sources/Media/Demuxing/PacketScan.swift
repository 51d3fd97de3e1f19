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
        /// The total duration of the packets without a time, as in a stream of H.264 without a container.
        fileprivate var untimed = MediaTime.zero
    }

    /// The results, by track index.
    package private(set) var tracks: [Track]

    /// Reads the complete file. Blocks until the end.
    ///
    /// - Parameters:
    ///   - skipsDamage: true to measure what can be read of a damaged or truncated file.
    ///   - isCancelled: called before every packet.
    /// - Throws: `cancelled`; the errors of `MovieDemuxer.next` for a damaged or truncated file.
    package init(
        _ demuxer: MovieDemuxer, skipsDamage: Bool = false, isCancelled: () -> Bool
    ) throws(MediaError) {
        tracks = Array(repeating: Track(), count: demuxer.tracks.count)
        while let packet = try Self.next(demuxer, skipsDamage: skipsDamage) {
            if isCancelled() {
                throw MediaError(.cancelled, "cannot measure \(demuxer.path)", reason: "it was cancelled")
            }
            let rate = demuxer.tracks[packet.track].format?.audio?.sampleRate
            // For Ogg, libavformat has already trimmed the last packet.
            tracks[packet.track].add(packet, sampleRate: rate, isTrimmed: demuxer.container == "ogg")
        }
        for index in tracks.indices where tracks[index].end == nil && tracks[index].untimed > .zero {
            tracks[index].start = MediaTime.zero
            tracks[index].end = tracks[index].untimed
        }
    }

    private static func next(_ demuxer: MovieDemuxer, skipsDamage: Bool) throws(MediaError) -> MovieDemuxer.Packet? {
        while true {
            do throws(MediaError) {
                return try demuxer.next()
            } catch {
                guard skipsDamage, error.code == .corruptData else { throw error }
                if demuxer.isAtEnd { return nil }
            }
        }
    }
}

extension PacketScan.Track {
    fileprivate mutating func add(_ packet: MovieDemuxer.Packet, sampleRate: Int?, isTrimmed: Bool) {
        packetCount += 1
        byteCount &+= Int64(packet.sample.byteCount)
        guard !packet.isDiscarded else { return }
        guard packet.sample.presentationTime.isNumeric else {
            untimed = untimed + (packet.sample.duration ?? .zero)
            return
        }
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
