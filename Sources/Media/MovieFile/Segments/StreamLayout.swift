package import MediaTypes

/// Formats packets as an MPEG-4 stream: a header, then a fragment for each packet. A fragment needs the previous ones
/// only to decode its frames (ISO/IEC 14496-12, 8.8; the byte stream format of W3C's Media Source Extensions).
///
/// Each viewer has its own value, because times are relative to the time at which that viewer begins.
package struct StreamLayout: Sendable {
    /// The time scale of video: microseconds, as V4L2 measures them.
    private static let videoTimeScale: Int32 = 1_000_000

    /// The formats in the order of their track IDs, which begin with 1.
    package let formats: [FormatDescription]
    /// Time 0 of the stream, in the packets' clock.
    package let start: MediaTime
    private let tracks: [MovieTrack]
    private var sequenceNumber: UInt32 = 0
    private var nominalDurations: [UInt32]
    private var nextDecodeTimes: [Int64]

    /// - Parameter formats: formats that `refusal` accepts, at most one of each media type.
    package init(_ formats: [FormatDescription], start: MediaTime) {
        self.formats = formats
        self.start = start
        tracks = formats.enumerated().map { index, format in
            MovieTrack(
                id: UInt32(index + 1), mediaType: format.mediaType, format: format,
                timeScale: format.audio.map { Int32(clamping: $0.sampleRate) } ?? Self.videoTimeScale)
        }
        // These durations are used until a packet states one: for audio the codec's, for video that of a typical
        // camera.
        nominalDurations = formats.map { UInt32(clamping: $0.audio?.framesPerPacket ?? 33_333) }
        nextDecodeTimes = formats.map { _ in 0 }
    }

    /// Continues the numbering of the fragments and the decode times from the previous layout of the stream.
    package mutating func continueNumbering(after other: StreamLayout) {
        sequenceNumber = other.sequenceNumber
        for (index, format) in formats.enumerated() {
            if let before = other.formats.firstIndex(of: format) {
                nextDecodeTimes[index] = other.nextDecodeTimes[before]
            }
        }
    }

    /// Returns the reason why a stream cannot contain a track of this format; nil if it can.
    package static func refusal(of format: FormatDescription) -> MediaError? {
        if let audio = format.audio, audio.codec == .aac, audio.decoderConfiguration.count > 1,
            audio.decoderConfiguration[1] >> 3 & 0x0F == 0
        {
            // The four bits after object type and rate are the channel configuration (ISO/IEC 14496-3, 1.6.2.1). 0
            // means that a program config element describes the channels.
            return MediaError(
                .unsupported, "cannot stream \(audio.channelCount) channels of aac",
                reason: "AAC has no channel configuration for them, and browsers do not play a stream without one")
        }
        return ContainerRules.refusal(of: format, in: .mp4)
    }

    /// The codecs parameter with which a page asks the browser whether it can play the stream, such as
    /// `avc1.640028, mp4a.40.2` (RFC 6381, 3.3).
    package var codecs: String {
        formats.map { format in
            if let video = format.video { return Self.codec(of: video) }
            guard let audio = format.audio else { return "" }
            // The first five bits of the AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
            return audio.codec == .aac
                ? "mp4a.40.\((audio.decoderConfiguration.first ?? 0x10) >> 3)" : audio.codec.rawValue
        }.joined(separator: ", ")
    }

    private static func codec(of video: VideoFormat) -> String {
        let code = VideoDescription.knownCode(video, .mpeg4)?.description ?? video.codec.rawValue
        let parameter: String? =
            switch video.codec {
            case .h264: CodecParameter.h264(code, video.decoderConfiguration)
            case .hevc: CodecParameter.hevc(code, video.decoderConfiguration)
            case .av1: CodecParameter.av1(code, video.decoderConfiguration)
            default: nil
            }
        return parameter ?? video.codec.rawValue
    }

    /// Returns `ftyp` and `moov`, the bytes before the first fragment. They are repeated when the formats change.
    package func header() -> [UInt8] {
        var writer = AtomWriter(capacity: 2048)
        FileTypeAtom.write(.mp4, into: &writer)
        MovieHeader(
            dialect: .mpeg4, timeScale: 1000, creationTime: 0, metadata: [], tracks: tracks.map { ($0, 0) }
        ).write(into: &writer)
        return writer.bytes
    }

    /// Returns a packet as a fragment: `prft` if the capture time is known, `moof` and `mdat`. Returns nil for a packet
    /// of another format, for one that is decoded before the stream begins, and for one that is decoded before the
    /// track's previous packet.
    ///
    /// - Parameter taken: the capture time in seconds since 1970, for viewers that measure the delay.
    package mutating func fragment(_ packet: SampleBuffer, taken: Double? = nil) -> [UInt8]? {
        guard let index = formats.firstIndex(of: packet.format), case .data(let data) = packet.content, data.count > 0
        else { return nil }
        let scale = tracks[index].timeScale
        func ticks(_ time: MediaTime) -> Int64 { (time - start).ticks(in: scale) }
        let time = ticks(packet.decodeTime ?? packet.presentationTime)
        guard time >= nextDecodeTimes[index] else { return nil }
        if let duration = packet.duration, duration > .zero {
            nominalDurations[index] = UInt32(clamping: duration.ticks(in: scale))
        }
        nextDecodeTimes[index] = time + 1
        sequenceNumber &+= 1
        let shown = ticks(packet.presentationTime)
        let run = FragmentBuilder.Run(
            data: data, count: 1, size: UInt32(clamping: data.count), duration: nominalDurations[index],
            compositionOffset: Int32(clamping: shown - time), isKeyframe: packet.isKeyframe)
        var writer = AtomWriter(capacity: data.count + 256)
        if let taken { writeTime(taken, at: UInt64(max(0, shown)), of: tracks[index].id, into: &writer) }
        FragmentBuilder.write(
            [
                FragmentBuilder.Track(
                    id: tracks[index].id, decodeTime: UInt64(time), runs: [run], timeScale: scale)
            ], sequenceNumber: sequenceNumber, into: &writer)
        return writer.bytes
    }

    /// Writes `prft`, which contains the wall-clock time (ISO/IEC 14496-12, 8.16.5); the seconds count from 1900 (RFC
    /// 5905, 6).
    private func writeTime(_ seconds: Double, at time: UInt64, of track: UInt32, into writer: inout AtomWriter) {
        let since1900 = seconds + 2_208_988_800
        guard since1900 >= 0, since1900 < 4_294_967_296 else { return }
        let whole = since1900.rounded(.down)
        // The clock was read when the frame was captured, not when it was encoded. In 8.16.5, only this flag says so.
        writer.fullAtom("prft", version: 1, flags: 16) { prft in
            prft.u32(track)
            prft.u32(UInt32(clamping: whole))
            prft.u32(UInt32((since1900 - whole) * 4_294_967_295))
            prft.u64(time)
        }
    }
}
