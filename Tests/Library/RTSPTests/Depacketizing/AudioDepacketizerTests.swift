import MediaTypes
import RTSP
import TestSupport
import Testing

@Suite struct AudioDepacketizerTests {
    /// AAC-LC, 16 kHz, mono (ISO/IEC 14496-3, 1.6.2.1).
    private let aac: Substring = "streamtype=5;mode=AAC-hbr;config=1408;SizeLength=13; IndexLength=3;IndexDeltaLength=3"

    @Test func aac_twoPacketsInOne_haveTheirOwnTimes() throws {
        var run = try DepacketizerRun("MPEG4-GENERIC", clockRate: 16_000, parameters: aac)
        // 32 bits of headers: sizes 3 and 2.
        try run.add([0, 32, 0, 3 << 3, 0, 2 << 3] + [1, 2, 3] + [4, 5], time: 5000, marker: true)
        #expect(run.data == [[1, 2, 3], [4, 5]])
        #expect(run.samples.map(\.time) == [5000, 6024] && run.samples.map(\.frameCount) == [1024, 1024])
        let format = run.formats.first?.audio
        #expect(format?.codec == .aac && format?.sampleRate == 16_000 && format?.channelCount == 1)
        #expect(format?.decoderConfiguration == [0x14, 0x08] && format?.framesPerPacket == 1024)
    }

    @Test func aac_fragments_areJoined() throws {
        var run = try DepacketizerRun("MPEG4-GENERIC", clockRate: 16_000, parameters: aac)
        try run.add([0, 16, 0, 5 << 3, 1, 2], time: 0)
        try run.add([0, 16, 0, 5 << 3, 3, 4, 5], time: 0, marker: true)
        #expect(run.data == [[1, 2, 3, 4, 5]])
        try run.add([0, 16, 0, 5 << 3, 1, 2], time: 1024)
        try run.add([0, 16, 0, 5 << 3, 5], time: 1024, marker: true, lost: 1)
        #expect(run.samples.count == 1 && run.drops.first == .damaged)
    }

    @Test func aac_interleaved_isRefused() throws {
        var run = try DepacketizerRun("MPEG4-GENERIC", clockRate: 16_000, parameters: aac)
        try run.add([0, 32, 0, 1 << 3, 0, 1 << 3 | 2, 1, 2])
        #expect(run.samples.isEmpty && run.unsupported.count == 1)
    }

    @Test func aac_bandReplication_countsFramesOfTheOutput() throws {
        // Type 5 with 24 kHz and an extension of 48 kHz.
        var run = try DepacketizerRun("MPEG4-GENERIC", clockRate: 48_000, parameters: "mode=AAC-hbr;config=2B118800")
        try run.add([0, 32, 0, 1 << 3, 0, 1 << 3, 1, 2], time: 0)
        #expect(run.formats.first?.audio?.sampleRate == 48_000 && run.formats.first?.audio?.framesPerPacket == 2048)
        #expect(run.samples.map(\.time) == [0, 2048])
    }

    @Test(arguments: [
        "", "config=zz", "mode=CELP-vbr;config=1408", "config=1408;CTSDeltaLength=4", "config=14",
        // A rate of 1 Hz, as 24 bits.
        "config=1780000088",
    ])
    func aac_unusableParameters_areRefused(_ parameters: String) {
        #expect(throws: MediaError.self) {
            try DepacketizerRun("MPEG4-GENERIC", clockRate: 16_000, parameters: Substring(parameters))
        }
    }

    @Test func g711_payload_isAudio() throws {
        var run = try DepacketizerRun("PCMU", clockRate: 8000)
        try run.add([UInt8](repeating: 0xFF, count: 160), time: 320, lost: 2)
        #expect(run.formats.first?.audio?.codec.rawValue == "pcm_mulaw")
        #expect(run.samples.first?.frameCount == 160 && run.samples.first?.lostPackets == 2)
    }

    @Test(arguments: [(1, 1), (10_000_000, 1), (8000, 255)])
    func linearPCM_impossibleRateOrChannels_isRefused(rate: Int, channels: Int) {
        #expect(throws: MediaError.self) { try DepacketizerRun("L16", clockRate: rate, channels: channels) }
    }

    @Test func linearPCM_becomesLittleEndian() throws {
        var words = try DepacketizerRun("L16", clockRate: 44_100, channels: 2)
        try words.add([0x12, 0x34, 0x56, 0x78, 0x9A])
        #expect(words.data == [[0x34, 0x12, 0x78, 0x56]] && words.samples.first?.frameCount == 1)
        #expect(words.formats.first?.audio?.pcm == .s16 && words.formats.first?.audio?.isBigEndian == false)
        var wide = try DepacketizerRun("L24", clockRate: 48_000)
        try wide.add([1, 2, 3, 4, 5, 6])
        #expect(wide.data == [[3, 2, 1, 6, 5, 4]] && wide.samples.first?.frameCount == 2)
    }

    @Test func opus_packets_countTheirFrames() throws {
        var run = try DepacketizerRun("OPUS", clockRate: 48_000, channels: 2, parameters: "sprop-stereo=1")
        try run.add([0xFC, 1])  // CELT, 20 ms, one frame
        try run.add([0x09, 1])  // SILK, 20 ms, two frames
        try run.add([0x03, 0x03])  // SILK, 10 ms, three frames
        try run.add([0x1B, 0x3F])  // 63 frames of 60 ms
        #expect(run.samples.map(\.frameCount) == [960, 1920, 1440] && run.drops == [.damaged])
        let head = run.formats.first?.audio?.decoderConfiguration
        #expect(head?.count == 19 && head?[9] == 2 && run.formats.first?.audio?.channelCount == 2)
    }

    @Test(arguments: [(UInt8(0xF8), 1), (UInt8(0xFC), 2)])
    func opus_withoutAnnouncement_hasTheChannelsOfItsPackets(head: UInt8, channels: Int) throws {
        var run = try DepacketizerRun("OPUS", clockRate: 48_000, channels: 2)
        try run.add([head, 0xFF, 0xFE])
        let format = try #require(run.formats.first?.audio)
        #expect(format.channelCount == channels && format.framesPerPacket == 960)
        #expect(format.decoderConfiguration.count == 19 && Int(format.decoderConfiguration[9]) == channels)
    }

    @Test func format_unknownEncoding_namesIt() {
        let error = #expect(throws: MediaError.self) { try DepacketizerRun("MP4A-LATM", clockRate: 16_000) }
        #expect(error?.reason.contains("MP4A-LATM") == true)
    }

    @Test(arguments: 0..<30) func audio_randomPackets_neverCrash(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for (encoding, parameters) in [("MPEG4-GENERIC", aac), ("OPUS", ""), ("L24", ""), ("PCMA", "")] {
            var run = try DepacketizerRun(encoding, clockRate: 48_000, channels: 2, parameters: parameters)
            for time in Int64(0)..<200 {
                var payload = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                if payload.count > 1, Bool.random(using: &random) { (payload[0], payload[1]) = (0, payload[1] & 63) }
                try run.add(payload, time: time, marker: true, lost: Int64.random(in: 0...1, using: &random))
            }
            run.flush()
        }
    }
}
