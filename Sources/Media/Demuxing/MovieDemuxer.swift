import CFFmpeg
import FileSystem
import Glibc
package import MediaTypes
package import MovieFile

/// Reads the packets of a movie in any container, in the order of the file, with libavformat.
///
/// Edit lists are applied. Times are presentation times, and begin at 0 even if the container counts from another
/// value. Used by one thread at a time. Every call may block until the disk responds.
package final class MovieDemuxer {
    package let path: String
    package let tracks: [Track]
    /// libavformat's name of the container, such as `matroska,webm`.
    package let container: String
    /// The track headers of a QuickTime file. Empty if one of its tracks is only passed on.
    package let trackHeaders: MovieTrackHeaders
    /// The duration in the header of a QuickTime file; nil if the header has no duration, and for other containers.
    let storedDuration: MediaTime?
    /// The time in the container that becomes 0 here.
    let origin: MediaTime
    let context: UnsafeMutablePointer<AVFormatContext>
    let extent: FileExtent
    private var selection: Set<Int>
    /// The end of the packets that were read from each track.
    private var reached: [MediaTime]
    /// True if the file has no more packets. False after an error if reading may continue after the damage.
    package private(set) var isAtEnd = false
    /// Errors since the last packet.
    private var errorCount = 0
    /// The packets that are not read but only located; nil if all packets are read.
    let unread: UnreadPackets?
    /// Detects damage that libavformat skips without an error.
    private var watch: (any ContainerWatch)?
    /// The check of joined transport streams; opened for the first packet that is marked as damaged.
    private var joins: TransportJoins?
    /// The position in a transport stream before which media of a track may be missing, by the track's index.
    private var gaps: [Int: Int64] = [:]
    /// A packet before which media is damaged. `next` reports the damage first, and returns this packet with the next
    /// call.
    private var held: Packet?
    /// The error of an incomplete packet. `next` returns the packet's complete frames first, and throws this error with
    /// the next call.
    private var cutOff: MediaError?
    /// The position of a damaged page, whose packets are skipped.
    private var damagedPage: Int64?
    private var changes: FormatChanges
    /// The tracks that have samples past the end of the file.
    private var cutShort: Set<Int> = []
    /// The number of index entries of each track that are known to fit into the file.
    private var fittingEntries: [Int: Int32] = [:]

    /// - Parameters:
    ///   - passage: the track whose packets are only passed on; nil to read all packets.
    ///   - ignoresEdits: true to ignore the edit lists of a QuickTime file, so that times are those of the media.
    /// - Throws: `notFound`, `notPermitted`, `unsupported` if it is not a regular file, or `corruptData` if it is not a
    ///   movie.
    package init(path: String, passage: Passage? = nil, ignoresEdits: Bool = false) throws(MediaError) {
        self.path = path
        try Self.requireFile(path)
        let header = try StoredHeader(path: path)
        storedDuration = header.duration
        av_log_set_level(AV_LOG_QUIET)
        unread = passage?.isPossible == true ? try UnreadPackets(path: path) : nil
        var context = try Self.openContext(path, unread?.io, ignoresEdits: ignoresEdits)
        container = context.pointee.iformat.flatMap { $0.pointee.name }.map { String(cString: $0) } ?? ""
        extent = FileExtent(path: path, container: container)
        // The field orders are read before avformat_find_stream_info, because that function mixes the values of the
        // container with the values in the frames.
        let fieldOrders = (0..<Int(context.pointee.nb_streams)).map {
            context.pointee.streams[$0]?.pointee.codecpar.pointee.field_order ?? AV_FIELD_UNKNOWN
        }
        let isKnown = unread != nil && extent.isIndexed && passage?.fits(context) == true
        var found = isKnown ? 0 : avformat_find_stream_info(context, nil)
        if found >= 0, !isKnown, Self.hasLateAudio(context, container) {
            Self.closeContext(context)
            context = try Self.openContext(path, unread?.io, ignoresEdits: ignoresEdits, findsLateAudio: true)
            found = avformat_find_stream_info(context, nil)
        }
        guard found >= 0, context.pointee.nb_streams > 0 else {
            Self.closeContext(context)
            throw MediaError(
                averror: found < 0 ? found : CFFMPEG_ERROR_INVALIDDATA, .corruptData, "cannot read \(path)",
                wayOut: "it is not a movie, or it is damaged")
        }
        Self.removePlaceholders(context, container: container, fileSize: extent.size)
        self.context = context
        let streams = (0..<Int(context.pointee.nb_streams)).compactMap { context.pointee.streams[$0] }
        let origin = Self.origin(container, streams)
        self.origin = origin
        let isQuickTime = container.hasPrefix("mov")
        let hasTimes = context.pointee.iformat.map { $0.pointee.flags & AVFMT_NOTIMESTAMPS == 0 } ?? true
        let apertures = isQuickTime && !isKnown ? CleanApertures.read(path) : [:]
        let isReordered = streams.contains {
            $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO && $0.pointee.codecpar.pointee.video_delay > 0
        }
        let unshifted =
            isQuickTime && !isKnown && isReordered && !extent.isFragmented ? CompositionOffsets.missing(in: path) : []
        let trackHeaders = isQuickTime && !isKnown ? header.trackHeaders() : MovieTrackHeaders()
        self.trackHeaders = trackHeaders
        let entries = isQuickTime && !isKnown ? EntryTables.read(path) : [:]
        let isIndexed = extent.isIndexed
        let isEdited = isIndexed && !ignoresEdits
        if isKnown, let passage {
            tracks = passage.known
        } else {
            var tracks = streams.enumerated().map { index, stream in
                var track = Self.track(
                    stream, index: index, origin: origin, isQuickTime: isQuickTime, hasTimes: hasTimes)
                if fieldOrders.indices.contains(index) {
                    track.statesFieldOrder = fieldOrders[index] != AV_FIELD_UNKNOWN
                }
                track.isEmpty = isIndexed && avformat_index_get_entries_count(stream) == 0
                track.lacksPresentationTimes = track.videoDelay > 0 && unshifted.contains(track.id)
                if case .video(var video) = track.format, let aperture = apertures[track.id] {
                    video.cleanAperture = aperture
                    track.format = .video(video)
                }
                let stored = trackHeaders.tracks[track.id]
                if isEdited, let shown = stored?.shownMedia { track.set(shown) }
                if case .audio(var audio) = track.format, let described = stored?.descriptions.first {
                    audio.setChannels(from: described)
                    track.format = .audio(audio)
                }
                if case .timecode(let format) = track.format {
                    track.metadata += Self.timecode(stream, format, path, known: track.metadata)
                }
                track.keepEntries(entries[track.id] ?? [])
                if track.mediaType == .text, let text = stored?.text { track.format = .text(TextFormat(text)) }
                if track.mediaType == .metadata, let keys = stored?.metadata { track.format = .metadata(keys) }
                return track
            }
            Self.addLight(to: &tracks, of: context, path: path)
            Self.addFields(to: &tracks, of: context, path: path)
            self.tracks = tracks
        }
        selection = Set(tracks.indices)
        changes = FormatChanges(path: path, tracks: tracks)
        reached = Array(repeating: .negativeInfinity, count: tracks.count)
        watch = Self.watch(path, container)
        if isKnown, let passage { leaveUnread(passage.index) }
    }

    deinit {
        // The context is closed first, because libavformat reads from `unread`. `unread` is released after this.
        Self.closeContext(context)
    }

    private static func watch(_ path: String, _ container: String) -> (any ContainerWatch)? {
        if container == "ogg" { return OggPages(path: path) }
        if container.hasPrefix("matroska") { return MatroskaElements(path: path) }
        return ContainerUnits(path: path, container: container)
    }

    /// Reads only this track from now on. Its packets only refer to their bytes in the file (`MediaData.place`).
    private func leaveUnread(_ index: Int) {
        select([index])
        // A parser must not access packets that were not read. The container states which frames are keyframes.
        context.pointee.flags |= AVFMT_FLAG_NOPARSE
        unread?.leaveUnread()
    }

    /// Checks that a path is a regular file that can be opened. Opening a FIFO would wait for its writer, so the type
    /// is checked first.
    ///
    /// - Throws: the errors of `init` for a file that cannot be opened, is empty, or is not regular.
    package static func requireFile(_ path: String) throws(MediaError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw MediaError(errno: errno, "cannot open \(path)") }
        let action = "cannot read \(path)"
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR:
            throw MediaError(.unsupported, action, reason: "it is a directory", wayOut: "use a file name")
        default:
            throw MediaError(
                .unsupported, action, reason: "it is a device, FIFO or socket: a live source",
                wayOut: "record it first")
        }
        guard status.st_size > 0 else { throw MediaError(.corruptData, action, reason: "the file is empty") }
        // If the operating system refuses, its own message is reported.
        _ = try DiskFile(path: path, mode: .read)
    }

    /// Returns the timestamp that becomes time 0. In most containers it is 0. In containers whose timestamps do not
    /// begin at 0, it is the earliest timestamp of all tracks. For example, broadcast streams begin at any value, and
    /// MP3 begins before the priming.
    private static func origin(_ container: String, _ streams: [UnsafeMutablePointer<AVStream>]) -> MediaTime {
        let counted: Set<Substring> = [
            "mpegts", "mpeg", "mp3", "aac", "ac3", "eac3", "h264", "hevc", "m4v", "mpegvideo",
        ]
        guard container.split(separator: ",").contains(where: counted.contains) else { return .zero }
        return streams.filter {
            let type = $0.pointee.codecpar.pointee.codec_type
            return type == AVMEDIA_TYPE_VIDEO || type == AVMEDIA_TYPE_AUDIO
        }.compactMap { time($0.pointee.start_time, $0.pointee.time_base) }.min() ?? .zero
    }

    /// Selects the tracks to read. Packets of other tracks are skipped, without reading them if the container allows
    /// that.
    package func select(_ indices: Set<Int>) {
        selection = indices
        for index in tracks.indices {
            context.pointee.streams[index]?.pointee.discard =
                indices.contains(index) ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
    }

    /// Seeks to the position where decoding must begin to show a track at `time`. In a container without an index, the
    /// seek may arrive elsewhere, so the caller must check the first packet.
    ///
    /// - Returns: false if the container cannot seek; the read position is then undefined.
    package func seek(to time: MediaTime, track index: Int) -> Bool {
        guard tracks.indices.contains(index), let stream = context.pointee.streams[index] else { return false }
        let base = stream.pointee.time_base
        guard base.num > 0, base.den > 0 else { return false }
        let ticks = (time + origin).ticks(in: base.den, rounding: .down) / Int64(base.num)
        (held, cutOff) = (nil, nil)
        gaps = [:]
        watch?.jump()
        changes.jump(path: path, container: container)
        return avformat_seek_file(context, Int32(index), .min, ticks, ticks, 0) >= 0
    }

    /// Returns the next packet of a selected track with a known format; nil at the end.
    ///
    /// After an error, the next call continues after the damage, unless `isAtEnd`.
    ///
    /// - Throws: `corruptData` or `ioFailure`, with the position, if the file is truncated or cannot be read.
    package func next() throws(MediaError) -> Packet? {
        if let packet = held.take() {
            record(packet)
            return packet
        }
        if let fault = cutOff.take() { throw fault }
        while true {
            guard let packet = av_packet_alloc() else {
                throw MediaError(.ioFailure, "cannot read \(path)", reason: "out of memory")
            }
            unread?.begin()
            let result = av_read_frame(context, packet)
            guard result >= 0 else {
                Self.free(packet)
                if result == CFFMPEG_ERROR_EAGAIN { continue }
                errorCount += 1
                let fault = truncation() ?? lostMedia(before: nil)
                // An index may list samples that exist after samples that are past the end of the file.
                let mayContinue = result != CFFMPEG_ERROR_EOF || (fault != nil && extent.isIndexed)
                isAtEnd = !mayContinue || errorCount > Self.mostErrors
                if let fault { throw fault }
                if result == CFFMPEG_ERROR_EOF { return nil }
                throw MediaError(
                    averror: result, .corruptData, "cannot read \(path)\(place(at: readPosition(context)))")
            }
            errorCount = 0
            isAtEnd = false
            let index = Int(packet.pointee.stream_index)
            guard index < tracks.count, selection.contains(index),
                let format = changes.format(of: packet, tracks[index])
            else {
                Self.free(packet)
                continue
            }
            if packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0, !isWhole(packet.pointee),
                !isLastOfUnknownLength(packet)
            {
                let fault =
                    truncation()
                    ?? MediaError(
                        .corruptData, "cannot read \(path)\(place(at: packet.pointee.pos))",
                        reason: "a packet is damaged")
                guard keepWholeFrames(packet, format.audio) else {
                    Self.free(packet)
                    throw fault
                }
                cutOff = fault
            }
            if let entry = changes.missingEntry(of: packet.pointee, tracks[index]) {
                let position = packet.pointee.pos
                Self.free(packet)
                throw MediaError(
                    .corruptData, "cannot read \(path)\(place(at: position))",
                    reason: "a sample refers to description \(entry), but the track has \(tracks[index].entryCount)")
            }
            let read = try demuxed(packet, format: format, track: tracks[index])
            if watch != nil, read.position >= 0, read.position == damagedPage { continue }
            if let fault = lostMedia(before: read) {
                if damagedPage != read.position { held = read }
                throw fault
            }
            if let position = gaps[index], read.position >= position {
                gaps[index] = nil
                held = read
                throw MediaError(
                    .corruptData, "cannot read \(path)\(place(at: position))",
                    reason: "packets are missing there, or another stream was joined without its tables")
            }
            record(read)
            return read
        }
    }

    /// Records the end of a packet that `next` returns.
    private func record(_ packet: Packet) {
        let end = packet.sample.presentationTime + (packet.sample.duration ?? .zero)
        if end.isNumeric { reached[packet.track] = max(reached[packet.track], end) }
    }

    /// Returns true if a packet of a transport stream is complete, although it is marked as damaged. The mark is then
    /// due to the bytes after the packet. Records the position before which media may be missing.
    private func isWhole(_ packet: AVPacket) -> Bool {
        guard container == "mpegts", packet.pos >= 0, let stream = context.pointee.streams[Int(packet.stream_index)]
        else { return false }
        if joins == nil { joins = TransportJoins(path: path) }
        switch joins?.verdict(at: packet.pos, stream: Int(stream.pointee.id)) {
        case nil, .damaged: return false
        case .whole: return true
        case .wholeBeforeGap(let position):
            gaps[Int(packet.stream_index)] = position
            return true
        }
    }

    /// Returns an error for media of the selected tracks that is missing before a packet, or before the end of the
    /// file.
    private func lostMedia(before packet: Packet?) -> MediaError? {
        guard let fault = watch?.fault(upTo: packet?.position, of: selection) else { return nil }
        if fault.isInPage { damagedPage = fault.position }
        return MediaError(
            .corruptData, "cannot read \(path)\(place(at: fault.position))", reason: fault.reason,
            wayOut: "the file is damaged there; everything before it can be used")
    }

    /// The number of consecutive errors after which reading ends. There is a limit because the index of a truncated
    /// file may list many more samples than the file contains.
    private static let mostErrors = 100

    /// Returns the end of the packets that were read from a track; nil before the first packet.
    package func reachedEnd(of index: Int) -> MediaTime? {
        reached.indices.contains(index) && reached[index].isNumeric ? reached[index] : nil
    }

    /// Returns the end of a track according to the header; nil if the header does not state it.
    package func announcedEnd(of index: Int) -> MediaTime? {
        // A duration from bit rate and size is a guess, except for a WAVE file whose header shows how much is missing.
        if context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_BITRATE,
            !tracks.indices.contains(index) || announcedDuration(of: index) == nil
        {
            return nil
        }
        guard tracks.indices.contains(index), let duration = tracks[index].duration, duration > .zero else {
            return estimatedDuration
        }
        return (tracks[index].start ?? .zero) + max(duration, announcedDuration(of: index) ?? duration)
    }

    /// Returns the duration from the header. libavformat limits the durations of AVI and WAVE files to the existing
    /// data. The headers still have the original values.
    private func announcedDuration(of index: Int) -> MediaTime? {
        let track = tracks[index]
        // `dwLength` of a stream's header counts ticks of that stream, for video and for audio.
        if container == "avi", let stream = context.pointee.streams[index]?.pointee, stream.nb_frames > 0 {
            return Self.time(stream.nb_frames, stream.time_base)
        }
        // The complete track was longer, in proportion to the missing part of the file.
        guard container == "wav", let duration = track.duration, extent.size > 0,
            extent.announcedSize > UInt64(extent.size)
        else { return nil }
        return MediaTime(seconds: duration.seconds * Double(extent.announcedSize) / Double(extent.size))
    }

    /// Returns an error if the file ends before the end that its header announces; nil if the selected tracks are
    /// complete.
    private func truncation() -> MediaError? {
        for index in selection.sorted() {
            guard index < tracks.count, let stream = context.pointee.streams[index] else { continue }
            if isCutShort(index, stream) || endsEarly(index) {
                return MediaError(
                    .corruptData, "cannot read \(path)\(place(at: extent.size))",
                    reason: "the file ends before its \(tracks[index].mediaType?.rawValue ?? "track") does",
                    wayOut: "the file is truncated; everything before its end can be used")
            }
        }
        return nil
    }

    /// Returns true if the file ends before the last sample of a track. Checks each index entry only once, because a
    /// movie may have a million damaged samples.
    private func isCutShort(_ index: Int, _ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        if cutShort.contains(index) { return true }
        // Fragments that were read since the last call may have added entries.
        let count = avformat_index_get_entries_count(stream)
        guard extent.isCutShort(stream, from: fittingEntries[index] ?? 0) else {
            fittingEntries[index] = count
            return false
        }
        cutShort.insert(index)
        return true
    }

    private func endsEarly(_ index: Int) -> Bool {
        if extent.endsEarly(tracks[index], reached: reached[index]) { return true }
        // An AVI file of more than a gigabyte has several RIFF chunks, and the first chunk does not describe the
        // others.
        guard container == "avi", let announced = announcedDuration(of: index), reached[index].isNumeric else {
            return false
        }
        return reached[index] + Self.indexSlack < (tracks[index].start ?? .zero) + announced
    }

    /// The tolerance for the end of a track. Programs count repeated frames, and the audio at the end, in different
    /// ways.
    private static let indexSlack = MediaTime(value: 1, timescale: 1)

    private func place(at position: Int64) -> String {
        let time = selection.compactMap { $0 < reached.count ? reached[$0] : nil }.filter(\.isNumeric).max()
        return (time.map { " after \($0.words)" } ?? "") + (position >= 0 ? ", byte \(position)" : "")
    }

    private func readPosition(_ context: UnsafeMutablePointer<AVFormatContext>) -> Int64 {
        context.pointee.pb.map { avio_seek($0, 0, SEEK_CUR) } ?? -1
    }
}
