import DequeModule
import MediaTypes

/// The packets that a file has received but not written, and the frames that they depend on. If the file cannot grow
/// any more, another file begins with these packets. A pure value.
struct UnwrittenPackets {
    private struct Entry {
        let packet: SampleBuffer
        /// The number of frames of the track, from its start to the end of this packet.
        let account: Int64
    }

    /// The packets, in the order in which they were received.
    private var entries: Deque<Entry> = []
    private var accounts: [Int64] = [0, 0]
    private var byteCount = 0
    private var videoCount = 0
    /// The number of entries, counted from the first, that were written at the last check.
    private var writtenCount = 0
    /// The index of the last written keyframe.
    private var keyframe: Int?
    /// Maximum bytes of packets that are kept only because others depend on them. Without a limit, the memory would
    /// grow as long as there is no keyframe.
    private let limit: Int

    init(limit: Int = 64 << 20) { self.limit = limit }

    var count: Int { entries.count }

    mutating func append(_ packet: SampleBuffer) {
        let track = Self.track(packet)
        accounts[track] += packet.ledgerCount
        byteCount += packet.byteCount
        if track == 0 { videoCount += 1 }
        entries.append(Entry(packet: packet, account: accounts[track]))
    }

    /// Releases packets that are in the file and that no other packet depends on. In all calls together, each entry is
    /// checked twice. Nothing is allocated.
    ///
    /// - Parameters:
    ///   - video: The number of written video frames; `audio` is the number of written audio frames.
    mutating func trim(video: Int64, audio: Int64) {
        while writtenCount < entries.count {
            let entry = entries[writtenCount]
            let isVideo = Self.track(entry.packet) == 0
            guard entry.account <= (isVideo ? video : audio) else { break }
            if isVideo, entry.packet.isKeyframe { keyframe = writtenCount }
            writtenCount += 1
        }
        // Packets are kept from the last keyframe before the first unwritten packet. Audio packets do not depend on
        // others.
        var count = videoCount > 0 ? keyframe ?? 0 : max(0, writtenCount - 1)
        if byteCount > limit { count = max(count, writtenCount) }
        writtenCount -= count
        keyframe = keyframe.flatMap { $0 >= count ? $0 - count : nil }
        while count > 0 {
            let packet = entries.removeFirst().packet
            byteCount -= packet.byteCount
            if Self.track(packet) == 0 { videoCount -= 1 }
            count -= 1
        }
    }

    /// Returns the packets that another file stores.
    ///
    /// - Parameter all: True if written packets are also returned, because they are lost with the file.
    func rest(video: Int64, audio: Int64, all: Bool) -> UnwrittenRest {
        let written = [video, audio]
        var rest = UnwrittenRest()
        var firstKeyframe: MediaTime?
        for entry in entries {
            let (packet, track) = (entry.packet, Self.track(entry.packet))
            let isWritten = entry.account <= written[track]
            let isCounted = packet.ledgerCount > 0 && (all || !isWritten)
            if track == 0 {
                if packet.isKeyframe { firstKeyframe = firstKeyframe ?? packet.presentationTime }
                // A frame before the first keyframe cannot be decoded, nor can a leading frame of that keyframe. Such a
                // frame remains in the counts of this file.
                guard let firstKeyframe, packet.presentationTime >= firstKeyframe else { continue }
            }
            rest.packets.append(isCounted ? packet : packet.accounting(for: 0))
            guard isCounted else { continue }
            record(packet, isWritten: isWritten, in: &rest)
            rest.start = min(rest.start ?? packet.presentationTime, packet.presentationTime)
        }
        return rest
    }

    private func record(_ packet: SampleBuffer, isWritten: Bool, in rest: inout UnwrittenRest) {
        var account = rest.accounts[packet.format.mediaType] ?? Ledger()
        account.captured += packet.ledgerCount
        if packet.isEased { account.eased += packet.ledgerCount }
        if isWritten { account.written += packet.ledgerCount }
        rest.accounts[packet.format.mediaType] = account
    }

    private static func track(_ packet: SampleBuffer) -> Int { packet.format.mediaType == .video ? 0 : 1 }
}

/// The packets that one file passes to the next.
struct UnwrittenRest {
    /// The packets, in the order in which they were received. Packets that are kept only because others depend on them
    /// are not counted.
    var packets: [SampleBuffer] = []
    /// The start of the first packet that is to be shown; nil if there is none.
    var start: MediaTime?
    /// The counts that move from this file to the next one: the captured frames, and how many of them were written.
    var accounts: [MediaType: Ledger] = [:]
}
