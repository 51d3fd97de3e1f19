package import MediaTypes

/// Lays packets out as a stream in MPEG-4's form: a header, then a fragment for each packet, which needs nothing of those
/// before it but their pictures (ISO/IEC 14496-12, 8.8; the byte stream format of W3C's Media Source Extensions).
///
/// A value of its own for each who reads it: times count from the moment at which that one begins.
package struct StreamLayout: Sendable {
    /// Of picture times: V4L2's own resolution.
    private static let videoTimeScale: Int32 = 1_000_000

    /// In the order of their track numbers, which begin with 1.
    package let formats: [FormatDescription]
    /// Time 0 of the stream, in the packets' clock.
    package let start: MediaTime
    private let tracks: [MovieTrack]
    private var sequenceNumber: UInt32 = 0
    private var nominalDurations: [UInt32]
    private var nextDecodeTimes: [Int64]

    /// - Parameter formats: those that `refusal` has nothing against, one of a kind.
    package init(_ formats: [FormatDescription], start: MediaTime) {
        self.formats = formats
        self.start = start
        tracks = formats.enumerated().map { index, format in
            MovieTrack(
                id: UInt32(index + 1), mediaType: format.mediaType, format: format,
                timeScale: format.audio.map { Int32(clamping: $0.sampleRate) } ?? Self.videoTimeScale)
        }
        // Until a packet says how long it lasts: sound as its codec has it, pictures as a camera gives them.
        nominalDurations = formats.map { UInt32(clamping: $0.audio?.framesPerPacket ?? 33_333) }
        nextDecodeTimes = formats.map { _ in 0 }
    }

    /// Takes over the counting of the fragments from what the stream was like until now.
    package mutating func goOn(after other: StreamLayout) {
        sequenceNumber = other.sequenceNumber
        for (index, format) in formats.enumerated() {
            if let before = other.formats.firstIndex(of: format) {
                nextDecodeTimes[index] = other.nextDecodeTimes[before]
            }
        }
    }

    /// Why a stream cannot have such a track; nil: it can.
    package static func refusal(of format: FormatDescription) -> MediaError? {
        if let audio = format.audio, audio.codec == .aac, audio.decoderConfiguration.count > 1,
            audio.decoderConfiguration[1] >> 3 & 0x0F == 0
        {
            // The four bits behind object type and rate (ISO/IEC 14496-3, 1.6.2.1): 0 is a program config element.
            return MediaError(
                .unsupported, "cannot stream \(audio.channelCount) channels of aac",
                reason: "AAC has no channel configuration for them, and browsers play nothing of a stream without one")
        }
        return ContainerRules.refusal(of: format, in: .mp4)
    }

    /// What a browser is asked whether it can play, as `avc1.640028, mp4a.40.2` (RFC 6381, 3.3).
    package var codecs: String {
        formats.map { format in
            let configuration = format.video?.decoderConfiguration ?? format.audio?.decoderConfiguration ?? []
            switch (format.video?.codec, format.audio?.codec) {
            case (.h264?, _) where configuration.count >= 4:
                // Profile, constraints and level, as the avcC has them (ISO/IEC 14496-15, 5.3.3.1).
                return "avc1."
                    + configuration[1...3].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            case (_, .aac?):
                // The first five bits of the AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
                return "mp4a.40.\((configuration.first ?? 0x10) >> 3)"
            default: return format.video?.codec.rawValue ?? format.audio?.codec.rawValue ?? ""
            }
        }.joined(separator: ", ")
    }

    /// What comes before the first fragment, and again where the formats change: `ftyp` and `moov`.
    package func header() -> [UInt8] {
        var writer = AtomWriter(capacity: 2048)
        FileTypeAtom.write(.mp4, into: &writer)
        MovieHeader(
            dialect: .mpeg4, timeScale: 1000, creationTime: 0, metadata: [], tracks: tracks.map { ($0, 0) }
        ).write(into: &writer)
        return writer.bytes
    }

    /// A packet as a fragment: `prft` where the time is known, `moof` and `mdat`. nil for one of another format, for what is
    /// decoded before the stream begins, and for a moment that the track has passed.
    ///
    /// - Parameter taken: seconds since 1970 at which it was captured, for whoever wants to know how late it is.
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
            compositionOffset: Int32(clamping: shown - time), isKeyFrame: packet.isKeyFrame)
        var writer = AtomWriter(capacity: data.count + 256)
        if let taken { writeTime(taken, at: UInt64(max(0, shown)), of: tracks[index].id, into: &writer) }
        FragmentBuilder.write(
            [
                FragmentBuilder.Track(
                    id: tracks[index].id, decodeTime: UInt64(time), runs: [run], timeScale: scale)
            ], sequenceNumber: sequenceNumber, into: &writer)
        return writer.bytes
    }

    /// `prft`, which says what time it was (ISO/IEC 14496-12, 8.16.5); the seconds count from 1900 (RFC 5905, 6).
    private func writeTime(_ seconds: Double, at time: UInt64, of track: UInt32, into writer: inout AtomWriter) {
        let since1900 = seconds + 2_208_988_800
        guard since1900 >= 0, since1900 < 4_294_967_296 else { return }
        let whole = since1900.rounded(.down)
        // The clock was asked when the picture was taken, not when it was encoded: 8.16.5 has no word for it but this one.
        writer.fullAtom("prft", version: 1, flags: 16) { prft in
            prft.u32(track)
            prft.u32(UInt32(clamping: whole))
            prft.u32(UInt32((since1900 - whole) * 4_294_967_295))
            prft.u64(time)
        }
    }
}
