import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The stream of one viewer: a header, a fragment per packet, and a new header if a format changes.
struct LiveStreamTests {
    /// Returns the types of the top-level atoms.
    static func atoms(_ bytes: [UInt8]) -> [String] {
        var names: [String] = []
        var place = 0
        while place + 8 <= bytes.count {
            let size = bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
            names.append(String(decoding: bytes[(place + 4)..<(place + 8)], as: UTF8.self))
            guard size >= 8 else { break }
            place += size
        }
        return place == bytes.count ? names : names + ["torn"]
    }

    @Test func stream_firstBytes_areAHeaderOfBothTracks() {
        var stream = LiveStream(hasAudio: true, formats: [LivePackets.video, LivePackets.audio])
        #expect(Self.atoms(stream.bytes(of: LivePackets.frame(0))) == ["ftyp", "moov", "moof", "mdat"])
        #expect(stream.codecs == "avc1.64001e, mp4a.40.2")
        #expect(Self.atoms(stream.bytes(of: LivePackets.audioPacket(0))) == ["moof", "mdat"])
        #expect(Self.atoms(stream.bytes(of: LivePackets.frame(1))) == ["moof", "mdat"])
    }

    @Test func stream_newEncoder_sendsANewHeader() {
        var stream = LiveStream(hasAudio: true, formats: [LivePackets.video, LivePackets.audio])
        _ = stream.bytes(of: LivePackets.frame(0))
        let other = LivePackets.format(level: 0x28)
        #expect(Self.atoms(stream.bytes(of: LivePackets.frame(10, of: other))) == ["ftyp", "moov", "moof", "mdat"])
        #expect(stream.codecs == "avc1.640028, mp4a.40.2")
        #expect(Self.atoms(stream.bytes(of: LivePackets.frame(11, of: other))) == ["moof", "mdat"])
    }

    @Test func stream_lateAudio_sendsANewHeader() {
        var stream = LiveStream(hasAudio: true)
        _ = stream.bytes(of: LivePackets.frame(0))
        #expect(stream.codecs == "avc1.64001e")
        #expect(Self.atoms(stream.bytes(of: LivePackets.audioPacket(0))) == ["ftyp", "moov", "moof", "mdat"])
    }

    @Test func stream_repeatedOrEarlyPackets_areOmitted() {
        var stream = LiveStream(hasAudio: true, formats: [LivePackets.video, LivePackets.audio])
        _ = stream.bytes(of: LivePackets.frame(0))
        #expect(stream.bytes(of: LivePackets.frame(0)).isEmpty)
        #expect(stream.bytes(of: LivePackets.audioPacket(-3)).isEmpty)
        #expect(!stream.bytes(of: LivePackets.audioPacket(3)).isEmpty)
        #expect(stream.bytes(of: LivePackets.audioPacket(2)).isEmpty)
    }

    @Test func stream_unsupportedAudio_isOmittedAndReported() {
        var stream = LiveStream(hasAudio: true, formats: [LivePackets.video, LivePackets.pcm])
        #expect(!stream.bytes(of: LivePackets.frame(0)).isEmpty)
        #expect(stream.bytes(of: LivePackets.audioPacket(0, of: LivePackets.pcm)).isEmpty)
        #expect(stream.codecs == "avc1.64001e")
        #expect(stream.refusals[.audio]?.description.contains("pcm") == true)
        // Only the codec was at fault: AAC in its place is shown.
        #expect(Self.atoms(stream.bytes(of: LivePackets.audioPacket(1))) == ["ftyp", "moov", "moof", "mdat"])
        #expect(stream.refusals.isEmpty)
    }

    @Test func stream_withoutAudio_omitsIt() {
        var stream = LiveStream(hasAudio: false, formats: [LivePackets.video, LivePackets.audio])
        _ = stream.bytes(of: LivePackets.frame(0))
        #expect(stream.bytes(of: LivePackets.audioPacket(3)).isEmpty)
        #expect(stream.codecs == "avc1.64001e" && stream.refusals.isEmpty)
    }

    /// Keyframes carry `prft` (ISO/IEC 14496-12, 8.16.5), from which a viewer computes its lag.
    @Test func keyframe_carriesItsCaptureTime() {
        var stream = LiveStream(hasAudio: true, formats: [LivePackets.video]) { 1_700_000_000 + $0.seconds }
        let bytes = stream.bytes(of: LivePackets.frame(0))
        #expect(Self.atoms(bytes) == ["ftyp", "moov", "prft", "moof", "mdat"])
        #expect(Self.atoms(stream.bytes(of: LivePackets.frame(1))) == ["moof", "mdat"])
        let later = stream.bytes(of: LivePackets.frame(10))
        #expect(Self.atoms(later) == ["prft", "moof", "mdat"])
        let seconds = later[16..<20].reduce(0) { $0 << 8 | UInt64($1) }
        #expect(seconds == 1_700_000_000 + 101 + 2_208_988_800)
        // One second of the stream, in microseconds.
        #expect(later[24..<32].reduce(0) { $0 << 8 | UInt64($1) } == 1_000_000)
    }

    @Test func keyframe_clockBefore1900_carriesNoCaptureTime() {
        var stream = LiveStream(hasAudio: true) { _ in -3_000_000_000 }
        #expect(Self.atoms(stream.bytes(of: LivePackets.frame(0))) == ["ftyp", "moov", "moof", "mdat"])
    }
}
