import Demuxing
import DequeModule
import MediaCodecs
import MediaTypes

/// One track of a file, read range by range: its own packets and its own decoder.
///
/// Holds what one packet decodes to and what the decoder delays, no more.
final class TrackSource: SampleSource, @unchecked Sendable {
    // Unchecked: whoever has the output's turn uses it, one thread at a time.
    private let packets: TrackPackets
    private let options: SourceOptions
    private var decoding: TrackDecoding
    /// What the decoder was made for; nil: the track's own format.
    private var decodedFormat: FormatDescription?
    private var ranges: Deque<TimeRange>
    private var range = TimeRange(start: .zero, end: .positiveInfinity)
    private var ready: Deque<SampleBuffer> = []
    private var failure: MediaError?
    private var isAtEnd = true
    private var isFresh = true
    /// The key frame that decoding began with; nil until it has come.
    private var keyTime: MediaTime?
    /// The decoder did not get frames that need those before the keyframe.
    private var hasSkippedLeadingFrames = false
    /// Set where damage is to be left out.
    private var recovery: DamageRecovery?
    /// The time of the last picture that was given; while rereading, what comes up to it is not given again.
    private var lastGiven: MediaTime?
    private var isRereading = false
    /// One frame after the other is decoded, so that an error tells which one is damaged.
    private var decodesSingly = false
    /// Stored pictures wait for a key frame: some before it are missing.
    private var awaitsKeyFrame = false
    /// Of stored pictures.
    private var decodeTimes = DecodeTimes()
    /// Behind a seek libavformat takes the first frame's decode time to be that of showing it, where the file says neither.
    private var doubtsDecodeTime = false
    private var entry = RangeEntry()
    private var order: TimeOrder
    /// Set where stored samples have another form than the packets.
    private var storedForm: StoredForm?
    /// Of decoded frames.
    private var held = HeldFrame()
    /// The decoder goes on where it used to fail.
    private var isLenient = false
    /// The decoder has given a picture behind the range.
    private var isPastEnd = false

    var allocationCount: Int { decoding.allocationCount }

    /// - Parameter known: all tracks of the file, from somebody who has opened it before.
    /// - Throws: what opening the file or the decoder throws; `invalidSettings` for settings that do not fit the track.
    init(
        path: String, track index: Int, known: [MovieDemuxer.Track] = [], options: SourceOptions, ranges: [TimeRange]
    ) throws(MediaError) {
        self.options = options
        self.ranges = Deque(ranges)
        packets = try TrackPackets(
            path: path, track: index, skipsDamage: options.damage != nil,
            passed: options.leavesUnread && options.settings == nil ? known : nil, ignoresEdits: options.readsMedia)
        let track = packets.track
        do throws(MediaError) { decoding = try TrackDecoding(track, options) } catch {
            throw track.refusal(error, path)
        }
        recovery = options.damage.map { DamageRecovery(trackID: track.id, log: $0) }
        order = TimeOrder(isStored: options.settings == nil, isVideo: packets.isVideo)
    }

    func restart(ranges: [TimeRange]) {
        recovery?.end(announced: nil)
        self.ranges = Deque(ranges)
        (ready, failure, isAtEnd) = ([], nil, true)
    }

    /// The next sample; nil when the last range has ended.
    ///
    /// - Throws: `corruptData` with the place, for a file that is damaged or cut short; everything before was given. Not
    ///   with `SourceOptions.damage`.
    func next() throws(MediaError) -> SampleBuffer? {
        while true {
            if let sample = ready.popFirst() { return sample }
            if let failure { throw failure }
            if isAtEnd {
                guard let range = ranges.popFirst() else { return nil }
                attempt { () throws(MediaError) in try begin(range) }
            } else {
                attempt(step)
            }
        }
    }

    /// A failure ends what is read. What came before it is given first.
    private func attempt(_ work: () throws(MediaError) -> Void) {
        do throws(MediaError) {
            try work()
        } catch {
            isAtEnd = true
            failure = error
        }
    }

    // MARK: Where a range begins

    private func begin(_ range: TimeRange) throws(MediaError) {
        self.range = range
        recovery?.range = range
        (lastGiven, isRereading, decodesSingly) = (nil, false, false)
        if case .audio(let decoder) = decoding {
            decoder.range = soundRange
        }
        entry = RangeEntry()
        order.restart()
        try start(at: range.start)
    }

    private func start(at time: MediaTime) throws(MediaError) {
        (keyTime, awaitsKeyFrame, isAtEnd, isPastEnd) = (nil, false, false, false)
        held.forget()
        decodeTimes = DecodeTimes()
        if options.settings == nil { storedForm = packets.track.format.flatMap { StoredForm($0) } }
        if !isFresh { decoding.flush() }
        isFresh = false
        try packets.start(at: time, preroll: preroll, isDecoded: options.settings != nil)
        doubtsDecodeTime = !packets.isFromBeginning && !packets.storesDecodeTimes
        entry.begin(isFromBeginning: packets.isFromBeginning)
    }

    /// Decoding began with a key frame that was not enough: once more, from an earlier one.
    private func retreat(to time: MediaTime) throws(MediaError) {
        ready = []
        order.restart()
        try start(at: time)
    }

    /// Sound decodes to itself only some packets after the first: MDCT overlap, MP3's bit reservoir, Opus' 80 ms.
    private var preroll: MediaTime {
        if case .audio = decoding { MediaTime(value: 1, timescale: 4) } else { .zero }
    }

    private var isVideo: Bool { packets.isVideo }

    // MARK: Packets

    private func step() throws(MediaError) {
        if let packet = try nextPacket(), !isBeyond(packet) { try take(packet) } else { try drain() }
        if let time = entry.takeRetreat() { try retreat(to: time) }
    }

    private func nextPacket() throws(MediaError) -> MovieDemuxer.Packet? {
        while true {
            do throws(MediaError) {
                return try packets.next()
            } catch {
                guard recovery != nil, DamageRecovery.isDamage(error) else {
                    // What was whole before the damage is given first. Of a decoder that failed, what it still holds may
                    // be the damaged picture and others that lean on it.
                    try? drain()
                    throw error
                }
                if try rereads() { continue }
                losePackets(error)
                if packets.isAtEnd { return nil }
            }
        }
    }

    private func drain() throws(MediaError) {
        isAtEnd = true
        decodeTimes.finish { give($0) }
        do throws(MediaError) {
            // The next range begins with an empty decoder.
            if !isPastEnd { try decoding.finish { deliver($0) } }
        } catch {
            if try readsLeniently(error) { return }
            guard recovery != nil, DamageRecovery.isDamage(error) else { throw error }
            if try rereads() { return }
            salvage()
        }
        giveHeld(until: heldEnd)
        if case .video = decoding, keyTime == nil, range.end == .positiveInfinity, recovery?.isOpen != true {
            throw MediaError(
                .corruptData, "cannot decode \(packets.path)", reason: "there is no key frame in the track")
        }
        recovery?.end(announced: packets.isAtEnd ? packets.announcedEnd : nil)
    }

    /// Nothing from here on is inside the range.
    private func isBeyond(_ packet: MovieDemuxer.Packet) -> Bool {
        // Pictures leave the decoder in the order of showing them.
        if isPastEnd { return true }
        let decodeTime = packet.sample.decodeTime ?? packet.sample.presentationTime
        // Packets come in the order of decoding, and none is shown before that. Where the file does not say when that is,
        // or when they are shown, nobody knows by how much a packet may be shown earlier than this one.
        let isSure =
            packet.hasPresentationTime && packet.hasDecodeTime
            && (packets.storesDecodeTimes || !isVideo || options.settings == nil)
        return decodeTime >= (isSure ? range.end : range.end + Self.reordering)
    }

    private static let reordering = MediaTime(value: 1, timescale: 1)

    /// A decoder is made for one format: where that changes within the track, another one continues.
    private func follow(_ format: FormatDescription) throws(MediaError) {
        guard options.settings != nil, format != decodedFormat ?? packets.track.format else { return }
        do throws(MediaError) {
            try decoding.finish { deliver($0) }
        } catch {
            guard recovery != nil, DamageRecovery.isDamage(error) else { throw error }
            salvage()
        }
        decodedFormat = format == packets.track.format ? nil : format
        decoding = try newDecoding()
        if case .audio(let decoder) = decoding { decoder.range = soundRange }
    }

    /// A decoder for the packets that come now.
    private func newDecoding() throws(MediaError) -> TrackDecoding {
        guard let decodedFormat, let first = packets.track.format else {
            return try TrackDecoding(packets.track, options, decodesAhead: !decodesSingly, isLenient: isLenient)
        }
        return try TrackDecoding(
            packets.track.changed(to: decodedFormat), options.changing(from: first), decodesAhead: !decodesSingly,
            isLenient: isLenient)
    }

    private var soundRange: TimeRange {
        TimeRange(start: max(.zero, range.start), end: min(range.end, packets.editedEnd))
    }

    private func take(_ packet: MovieDemuxer.Packet) throws(MediaError) {
        // A copy would lack what the file says about its encryption.
        if packet.isEncrypted, options.settings != nil || options.leavesUnread {
            let isDecoded = options.settings != nil
            throw MediaError(
                .unsupported, "cannot \(isDecoded ? "decode" : "copy") \(packets.path)",
                reason: "track \(packets.track.id) is encrypted",
                wayOut: isDecoded
                    ? "read the stored samples instead, or decrypt the file first" : "decrypt the file first")
        }
        try follow(packet.sample.format)
        let coded = CodedSample(packet)
        switch decoding {
        case .none:
            guard !options.leavesUnread || saysWhenShown(packet) else {
                throw MediaError(
                    .unsupported, "cannot copy \(packets.path)",
                    reason: "it does not say when each of its frames is shown", wayOut: "re-encode it")
            }
            if awaitsKeyFrame, isVideo, !packet.sample.isKeyFrame { return lose(packet) }
            awaitsKeyFrame = false
            if packet.isDiscarded, isVideo, !options.givesHiddenSamples { return }
            // Pictures from the key frame on: those before the range are what decoding needs.
            let end = packet.start + (packet.sample.duration ?? .zero)
            guard isVideo || range.start <= .zero || end > range.start else { return }
            let isKnown = packet.hasDecodeTime && !(doubtsDecodeTime && packet.sample.decodeTime == nil)
            doubtsDecodeTime = false
            guard let sample = try stored(packet.sample) else { return lose(packet) }
            decodeTimes.take(sample, isKnown: isKnown || !isVideo) { give($0) }
        case .video(let decoder):
            guard isDecodable(packet) else { return lose(packet) }
            do throws(MediaError) {
                try decoder.decode(coded) { deliver($0) }
            } catch {
                if try readsLeniently(error) { return }
                guard recovery != nil, DamageRecovery.isDamage(error) else { throw located(error, packet) }
                try recover(from: error, packet, decoder)
            }
        case .audio(let decoder):
            do throws(MediaError) {
                try decoder.decode(coded) { deliver($0) }
            } catch {
                // After a seek the first packets may lean on others that were not read.
                if packet.start < range.start { return }
                guard recovery != nil, DamageRecovery.isDamage(error) else { throw located(error, packet) }
                recovery?.lose(at: packet.start, duration: packet.sample.duration, reason: error.reason)
            }
        }
    }

    /// Whether a copy of a packet can be shown when the packet is: AVI stores decode times alone, which are not the times of
    /// showing where frames are stored out of order.
    private func saysWhenShown(_ packet: MovieDemuxer.Packet) -> Bool {
        guard packet.sample.presentationTime.isNumeric else { return false }
        let track = packets.track
        return packet.hasPresentationTime || track.lacksPresentationTimes || !isVideo || track.videoDelay == 0
    }

    /// The sample that a packet is stored as; nil for one that cannot be decoded.
    private func stored(_ sample: SampleBuffer) throws(MediaError) -> SampleBuffer? {
        if storedForm == nil { return sample }
        return try storedForm?.convert(sample)
    }

    /// Whether the decoder has what a picture leans on. Before the first key frame it has nothing; pictures that are shown
    /// before that key frame but stored behind it lean on the group before (ITU-T H.265, RASL pictures).
    private func isDecodable(_ packet: MovieDemuxer.Packet) -> Bool {
        guard let keyTime else {
            if packet.sample.isKeyFrame {
                self.keyTime = packet.start
                if !packet.isDiscarded { entry.decodes(packet.start) }
            }
            return packet.sample.isKeyFrame
        }
        if packet.sample.isKeyFrame || !packet.hasPresentationTime || packet.start >= keyTime { return true }
        hasSkippedLeadingFrames = true
        return false
    }

    private func deliver(_ sample: SampleBuffer) {
        if isVideo {
            let time = sample.presentationTime
            if time >= range.end { isPastEnd = true }
            entry.shows(time, rangeStart: range.start)
            if range.start > .zero, time < range.start {
                if options.showsHeldFrame { held.keep(sample) }
                return
            }
            giveHeld(until: min(time, range.end))
            guard time < range.end else { return }
            if isRereading, let lastGiven, time <= lastGiven { return }
            lastGiven = time
        }
        give(sample)
    }

    /// Gives the frame that is on screen where the range begins.
    ///
    /// - Parameter end: when the next frame is shown.
    private func giveHeld(until end: MediaTime) {
        guard let frame = held.take(from: range.start, until: end) else { return }
        if isRereading, let lastGiven, range.start <= lastGiven { return }
        lastGiven = range.start
        give(frame)
    }

    /// Where the kept frame ends when no other frame comes: at the end of the range, or of the track.
    private var heldEnd: MediaTime {
        guard packets.isAtEnd else { return range.end }
        return min(range.end, [held.ownEnd, packets.announcedEnd].compactMap(\.self).max() ?? range.end)
    }

    private func give(_ sample: SampleBuffer) {
        // A decoder that is being emptied gives what came before the damage.
        if !isVideo || keyTime != nil || options.settings == nil { recovery?.resume(at: sample.presentationTime) }
        let (ordered, isMended) = order.take(sample)
        if isMended { noteMended(ordered) }
        ready.append(ordered)
    }

    private func noteMended(_ sample: SampleBuffer) {
        options.damage?.add(
            DamagedTimeRange(
                trackID: packets.track.id,
                timeRange: TimeRange(start: sample.presentationTime, duration: sample.spokenLength ?? .zero),
                reason: "its times step back or come twice there", isMended: true))
    }

    // MARK: Damage

    /// The file lacks packets here: pictures go on with a key frame.
    private func losePackets(_ error: MediaError) {
        recovery?.lose(at: packets.reachedEnd ?? range.start, reason: error.reason)
        entry.forget()
        awaitsKeyFrame = true
        guard case .video(let decoder) = decoding else { return }
        keyTime = nil
        salvage()
        decoder.flush()
        // Lost frames may have been on screen where the range begins.
        if (packets.reachedEnd ?? .zero) <= range.start { held.forget() }
    }

    /// The first damage of pictures that are decoded several at once: it is some picture, a few before the latest packet.
    /// Read once more, one at a time, it is known.
    private func rereads() throws(MediaError) -> Bool {
        guard case .video(let decoder) = decoding, decoder.decodesAhead else { return false }
        (isRereading, decodesSingly) = (true, true)
        decoding = try newDecoding()
        try start(at: lastGiven ?? range.start)
        return true
    }

    /// Behind a key frame that others come before, in the file or where it was cut from, H.264 may tell the decoder to let go of pictures that it never had
    /// (ITU-T H.264, 8.2.5.4). libavcodec takes that for damage; a decoder that goes on shows the pictures as they are.
    private func readsLeniently(_ error: MediaError) throws(MediaError) -> Bool {
        guard case .video = decoding, !isLenient, !packets.isFromBeginning || hasSkippedLeadingFrames,
            packets.track.codecName == "h264",
            DamageRecovery.isDamage(error)
        else { return false }
        (isLenient, isRereading) = (true, true)
        decoding = try newDecoding()
        try start(at: lastGiven ?? range.start)
        return true
    }

    /// A picture could not be decoded: what leans on it is left out, up to the next key frame.
    private func recover(
        from error: MediaError, _ packet: MovieDemuxer.Packet, _ decoder: VideoDecoder
    ) throws(MediaError) {
        if try rereads() { return }
        entry.forget()
        lose(packet, reason: error.reason)
        if let time = decoder.damagedTime { recovery?.lose(at: time) }
        keyTime = nil
        salvage(but: packet.start)
        decoder.flush()
        if packet.start <= range.start { held.forget() }
    }

    /// What a decoder still holds and can be shown.
    private func salvage(but damaged: MediaTime? = nil) {
        // Each error is a picture's; no decoder holds more.
        for _ in 0..<64 {
            do throws(MediaError) {
                return try decoding.finish { if $0.presentationTime != damaged { deliver($0) } }
            } catch {
                if case .video(let decoder) = decoding, let time = decoder.damagedTime {
                    recovery?.lose(at: time, reason: error.reason)
                }
            }
        }
    }

    /// A picture that cannot be shown: damaged, or, without a reason, for want of others where some are missing. A track
    /// that begins without a key frame misses nothing.
    private func lose(_ packet: MovieDemuxer.Packet, reason: String? = nil) {
        guard let recovery, reason != nil || recovery.isOpen else { return }
        self.recovery?.lose(at: packet.start, duration: packet.sample.duration, reason: reason ?? "")
    }

    private func located(_ error: MediaError, _ packet: MovieDemuxer.Packet) -> MediaError {
        guard error.code == .corruptData else { return error }
        let place = packet.position >= 0 ? ", byte \(packet.position)" : ""
        return MediaError(
            .corruptData, "cannot read \(packets.path) at \(packet.start.words)\(place)",
            reason: "\(error.action): \(error.reason)", underlying: error.underlying,
            wayOut: "the file is damaged there; what comes before can be used; skipping damaged media goes on behind")
    }
}
