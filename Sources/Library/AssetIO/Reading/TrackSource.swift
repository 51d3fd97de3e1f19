import Demuxing
import DequeModule
import MediaCodecs
import MediaTypes

/// One track of a file, read range by range, with its own packets and its own decoder.
///
/// It holds only the output of one packet and the frames that the decoder delays.
final class TrackSource: SampleSource, @unchecked Sendable {
    // Unchecked: the thread that has the output's turn uses it, one at a time.
    private let packets: TrackPackets
    private let options: SourceOptions
    private var decoding: TrackDecoding
    /// The format for which the decoder was opened; nil: the track's own.
    private var decodedFormat: FormatDescription?
    private var ranges: Deque<TimeRange>
    private var range = TimeRange(start: .zero, end: .positiveInfinity)
    private var ready: Deque<SampleBuffer> = []
    private var failure: MediaError?
    private var isAtEnd = true
    private var isFresh = true
    /// The timestamp of the keyframe that decoding began with; nil until it has come.
    private var keyTime: MediaTime?
    /// True if leading frames were skipped because they depend on frames before the keyframe.
    private var hasSkippedLeadingFrames = false
    /// True once decoding began with a keyframe of an open GOP, whose followers may name frames from before it.
    private var hasBegunInOpenGOP = false
    /// The recovery state; set if damage is left out.
    private var recovery: DamageRecovery?
    /// The timestamp of the last returned frame. While rereading, frames up to it are not returned again.
    private var lastGiven: MediaTime?
    private var isRereading = false
    /// True if frames are decoded one by one, so that an error identifies the damaged one.
    private var decodesSingly = false
    /// True if stored frames wait for a keyframe, because some before it are missing.
    private var awaitsKeyframe = false
    /// The decode times of stored frames.
    private var decodeTimes = DecodeTimes()
    /// True after a seek if the file does not store decode times: libavformat then uses the presentation time for the
    /// first frame.
    private var doubtsDecodeTime = false
    private var entry = RangeEntry()
    private var order: TimeOrder
    /// The stored form; set if stored samples have another form than the packets.
    private var storedForm: StoredForm?
    /// The held frame, for decoded frames.
    private var held = HeldFrame()
    /// True if the decoder continues after errors that would otherwise end it.
    private var isLenient = false
    /// True once the decoder has returned a frame after the range.
    private var isPastEnd = false

    var allocationCount: Int { decoding.allocationCount }

    /// - Parameter known: all tracks of the file, from an earlier opening.
    /// - Throws: the errors of opening the file or the decoder; `invalidSettings` for settings that do not fit the
    ///   track.
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

    /// Returns the next sample; nil when the last range has ended.
    ///
    /// - Throws: `corruptData` with the position, for a file that is damaged or truncated, after all samples before it
    ///   were returned. Not thrown with `SourceOptions.damage`.
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

    /// Runs a step. A failure ends reading after the samples before it were returned.
    private func attempt(_ work: () throws(MediaError) -> Void) {
        do throws(MediaError) {
            try work()
        } catch {
            isAtEnd = true
            failure = error
        }
    }

    // MARK: The start of a range

    private func begin(_ range: TimeRange) throws(MediaError) {
        self.range = range
        recovery?.range = range
        (lastGiven, isRereading, decodesSingly) = (nil, false, false)
        if case .audio(let decoder) = decoding {
            decoder.range = audioRange
        }
        entry = RangeEntry()
        order.restart()
        try start(at: range.start)
    }

    private func start(at time: MediaTime) throws(MediaError) {
        (keyTime, awaitsKeyframe, isAtEnd, isPastEnd) = (nil, false, false, false)
        held.forget()
        decodeTimes = DecodeTimes()
        if options.settings == nil { storedForm = packets.track.format.flatMap { StoredForm($0) } }
        if !isFresh { decoding.flush() }
        isFresh = false
        try packets.start(at: time, preroll: preroll, isDecoded: options.settings != nil)
        doubtsDecodeTime = !packets.isFromBeginning && !packets.storesDecodeTimes
        entry.begin(isFromBeginning: packets.isFromBeginning)
    }

    /// Begins again from an earlier keyframe, because the first one was not early enough.
    private func retreat(to time: MediaTime) throws(MediaError) {
        ready = []
        order.restart()
        try start(at: time)
    }

    /// The extra time to decode before audio is correct: MDCT overlap, MP3's bit reservoir, Opus' 80 ms.
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
                    // Intact samples before the damage are returned first. After an error of the decoder, it may still
                    // hold the damaged frame and others that depend on it.
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
        decodeTimes.finish { emit($0) }
        do throws(MediaError) {
            // The next range begins with an empty decoder.
            if !isPastEnd { try decoding.finish { deliver($0) } }
        } catch {
            if try readsLeniently(error) { return }
            guard recovery != nil, DamageRecovery.isDamage(error) else { throw error }
            if try rereads() { return }
            salvage()
        }
        emitHeld(until: heldEnd)
        if case .video = decoding, keyTime == nil, range.end == .positiveInfinity, recovery?.isOpen != true {
            throw MediaError(
                .corruptData, "cannot decode \(packets.path)", reason: "the track has no keyframe")
        }
        recovery?.end(announced: packets.isAtEnd ? packets.announcedEnd : nil)
    }

    /// Returns true if no sample from here on is inside the range.
    private func isBeyond(_ packet: MovieDemuxer.Packet) -> Bool {
        // Frames leave the decoder in presentation order.
        if isPastEnd { return true }
        let decodeTime = packet.sample.decodeTime ?? packet.sample.presentationTime
        // Packets come in decode order, and none is shown before it is decoded. If the file does not store decode or
        // presentation times, a later packet may be shown earlier than this one by an unknown time.
        let isSure =
            packet.hasPresentationTime && packet.hasDecodeTime
            && (packets.storesDecodeTimes || !isVideo || options.settings == nil)
        return decodeTime >= (isSure ? range.end : range.end + Self.reordering)
    }

    private static let reordering = MediaTime(value: 1, timescale: 1)

    /// Opens another decoder if the format changes within the track, because a decoder is made for one format.
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
        if case .audio(let decoder) = decoding { decoder.range = audioRange }
    }

    /// Returns a decoder for the present packets.
    private func newDecoding() throws(MediaError) -> TrackDecoding {
        guard let decodedFormat, let first = packets.track.format else {
            return try TrackDecoding(packets.track, options, decodesAhead: !decodesSingly, isLenient: isLenient)
        }
        return try TrackDecoding(
            packets.track.changed(to: decodedFormat), options.changing(from: first), decodesAhead: !decodesSingly,
            isLenient: isLenient)
    }

    private var audioRange: TimeRange {
        TimeRange(start: max(.zero, range.start), end: min(range.end, packets.editedEnd))
    }

    private func take(_ packet: MovieDemuxer.Packet) throws(MediaError) {
        // A copy would lack the file's encryption information.
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
                    reason: "not every frame has a presentation time", wayOut: "re-encode it")
            }
            if awaitsKeyframe, isVideo, !packet.sample.isKeyframe { return lose(packet) }
            awaitsKeyframe = false
            if packet.isDiscarded, isVideo, !options.givesHiddenSamples { return }
            // Frames from the keyframe on are returned; those before the range are needed for decoding.
            let end = packet.start + (packet.sample.duration ?? .zero)
            guard isVideo || range.start <= .zero || end > range.start else { return }
            let isKnown = packet.hasDecodeTime && !(doubtsDecodeTime && packet.sample.decodeTime == nil)
            doubtsDecodeTime = false
            guard let sample = try stored(packet.sample) else { return lose(packet) }
            decodeTimes.take(sample, isKnown: isKnown || !isVideo) { emit($0) }
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
                // After a seek the first packets may depend on others that were not read.
                if packet.start < range.start { return }
                guard recovery != nil, DamageRecovery.isDamage(error) else { throw located(error, packet) }
                recovery?.lose(at: packet.start, duration: packet.sample.duration, reason: error.reason)
            }
        }
    }

    /// Returns true if the presentation time of a packet is known, so that a copy can be shown correctly. AVI stores
    /// only decode times, which differ from presentation times if frames are stored out of order.
    private func saysWhenShown(_ packet: MovieDemuxer.Packet) -> Bool {
        guard packet.sample.presentationTime.isNumeric else { return false }
        let track = packets.track
        return packet.hasPresentationTime || track.lacksPresentationTimes || !isVideo || track.videoDelay == 0
    }

    /// Returns the sample in its stored form; nil for one that cannot be decoded.
    private func stored(_ sample: SampleBuffer) throws(MediaError) -> SampleBuffer? {
        if storedForm == nil { return sample }
        return try storedForm?.convert(sample)
    }

    /// Returns true if the decoder has the frames that this one depends on. Before the first keyframe it has none.
    /// Leading frames of that keyframe depend on the GOP before it (ITU-T H.265, RASL pictures).
    private func isDecodable(_ packet: MovieDemuxer.Packet) -> Bool {
        guard let keyTime else {
            if packet.sample.isKeyframe {
                self.keyTime = packet.start
                hasBegunInOpenGOP = hasBegunInOpenGOP || !isRefresh(packet)
                if !packet.isDiscarded { entry.decodes(packet.start) }
            }
            return packet.sample.isKeyframe
        }
        if packet.sample.isKeyframe || !packet.hasPresentationTime || packet.start >= keyTime { return true }
        hasSkippedLeadingFrames = true
        return false
    }

    private func isRefresh(_ packet: MovieDemuxer.Packet) -> Bool {
        guard packets.track.codecName == "h264", case .data(let data) = packet.sample.content else { return true }
        let configuration = packet.sample.format.video?.decoderConfiguration ?? []
        return RefreshFrame.starts(data.bytes, configuration: configuration)
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
            emitHeld(until: min(time, range.end))
            guard time < range.end else { return }
            if isRereading, let lastGiven, time <= lastGiven { return }
            lastGiven = time
        }
        emit(sample)
    }

    /// Delivers the frame that is on screen at the start of the range.
    ///
    /// - Parameter end: the timestamp of the next frame.
    private func emitHeld(until end: MediaTime) {
        guard let frame = held.take(from: range.start, until: end) else { return }
        if isRereading, let lastGiven, range.start <= lastGiven { return }
        lastGiven = range.start
        emit(frame)
    }

    /// The end of the kept frame if no other frame comes: the end of the range, or of the track.
    private var heldEnd: MediaTime {
        guard packets.isAtEnd else { return range.end }
        return min(range.end, [held.ownEnd, packets.announcedEnd].compactMap(\.self).max() ?? range.end)
    }

    private func emit(_ sample: SampleBuffer) {
        // A decoder that is being emptied returns frames from before the damage.
        if !isVideo || keyTime != nil || options.settings == nil { recovery?.resume(at: sample.presentationTime) }
        let (ordered, isMended) = order.take(sample)
        if isMended { recordMended(ordered) }
        ready.append(ordered)
    }

    private func recordMended(_ sample: SampleBuffer) {
        options.damage?.add(
            DamagedTimeRange(
                trackID: packets.track.id,
                timeRange: TimeRange(start: sample.presentationTime, duration: sample.spokenLength ?? .zero),
                reason: "its timestamps repeat or go backwards there", isMended: true))
    }

    // MARK: Damage

    /// Handles missing packets: video continues with a keyframe.
    private func losePackets(_ error: MediaError) {
        recovery?.lose(at: packets.reachedEnd ?? range.start, reason: error.reason)
        entry.forget()
        awaitsKeyframe = true
        guard case .video(let decoder) = decoding else { return }
        keyTime = nil
        salvage()
        decoder.flush()
        // The lost frames may include the one on screen at the start of the range.
        if (packets.reachedEnd ?? .zero) <= range.start { held.forget() }
    }

    /// Handles the first damage while several frames are decoded at once: the damaged frame is one of the few before
    /// the latest packet. They are read again, one at a time, to identify it. Returns false if that does not apply.
    private func rereads() throws(MediaError) -> Bool {
        guard case .video(let decoder) = decoding, decoder.decodesAhead else { return false }
        (isRereading, decodesSingly) = (true, true)
        decoding = try newDecoding()
        try start(at: lastGiven ?? range.start)
        return true
    }

    /// Reads again with a lenient decoder. After a keyframe that other frames precede, in the file or in the one it was
    /// cut from, H.264 may tell the decoder to release frames that it never had (ITU-T H.264, 8.2.5.4). libavcodec
    /// treats that as damage, at each such keyframe that decoding begins with. A decoder that continues returns the
    /// frames unchanged. Returns false if that does not apply.
    private func readsLeniently(_ error: MediaError) throws(MediaError) -> Bool {
        guard case .video = decoding, !isLenient,
            !packets.isFromBeginning || hasSkippedLeadingFrames || hasBegunInOpenGOP, packets.track.codecName == "h264",
            DamageRecovery.isDamage(error)
        else { return false }
        (isLenient, isRereading) = (true, true)
        decoding = try newDecoding()
        try start(at: lastGiven ?? range.start)
        return true
    }

    /// Handles a frame that could not be decoded: frames that depend on it are left out, up to the next keyframe.
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

    /// Delivers the frames that a decoder still holds and that can be shown.
    private func salvage(but damaged: MediaTime? = nil) {
        // Each error belongs to one frame, and no decoder holds more than this number.
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

    /// Notes a frame that cannot be shown. It is damaged, or, without a reason, depends on missing frames. A track that
    /// begins without a keyframe has no missing frames.
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
            wayOut: "the file is damaged there; media before it is usable; skip damaged media to continue after it")
    }
}
