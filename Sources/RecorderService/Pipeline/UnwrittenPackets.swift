import DequeModule
import MediaTypes

/// What a file was given and has not written yet, and the pictures that it leans on: should the file be able to take no
/// more, another one begins with them. A pure value.
struct UnwrittenPackets {
    private struct Entry {
        let packet: SampleBuffer
        /// What its track has accounted for with it.
        let account: Int64
    }

    /// In the order they were given.
    private var entries: Deque<Entry> = []
    private var accounts: [Int64] = [0, 0]
    private var byteCount = 0
    private var videoCount = 0
    /// How many from the first on were written when somebody last asked: what is written stays so.
    private var writtenCount = 0
    /// The latest of them that pictures can begin with.
    private var keyFrame: Int?
    /// Bytes that are kept for the sake of others: pictures may lean on each other for ever.
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

    /// Lets go of what is in the file and nobody leans on. Looks at each entry twice in all, and allocates nothing.
    ///
    /// - Parameters:
    ///   - video: pictures that are written; `audio` likewise.
    mutating func trim(video: Int64, audio: Int64) {
        while writtenCount < entries.count {
            let entry = entries[writtenCount]
            let isVideo = Self.track(entry.packet) == 0
            guard entry.account <= (isVideo ? video : audio) else { break }
            if isVideo, entry.packet.isKeyFrame { keyFrame = writtenCount }
            writtenCount += 1
        }
        // From the key frame that comes last before what is not written; sound stands alone.
        var count = videoCount > 0 ? keyFrame ?? 0 : max(0, writtenCount - 1)
        if byteCount > limit { count = max(count, writtenCount) }
        writtenCount -= count
        keyFrame = keyFrame.flatMap { $0 >= count ? $0 - count : nil }
        while count > 0 {
            let packet = entries.removeFirst().packet
            byteCount -= packet.byteCount
            if Self.track(packet) == 0 { videoCount -= 1 }
            count -= 1
        }
    }

    /// What another file takes over.
    ///
    /// - Parameter all: also what was written, as that is lost with the file.
    func rest(video: Int64, audio: Int64, all: Bool) -> UnwrittenRest {
        let written = [video, audio]
        var rest = UnwrittenRest()
        var hasKeyFrame = false
        for entry in entries {
            let (packet, track) = (entry.packet, Self.track(entry.packet))
            let isWritten = entry.account <= written[track]
            let isCounted = packet.ledgerCount > 0 && (all || !isWritten)
            if track == 0 {
                hasKeyFrame = hasKeyFrame || packet.isKeyFrame
                // Nothing decodes it: it stays in the account of what it was lost with.
                guard hasKeyFrame else { continue }
            }
            rest.packets.append(isCounted ? packet : packet.accounting(for: 0))
            guard isCounted else { continue }
            note(packet, isWritten: isWritten, in: &rest)
            rest.start = min(rest.start ?? packet.presentationTime, packet.presentationTime)
        }
        return rest
    }

    private func note(_ packet: SampleBuffer, isWritten: Bool, in rest: inout UnwrittenRest) {
        var account = rest.accounts[packet.format.mediaType] ?? Ledger()
        account.captured += packet.ledgerCount
        if packet.isEased { account.eased += packet.ledgerCount }
        if isWritten { account.written += packet.ledgerCount } else { account[dropped: .disk] += packet.ledgerCount }
        rest.accounts[packet.format.mediaType] = account
    }

    private static func track(_ packet: SampleBuffer) -> Int { packet.format.mediaType == .video ? 0 : 1 }
}

/// What one file hands on to the next.
struct UnwrittenRest {
    /// In the order they were given; those that only others lean on account for nothing.
    var packets: [SampleBuffer] = []
    /// When the first of those begins that are to be shown; nil: there is none.
    var start: MediaTime?
    /// What was in the account of the file that gives them, and no longer is.
    var accounts: [MediaType: Ledger] = [:]
}
