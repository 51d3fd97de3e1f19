import Demuxing
import DequeModule
import MediaCodecs
import MediaTypes

/// One track of a file, read range by range, with its own packets and its own decoder.
///
/// In memory, it keeps only the output of one packet and the frames that the decoder delays.
final class TrackSource: SampleSource, @unchecked Sendable {
    // Unchecked: the thread that has the output's turn uses it, one at a time.
    private let packets: TrackPackets
    private let options: SourceOptions
    private var decoding: TrackDecoding
    private var ranges: Deque<TimeRange>
    private var range = TimeRange(start: .zero, end: .positiveInfinity)
    private var ready: Deque<SampleBuffer> = []
    private var failure: MediaError?
    private var isAtEnd = true
    private var isFresh = true
    /// The samples, if they are not decoded.
    private var stored: StoredSamples
    /// The rules for the frames to decode, and for the frames to return.
    private var decodable: DecodableFrames
    private var shown: ShownFrames
    private var entry = RangeEntry()
    private var order: TimeOrder
    /// The state of `shown` and `order` when reading last began.
    private var beginning: (shown: ShownFrames, order: TimeOrder)
    /// The recovery state; set if damage is left out.
    private var recovery: DamageRecovery?
    /// True once a frame was found that is shown at the end of the range or later. The end in the header does not prove
    /// this, because it may be that of another track.
    private var continuesAfterRange = false
    /// True if media is missing after the last sample of the range. The frame on screen at the range's end is then
    /// unknown.
    private var endsInDamage = false

    var allocationCount: Int { decoding.allocationCount }
    var lastFrameEnd: MediaTime? {
        isVideo && isAtEnd && continuesAfterRange && !endsInDamage ? range.end : nil
    }

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
        stored = StoredSamples(of: packets, options)
        decodable = DecodableFrames(codecName: track.codecName)
        shown = ShownFrames(
            in: range, showsHeldFrame: options.showsHeldFrame, mayRepeatTimes: packets.mayRepeatTimes)
        recovery = options.damage.map { DamageRecovery(trackID: track.id, log: $0) }
        order = TimeOrder(
            isStored: options.settings == nil, isVideo: packets.isVideo, correctsJumps: options.damage != nil)
        beginning = (shown, order)
    }

    func restart(ranges: [TimeRange]) {
        recovery?.end(announced: nil)
        self.ranges = Deque(ranges)
        (ready, failure, isAtEnd, continuesAfterRange, endsInDamage) = ([], nil, true, false, false)
    }

    /// Returns the next sample; nil when the last range has ended.
    ///
    /// - Throws: `corruptData` with the position of the damage, for a file that is damaged or truncated. All samples
    ///   before the damage are returned first. Not thrown if `SourceOptions.damage` is set.
    func next() throws(MediaError) -> SampleBuffer? {
        while true {
            if let sample = ready.popFirst() { return sample }
            if let failure { throw failure }
            // Decoding again from the start of the range may take long.
            if options.stop?.isRequested == true { return nil }
            if isAtEnd {
                guard let range = ranges.popFirst() else { return nil }
                attempt { () throws(MediaError) in try begin(range) }
            } else {
                attempt(step)
            }
        }
    }

    /// Runs a step. If it fails, reading ends with the error, after the samples before it were returned.
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
        (continuesAfterRange, endsInDamage) = (false, false)
        recovery?.range = range
        shown = ShownFrames(
            in: range, showsHeldFrame: options.showsHeldFrame, mayRepeatTimes: packets.mayRepeatTimes)
        decoding.allowDecodingAhead()
        if case .audio(let decoder) = decoding.decoder {
            decoder.range = audioRange
        }
        entry = RangeEntry()
        order.restart()
        try start(at: range.start)
    }

    private func start(at time: MediaTime) throws(MediaError) {
        isAtEnd = false
        decodable.restart()
        shown.restart()
        beginning = (shown, order)
        if !isFresh { decoding.flush() }
        isFresh = false
        try packets.start(at: time, preroll: preroll, isDecoded: options.settings != nil)
        stored = StoredSamples(of: packets, options)
        entry.begin(isFromBeginning: packets.isFromBeginning)
    }

    /// Begins again from an earlier keyframe, because the last one was not early enough.
    private func retreat(to time: MediaTime) throws(MediaError) {
        takeBack()
        try start(at: time)
    }

    /// Drops the frames that were decoded from a keyframe that was not early enough. None of them was returned.
    private func takeBack() {
        ready = []
        (shown, order) = beginning
    }

    /// The extra time to read before audio is correct: MDCT overlap, MP3's bit reservoir, Opus' prediction.
    private var preroll: MediaTime {
        if case .audio = decoding.decoder { return MediaTime(value: 1, timescale: 4) }
        guard options.settings == nil, options.givesPreroll, let audio = packets.track.format?.audio else {
            return .zero
        }
        return AudioPreroll.duration(audio)
    }

    private var isVideo: Bool { packets.isVideo }

    // MARK: Packets

    private func step() throws(MediaError) {
        let packet = try nextPacket()
        if let packet, !packet.isDiscarded, packet.start.isNumeric, packet.start >= range.end {
            continuesAfterRange = true
        }
        if let packet, !isBeyond(packet) { try take(packet) } else { try drain() }
        if let time = entry.takeRetreat() { try retreat(to: time) }
    }

    private func nextPacket() throws(MediaError) -> MovieDemuxer.Packet? {
        while true {
            do throws(MediaError) {
                return try packets.next()
            } catch {
                guard recovery != nil, DamageRecovery.isDamage(error) else {
                    // Intact samples before the damage are returned first. After an error, the decoder may still hold
                    // the damaged frame and others that depend on that frame.
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
        stored.finish { emit($0) }
        try loseUndecodable()
        do throws(MediaError) {
            // The next range begins with an empty decoder.
            if !shown.isPastEnd { try decoding.finish { deliver($0) } }
        } catch {
            if try readsLeniently(error) { return }
            guard recovery != nil, DamageRecovery.isDamage(error) else { throw error }
            if try rereads() { return }
            salvage()
        }
        shown.giveHeld(until: heldEnd) { emit($0) }
        if case .video = decoding.decoder, !decodable.hasBegun, !packets.track.isEmpty, range.end == .positiveInfinity,
            recovery?.isOpen != true
        {
            throw MediaError(
                .corruptData, "cannot decode \(packets.path)", reason: "the track has no keyframe")
        }
        endsInDamage = recovery?.lacksEnd ?? false
        recovery?.end(announced: packets.isAtEnd ? packets.announcedEnd : nil)
    }

    /// Returns true if no sample from here on is inside the range.
    private func isBeyond(_ packet: MovieDemuxer.Packet) -> Bool {
        // Frames leave the decoder in presentation order.
        if shown.isPastEnd { return true }
        let decodeTime = packet.sample.decodeTime ?? packet.sample.presentationTime
        // Packets come in decode order, and none is shown before it is decoded. If the file does not store decode or
        // presentation times, a later packet may be shown earlier than this one by an unknown time.
        let isSure =
            packet.hasPresentationTime && packet.hasDecodeTime
            && (packets.storesDecodeTimes || !isVideo || options.settings == nil)
        return decodeTime >= (isSure ? range.end : range.end + Self.reordering)
    }

    private static let reordering = MediaTime(value: 1, timescale: 1)

    /// Opens another decoder if the format changes within the track.
    ///
    /// - Returns: false if earlier frames are read again first, because one of them is damaged.
    private func follow(_ format: FormatDescription) throws(MediaError) -> Bool {
        guard options.settings != nil, format != decoding.laterFormat ?? packets.track.format else { return true }
        do throws(MediaError) {
            try decoding.finish { deliver($0) }
        } catch {
            guard recovery != nil, DamageRecovery.isDamage(error) else { throw error }
            if try rereads() { return false }
            salvage()
            shown.lose(at: packets.reachedEnd ?? .zero)
        }
        try decoding.follow(format, of: packets.track)
        if case .audio(let decoder) = decoding.decoder { decoder.range = audioRange }
        return true
    }

    private var audioRange: TimeRange {
        TimeRange(start: max(.zero, range.start), end: min(range.end, packets.editedEnd))
    }

    private func take(_ packet: MovieDemuxer.Packet) throws(MediaError) {
        try packets.requireUsable(packet, options)
        guard try follow(packet.sample.format) else { return }
        let coded = CodedSample(packet)
        switch decoding.decoder {
        case .none:
            let isUsable = try stored.take(packet, from: range.start) { emit($0) }
            if !isUsable { lose(packet) }
        case .video(let decoder):
            let isFirst = !decodable.hasBegun
            guard decodable.admits(packet) else { return lose(packet) }
            if isFirst, !packet.isDiscarded { entry.decodes(packet.start) }
            do throws(MediaError) {
                try decoder.decode(coded) { deliver($0) }
            } catch {
                if try readsLeniently(error) { return }
                guard recovery != nil, DamageRecovery.isDamage(error) else { throw packets.located(error, packet) }
                try recover(from: error, packet, decoder)
            }
        case .audio(let decoder):
            do throws(MediaError) {
                try decoder.decode(coded) { deliver($0) }
            } catch {
                // After a seek the first packets may depend on others that were not read.
                if packet.start < range.start { return }
                guard recovery != nil, DamageRecovery.isDamage(error) else { throw packets.located(error, packet) }
                noteLoss(at: packet.start, duration: packet.sample.duration, reason: error.reason)
            }
        }
    }

    private func deliver(_ sample: SampleBuffer) {
        guard isVideo else { return emit(sample) }
        entry.shows(sample.presentationTime, rangeStart: range.start)
        shown.take(sample) { emit($0) }
    }

    /// The end of the held frame if no other frame comes: the end of the range, or of the track.
    private var heldEnd: MediaTime {
        guard packets.isAtEnd else { return range.end }
        let own = shown.heldEnd
        // If the file states no end for the track, the announced end is the container's, which may be another track's.
        // It is then used only if the frame has no known duration.
        let isStated = packets.track.duration.map { $0 > .zero } ?? false
        let announced = isStated || own == nil ? packets.announcedEnd : nil
        return min(range.end, [own, announced].compactMap(\.self).max() ?? range.end)
    }

    private func emit(_ sample: SampleBuffer) {
        let (ordered, isMended) = order.take(sample)
        // A decoder that is being emptied returns frames from before the damage.
        if !isVideo || decodable.hasBegun || options.settings == nil {
            recovery?.recovered(at: ordered.presentationTime)
        }
        if isMended { recordMended(ordered) }
        ready.append(ordered)
    }

    private func recordMended(_ sample: SampleBuffer) {
        options.damage?.add(
            DamagedTimeRange(
                trackID: packets.track.id,
                timeRange: TimeRange(start: sample.presentationTime, duration: sample.spokenLength ?? .zero),
                reason: "its timestamps repeat, go backwards or jump by years there", isMended: true))
    }

    // MARK: Damage

    /// Handles missing packets. Video continues with the next keyframe.
    private func losePackets(_ error: MediaError) {
        noteLoss(at: packets.reachedEnd ?? range.start, reason: error.reason)
        entry.forget()
        stored.awaitKeyframe()
        guard case .video(let decoder) = decoding.decoder else { return }
        decodable.restart()
        salvage()
        decoder.flush()
        shown.lose(at: packets.reachedEnd ?? .zero)
    }

    /// Handles a track of which no frame can be decoded, because its parameter sets are missing.
    private func loseUndecodable() throws(MediaError) {
        guard packets.isAtEnd, let start = stored.undecodableStart else { return }
        let reason = "the track has no parameter sets"
        guard recovery != nil else {
            throw MediaError(.corruptData, "cannot copy the video of \(packets.path)", reason: reason)
        }
        noteLoss(at: start, reason: reason)
    }

    /// Handles the first error while several frames are decoded at once. The damaged frame is one of the last few.
    /// These are read again and decoded one by one, to identify the damaged one. Returns false if frames are decoded
    /// one by one already, or cannot be decoded again.
    private func rereads() throws(MediaError) -> Bool {
        guard case .video(let decoder) = decoding.decoder, decoder.decodesAhead, shown.canReread else {
            return false
        }
        let time = reread()
        try decoding.decodeSingly(packets.track)
        try start(at: time)
        return true
    }

    /// Reads again with a lenient decoder. Returns false if that would not help.
    ///
    /// An H.264 stream may tell the decoder to release frames from before a keyframe (ITU-T H.264, 8.2.5.4). A decoder
    /// that begins with this keyframe, or reads a file that was cut there, never had these frames. libavcodec treats
    /// that as damage. A decoder that continues after the error returns the frames unchanged.
    private func readsLeniently(_ error: MediaError) throws(MediaError) -> Bool {
        guard case .video = decoding.decoder, !decoding.isLenient, shown.canReread,
            !packets.isFromBeginning || decodable.mayLackReferences, packets.track.codecName == "h264",
            DamageRecovery.isDamage(error)
        else { return false }
        let time = reread()
        try decoding.continueAfterErrors(packets.track)
        try start(at: time)
        return true
    }

    /// Records that frames will be decoded again. Returns the time from which to read.
    private func reread() -> MediaTime {
        if entry.takeRetreat() != nil { takeBack() }
        return shown.reread()
    }

    /// Handles a frame that could not be decoded. The frames up to the next keyframe are left out, because they depend
    /// on it.
    private func recover(
        from error: MediaError, _ packet: MovieDemuxer.Packet, _ decoder: VideoDecoder
    ) throws(MediaError) {
        if try rereads() { return }
        entry.forget()
        lose(packet, reason: error.reason)
        if let time = decoder.damagedTime { noteLoss(at: time) }
        decodable.restart()
        salvage(but: packet.start)
        decoder.flush()
        shown.lose(at: packet.start)
    }

    /// Delivers the frames that a decoder still holds and that can be shown.
    private func salvage(but damaged: MediaTime? = nil) {
        // Each error belongs to one frame, and no decoder holds more frames than this.
        for _ in 0..<64 {
            do throws(MediaError) {
                return try decoding.finish { if $0.presentationTime != damaged { deliver($0) } }
            } catch {
                if case .video(let decoder) = decoding.decoder, let time = decoder.damagedTime {
                    noteLoss(at: time, reason: error.reason)
                }
            }
        }
    }

    /// Records a frame that cannot be shown. With a reason, the frame itself is damaged; without one, it depends on
    /// missing frames. A track that begins without a keyframe has no missing frames.
    private func lose(_ packet: MovieDemuxer.Packet, reason: String? = nil) {
        guard let recovery, reason != nil || recovery.isOpen else { return }
        noteLoss(at: packet.start, duration: packet.sample.duration, reason: reason ?? "")
    }

    /// Records missing media. If the times in the file have restarted, `TimeOrder` places decoded samples after the
    /// earlier ones, and missing samples are placed in the same way.
    private func noteLoss(at time: MediaTime, duration: MediaTime? = nil, reason: String = "") {
        var start = time
        // A lost frame may also be a little before the latest one, because frames are reordered.
        if options.settings != nil, time.isNumeric, let last = order.last, last - time > Self.reordering {
            start = last
        }
        recovery?.lose(at: start, duration: duration, reason: reason)
    }
}
