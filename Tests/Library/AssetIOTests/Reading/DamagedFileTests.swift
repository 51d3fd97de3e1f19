import Foundation
import Glibc
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that damage is reported with its place, and that unreadable files are refused at once.
@Suite struct DamagedFileTests {
    @Test(arguments: ["mov", "mp4", "mkv", "avi", "fragmented.mp4"])
    func reader_truncatedFile_failsWithThePosition(_ kind: String) async throws {
        let fixture = try ReadingFixture()
        // The index comes first, so that the truncated file still opens.
        let flags = kind.hasPrefix("fragmented") ? "frag_keyframe+empty_moov" : "faststart"
        let url = try fixture.make(
            "whole.\(kind)", [ReadingFixture.frame, ReadingFixture.tone],
            ["-c:v", kind == "avi" ? "mpeg4" : "libx264", "-g", "10", "-pix_fmt", "yuv420p", "-c:a", "aac"]
                + (kind.hasSuffix("m4v") || kind == "mkv" || kind == "avi" ? [] : ["-movflags", flags]))
        let whole = try Data(contentsOf: url)
        try whole.prefix(whole.count * 6 / 10).write(to: url)
        for (mediaType, settings) in [
            (MediaType.video, TrackOutput.Settings?.none), (.video, .pixels(nil)), (.audio, nil), (.audio, .pcm(.s16)),
        ] {
            let (reader, output) = try await AssetReader.reading(url, mediaType, settings)
            let samples = output.all()
            #expect(reader.status == .failed, "\(mediaType) \(samples.count)")
            #expect(reader.error?.code == .corruptData)
            #expect(reader.error?.action.contains("byte") == true, "\(String(describing: reader.error))")
            if mediaType == .video { #expect(samples.count > 3 && samples.count < 30) }
            let error = await #expect(throws: MediaError.self) { try await output.next() }
            #expect(error?.code == .corruptData)
        }
    }

    @Test(arguments: ["tone.mp3", "tone.wav", "tone.flac"])
    func reader_truncatedAudio_fails(_ name: String) async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(name, ["aevalsrc=random(0)*0.3:s=48000:d=2"], [])
        let whole = try Data(contentsOf: url)
        try whole.prefix(whole.count * 6 / 10).write(to: url)
        let (reader, output) = try await AssetReader.reading(url, .audio, .pcm(.s16))
        #expect(!output.all().isEmpty)
        #expect(reader.status == .failed && reader.error?.code == .corruptData)
    }

    /// Headers of files that were written through a pipe: FFmpeg's, and those of arecord and SoX, which have a length of
    /// about two gibibytes. The last one counts the first eight bytes of the file, too.
    @Test(arguments: ["avi", "caf", "wav", "wav 80000024 80000000", "wav 7FFFF024 7FFFF000", "wav off by eight"])
    func reader_lengthIsAPlaceholder_readsToTheEnd(_ kind: String) async throws {
        let fixture = try ReadingFixture()
        let words = kind.split(separator: " ").map(String.init)
        let url = fixture.directory.file("piped.\(words[0])")
        let video = words[0] == "avi" ? ["-f", "lavfi", "-i", ReadingFixture.frame] : []
        let made = try Command.run(
            ["ffmpeg", "-v", "error"] + video + ["-f", "lavfi", "-i", ReadingFixture.tone, "-c:a"]
                + [words[0] == "caf" ? "pcm_s16be" : "pcm_s16le", "-fflags", "+bitexact", "-f", words[0], "-"])
        #expect(made.status == 0, "\(made.errors)")
        var bytes = made.output
        if words.count > 1 {
            let data = try #require(bytes.range(of: Data("data".utf8))).upperBound
            let lengths = words.count == 3 ? words[1...].compactMap { UInt32($0, radix: 16) } : []
            let (file, audio) =
                lengths.count == 2 ? (lengths[0], lengths[1]) : (UInt32(bytes.count), UInt32(bytes.count - data - 4))
            for (place, length) in [(4, file), (data, audio)] {
                withUnsafeBytes(of: length.littleEndian) { bytes.replaceSubrange(place..<place + 4, with: $0) }
            }
        }
        try bytes.write(to: url)
        let (reader, output) = try await AssetReader.reading(url, .audio, .pcm(.s16))
        #expect(output.all().reduce(0) { $0 + $1.sampleCount } == 48_000)
        #expect(reader.status == .completed, "\(String(describing: reader.error))")
    }

    @Test func reader_packetCannotBeDecoded_failsWithThePosition() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "damaged.mov", ["testsrc2=s=128x96:r=30:d=2"], ["-c:v", "libx264", "-g", "15", "-pix_fmt", "yuv420p"])
        let packets = try Probe.ask(url.path, "packet=pos,size").text.split(separator: "\n").map {
            $0.split(separator: ",").compactMap { Int($0) }
        }
        #expect(packets.count == 60)
        var bytes = try Data(contentsOf: url)
        let whole = try ReadingFixture.decoded(url, ["-fps_mode", "passthrough", "-f", "rawvideo"])
        // ffprobe prints the size first.
        let (size, position) = (packets[30][0], packets[30][1])
        for offset in (position + 8)..<(position + size) { bytes[offset] = 0xA5 }
        try bytes.write(to: url)
        let (reader, output) = try await AssetReader.reading(url, .video, .pixels(nil))
        let samples = output.all()
        #expect(reader.status == .failed && reader.error?.code == .corruptData)
        // No damaged frame is returned, and nearly all intact ones before it are.
        #expect(samples.count >= 20 && samples.count <= 30, "\(samples.count), \(String(describing: reader.error))")
        #expect(samples.reduce(into: Data()) { $0 += $1.visible } == whole.prefix(samples.count * 128 * 96 * 3 / 2))
        #expect(reader.error?.action.contains(" s") == true)
        // Only a decoder notices damage; stored samples are copied as they are.
        let (copier, copy) = try await AssetReader.reading(url, .video, nil)
        #expect(copy.all().count == 60 && copier.status == .completed)
    }

    @Test func asset_fileIsNotAMovie_isRefusedWithAReason() async throws {
        let directory = try TemporaryDirectory()
        try Data().write(to: directory.file("empty.mov"))
        try Data("a letter, not a movie\n".utf8).write(to: directory.file("letter.txt"))
        try Data("#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n".utf8).write(to: directory.file("list.m3u8"))
        try Data(SyntheticMedia.noise(50_000)).write(to: directory.file("noise.mp4"))
        #expect(mkfifo(directory.path("pipe.mov"), 0o600) == 0)
        let cases: [(URL, MediaError.Code)] = [
            (directory.file("missing.mov"), .notFound), (directory.file("empty.mov"), .corruptData),
            (directory.url, .unsupported), (directory.file("letter.txt"), .corruptData),
            (directory.file("list.m3u8"), .corruptData), (directory.file("noise.mp4"), .corruptData),
            // Live sources: the reader does not wait for them.
            (directory.file("pipe.mov"), .unsupported), (URL(fileURLWithPath: "/dev/zero"), .unsupported),
            (try #require(URL(string: "http://127.0.0.1:9/movie.mov")), .unsupported),
            (try #require(URL(string: "rtsp://127.0.0.1/camera")), .unsupported),
        ]
        for (url, code) in cases {
            let asset = Asset(url: url)
            let error = await #expect(throws: MediaError.self) { try await asset.load(.duration) }
            #expect(error?.code == code, "\(url.lastPathComponent): \(String(describing: error))")
            guard case .failed(let kept) = asset.status(of: .duration) else {
                Issue.record("\(url.lastPathComponent) has not failed")
                continue
            }
            #expect(kept == error)
            if code != .corruptData || url.lastPathComponent == "empty.mov" {
                let refused = #expect(throws: MediaError.self) { try AssetReader(asset: asset) }
                #expect(refused?.code == code)
            }
        }
    }

    @Test func reader_fileDeleted_fails() async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try fixture.movie())
        let track = try #require(try await asset.load(.tracks).first)
        let reader = try AssetReader(asset: asset)
        try reader.add(TrackOutput(track: track))
        try FileManager.default.removeItem(at: try #require(asset.url))
        let error = #expect(throws: MediaError.self) { try reader.startReading() }
        #expect(error?.code == .notFound && reader.status == .failed && reader.error == error)
    }
}
