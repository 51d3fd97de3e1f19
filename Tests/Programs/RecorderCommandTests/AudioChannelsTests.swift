import Foundation
import TestSupport
import Testing

/// Audio channels of recordings and copies: none is mixed, dropped or moved without a request.
@Suite(.timeLimit(.minutes(10))) struct AudioChannelsTests {
    private static let frames = 24_000

    private static func frequency(_ channel: Int) -> Int { 400 + 200 * channel }

    /// Returns half a second of audio with a different tone in each channel.
    private static func samples(_ count: Int) -> [Int16] {
        var samples: [Int16] = []
        samples.reserveCapacity(frames * count)
        for frame in 0..<frames {
            for channel in 0..<count {
                let phase = 2 * Double.pi * Double(frequency(channel) * frame) / 48_000
                samples.append(Int16((6000 * sin(phase)).rounded()))
            }
        }
        return samples
    }

    /// Writes a WAVE file (WAVEFORMATEXTENSIBLE). A mask of 0 assigns no loudspeakers.
    private static func write(_ samples: [Int16], _ count: Int, mask: UInt32, to path: String) throws {
        var data = Data()
        func number(_ value: UInt32, bytes: Int = 4) {
            for byte in 0..<bytes { data.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
        }
        let size = UInt32(samples.count * 2)
        data += Data("RIFF".utf8)
        number(60 + size)
        data += Data("WAVEfmt ".utf8)
        number(40)
        number(0xFFFE, bytes: 2)
        number(UInt32(count), bytes: 2)
        number(48_000)
        number(UInt32(96_000 * count))
        number(UInt32(2 * count), bytes: 2)
        number(16, bytes: 2)
        number(22, bytes: 2)
        number(16, bytes: 2)
        number(mask)
        data += Data([1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71])
        data += Data("data".utf8)
        number(size)
        samples.withUnsafeBytes { data.append(contentsOf: $0) }
        try data.write(to: URL(fileURLWithPath: path))
    }

    /// Returns the strength of a tone in one channel, by default in the middle of the file. Full scale is 32,768.
    private static func strength(
        _ frequency: Int, _ channel: Int, of count: Int, _ samples: [Int16], from first: Int? = nil
    ) -> Double {
        let coefficient = 2 * cos(2 * Double.pi * Double(frequency) / 48_000)
        let (length, start) = (4800, first ?? max(0, samples.count / count / 2 - 2400))
        var (before, last) = (0.0, 0.0)
        for frame in start..<(start + length) {
            (before, last) = (last, Double(samples[frame * count + channel]) + coefficient * last - before)
        }
        return (last * last + before * before - coefficient * last * before).squareRoot() * 2 / Double(length)
    }

    private static func decoded(_ path: String) throws -> [Int16] {
        try Probe.decodedAudio(path, as: "s16le").withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    }

    /// Returns true if each channel contains its own tone, 20 dB louder than any other.
    private static func isEachInPlace(_ samples: [Int16], _ count: Int, level: Double) -> Bool {
        (0..<count).allSatisfy { channel in
            let own = strength(frequency(channel), channel, of: count, samples)
            let others = (0..<count).filter { $0 != channel }
                .map { strength(frequency($0), channel, of: count, samples) }
            return own > level && (others.max() ?? 0) * 10 < own
        }
    }

    @Test(arguments: (1...16).map { ($0, UInt32(0)) } + [(3, 0x7), (4, 0x33), (7, 0x637)])
    func reencode_anyChannels_keepsThemOrRefuses(count: Int, mask: UInt32) async throws {
        try await Command.inDirectory { command in
            let samples = Self.samples(count)
            try Self.write(samples, count, mask: mask, to: command.path("work/in.wav"))
            let pairs = [
                ("pcm", "mov"), ("alac", "m4a"), ("flac", "mp4"), ("flac", "mov"), ("aac", "mov"), ("aac", "mp4"),
                ("opus", "mp4"), ("passthrough", "mov"),
            ]
            for (codec, ending) in pairs {
                let words = ["--audio-codec", codec, "--overwrite", "--quiet"]
                let result = try await command.run(["reencode", "in.wav", "-o", "out.\(ending)"] + words)
                if count > 8, ["alac", "flac", "aac"].contains(codec) {
                    #expect(result.exitCode == 64, "\(codec): \(result.errors)")
                    #expect(result.errors.contains("\(codec) supports at most 8; use pcm"), "\(result.errors)")
                    continue
                }
                #expect(result.exitCode == 0, "\(codec): \(result.errors)")
                let copy = try Self.decoded(command.path("work/out.\(ending)"))
                if codec == "aac" || codec == "opus" {
                    #expect(Self.isEachInPlace(copy, count, level: 4000), "\(codec) in .\(ending)")
                } else {
                    #expect(copy == samples, "\(codec) in .\(ending)")
                }
            }
        }
    }

    @Test func reencode_aacWithoutChannelConfiguration_reportsIt() async throws {
        try await Command.inDirectory { command in
            try Self.write(Self.samples(6), 6, mask: 0, to: command.path("work/in.wav"))
            let result = try await command.run("reencode", "in.wav", "-o", "a.mov")
            #expect(result.exitCode == 0)
            #expect(
                result.errorLines.contains { $0.hasPrefix("left out: a standard channel configuration") },
                "\(result.errors)")
            try Self.write(Self.samples(6), 6, mask: 0x3F, to: command.path("work/in.wav"))
            let five = try await command.run("reencode", "in.wav", "-o", "b.mov")
            #expect(
                five.errorLines.contains { $0.hasPrefix("left out: the low-frequency channel") }, "\(five.errors)")
        }
    }

    @Test func reencode_unusualChannelLayout_isReadBackFromTheCopy() async throws {
        try await Command.inDirectory { command in
            for (mask, name) in [(UInt32(0x33), "quad"), (0x60F, "5.1(side)"), (0xB, "2.1")] {
                let count = mask.nonzeroBitCount
                try Self.write(Self.samples(count), count, mask: mask, to: command.path("work/in.wav"))
                // libavformat reads the names from `chan`, and FLAC's decoder leaves them unchanged.
                for ending in ["mov", "mp4"] {
                    try await command.reencode(
                        "in.wav", "-o", "out.\(ending)", "--audio-codec", "flac", "--overwrite", "--no-video")
                    try await command.reencode(
                        "out.\(ending)", "-o", "again.mov", "--audio-codec", "pcm", "--overwrite", "--no-video")
                    let found = try Probe.ask(command.path("work/again.mov"), "stream=channel_layout", of: "a:0")
                    #expect(found.text.hasPrefix(name), "\(name) in .\(ending): \(found.text)")
                }
            }
        }
    }

    /// Core Audio's tag for PCM in the order C L R Ls Rs LFE, which no other container has.
    @Test func passthrough_channelTag_isKept() async throws {
        try await Command.inDirectory { command in
            try Self.write(Self.samples(6), 6, mask: 0, to: command.path("work/in.wav"))
            try await command.reencode("in.wav", "-o", "a.mov", "--audio-codec", "pcm", "--no-video")
            let url = URL(fileURLWithPath: command.path("work/a.mov"))
            var bytes = try Data(contentsOf: url)
            let discrete = Data([0x63, 0x68, 0x61, 0x6E, 0, 0, 0, 0, 0, 147, 0, 6])
            let tagged = Data([0x63, 0x68, 0x61, 0x6E, 0, 0, 0, 0, 0, 124, 0, 6])
            // The file contains the header more than once: from its start, and from its end.
            try #require(bytes.range(of: discrete) != nil)
            while let place = bytes.range(of: discrete) { bytes.replaceSubrange(place, with: tagged) }
            try bytes.write(to: url)
            try await command.reencode("a.mov", "-o", "b.mov", "--codec", "passthrough")
            let copy = try Data(contentsOf: URL(fileURLWithPath: command.path("work/b.mov")))
            #expect(copy.range(of: tagged) != nil)
            // After encoding, the channels have the order of the mask.
            try await command.reencode("a.mov", "-o", "c.mov", "--audio-codec", "pcm", "--no-video")
            let (from, to) = (Self.samples(6), try Self.decoded(command.path("work/c.mov")))
            let order = [1, 2, 0, 5, 3, 4]
            for channel in 0..<6 {
                #expect(to[600 * 6 + channel] == from[600 * 6 + order[channel]], "channel \(channel)")
            }
        }
    }

    @Test func reencode_requestedChannelCount_mixesTheChannels() async throws {
        try await Command.inDirectory { command in
            try Self.write(Self.samples(5), 5, mask: 0, to: command.path("work/in.wav"))
            try await command.reencode(
                "in.wav", "-o", "out.mov", "--audio-codec", "pcm", "--channels", "2", "--no-video")
            let mixed = try Self.decoded(command.path("work/out.mov"))
            #expect(mixed.count == Self.frames * 2)
            for channel in 0..<5 {
                #expect(Self.strength(Self.frequency(channel), channel % 2, of: 2, mixed) > 1500, "\(channel)")
            }
        }
    }

    @Test(arguments: [(3, "pcm"), (6, "aac"), (8, "alac"), (12, "pcm")])
    func start_severalChannels_recordsEach(count: Int, codec: String) async throws {
        try await Command.inDirectory { command in
            let result = try await command.run(
                "start", "x", "--camera", "none", "--microphone", "test", "--channels", "\(count)", "--audio-codec",
                codec, "--duration", "1.5s", "--foreground", "-o", "out.mov")
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(result.errors.contains("left out: a standard channel configuration") == (codec == "aac"))
            let samples = try Self.decoded(command.path("work/out.mov"))
            // From the third channel on, each tone is 100 Hz above the previous one.
            let tones = (0..<count).map { 1000 + 100 * max(0, $0 - 1) }
            // A loud click of 2 kHz lasts for the first 10 ms of each second.
            let click = try #require(samples.firstIndex { $0.magnitude > 2000 }) / count % 48_000
            let start = click + 12_000
            try #require(samples.count >= (start + 4800) * count)
            for channel in 0..<count {
                let own = Self.strength(tones[channel], channel, of: count, samples, from: start)
                let others = Set(tones).filter { $0 != tones[channel] }
                    .map { Self.strength($0, channel, of: count, samples, from: start) }
                #expect(own > 600 && (others.max() ?? 0) * 5 < own, "channel \(channel): \(own), \(others)")
            }
        }
    }

    @Test(arguments: ["aac", "alac"]) func start_moreChannelsThanTheCodecHolds_isRefused(codec: String) async throws {
        try await Command.inDirectory { command in
            let result = try await command.run(
                "start", "x", "--camera", "none", "--microphone", "test", "--channels", "12", "--audio-codec", codec,
                "--foreground", "-o", "out.mov")
            #expect(result.exitCode == 64 && result.errors.contains("pcm"), "\(result.errors)")
            #expect(command.files(in: "work") == [])
        }
    }
}
