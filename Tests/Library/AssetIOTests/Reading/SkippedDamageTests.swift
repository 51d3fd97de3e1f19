import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of `skipsDamagedMedia`: all decodable samples are returned, and missing ones are reported.
@Suite struct SkippedDamageTests {
    /// A packet's place in the file, as ffprobe reports it.
    private struct Packet {
        var time: Double
        var isKey: Bool
        var size: Int
        var position: Int
    }

    private func packets(_ url: URL, _ stream: String) throws -> [Packet] {
        let answer = try Probe.ask(url.path, "packet=pts_time,size,pos,flags", of: stream)
        return answer.text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ",")
            guard fields.count >= 4, let time = Double(fields[0]), let size = Int(fields[1]),
                let position = Int(fields[2])
            else { return nil }
            return Packet(time: time, isKey: fields[3].hasPrefix("K"), size: size, position: position)
        }
    }

    /// - Parameter kept: intact bytes at the packet's start, so that a decoder notices the damage.
    private func damage(_ packet: Packet, in url: URL, keeping kept: Int = 8) throws {
        var bytes = try Data(contentsOf: url)
        for offset in (packet.position + min(kept, packet.size / 2))..<(packet.position + packet.size) {
            bytes[offset] = 0xA5
        }
        try bytes.write(to: url)
    }

    private func read(
        _ url: URL, _ mediaType: MediaType, _ settings: TrackOutput.Settings?, from start: MediaTime = .zero,
        to end: MediaTime = .positiveInfinity
    ) async throws -> (AssetReader, TrackOutput, [SampleBuffer]) {
        let asset = Asset(url: url)
        let track = try #require(try await asset.tracks(withMediaType: mediaType).first)
        let output = try TrackOutput(track: track, outputSettings: settings)
        let reader = try AssetReader(asset: asset)
        try reader.configure {
            $0.skipsDamagedMedia = true
            $0.timeRange = TimeRange(start: start, end: end)
        }
        try reader.add(output)
        try reader.startReading()
        let samples = output.all()
        #expect(reader.status == .completed, "\(String(describing: reader.error))")
        return (reader, output, samples)
    }

    private func frames(_ audio: [SampleBuffer]) -> Int { audio.reduce(0) { $0 + $1.sampleCount } }

    @Test(arguments: ["h264.mov", "h264-b.mov", "h264.mkv", "hevc.mp4", "mpeg4.mp4", "mpeg2.mov"])
    func reader_damagedFrame_continuesAtTheNextKeyframe(_ name: String) async throws {
        let fixture = try ReadingFixture()
        let codec: [String] =
            switch name.split(separator: ".")[0] {
            case "h264": ["-c:v", "libx264", "-bf", "0"]
            case "h264-b": ["-c:v", "libx264", "-bf", "3"]
            case "hevc": ["-c:v", "libx265", "-x265-params", "log-level=none"]
            case "mpeg4": ["-c:v", "mpeg4"]
            default: ["-c:v", "mpeg2video"]
            }
        let url = try fixture.make(
            name, ["testsrc2=s=128x96:r=30:d=2"], codec + ["-g", "15", "-keyint_min", "15", "-pix_fmt", "yuv420p"])
        let (_, _, whole) = try await read(url, .video, .pixels(nil))
        #expect(whole.count == 60)
        let list = try packets(url, "v")
        let index = try #require(list.indices.first { $0 > 20 && !list[$0].isKey && list[$0].size > 60 })
        let bad = list[index]
        // HEVC notices an invalid slice header, MPEG-2 invalid data.
        try damage(bad, in: url, keeping: name.hasPrefix("hevc") ? 6 : name.hasPrefix("mpeg2") ? .max : 8)
        let next = try #require(list[index...].first { $0.isKey }).time
        let (reader, output, samples) = try await read(url, .video, .pixels(nil))
        let ranges = reader.damagedTimeRanges
        #expect(ranges.count == 1 && ranges == output.damagedTimeRanges, "\(ranges)")
        let range = try #require(ranges.first)
        #expect(abs(range.timeRange.end.seconds - next) < 0.001, "\(range)")
        #expect(range.timeRange.start.seconds <= bad.time + 0.001)
        #expect(range.timeRange.start.seconds > bad.time - 0.2)
        #expect(range.trackID == output.track.id && !range.reason.isEmpty)
        // Every frame outside the reported range is there, and only intact ones.
        let wanted = whole.filter { !range.timeRange.contains($0.presentationTime) }
        let times = Set(samples.map(\.presentationTime))
        #expect(wanted.allSatisfy { times.contains($0.presentationTime) })
        let frames = Dictionary(uniqueKeysWithValues: whole.map { ($0.presentationTime, $0.visible) })
        #expect(samples.allSatisfy { frames[$0.presentationTime] == $0.visible })
        #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.presentationTime < $1.presentationTime })
        // Damage outside the range that is read is not reported; a partial range is clipped.
        let later = MediaTime(value: 3, timescale: 2)
        #expect(try await read(url, .video, .pixels(nil), from: later).0.damagedTimeRanges.isEmpty)
        let cut = MediaTime(seconds: next - 0.05, timescale: 1000)
        let middle = try await read(url, .video, .pixels(nil), from: cut)
        #expect(middle.0.damagedTimeRanges.map(\.timeRange.start) == [cut])
        #expect(middle.2.first?.presentationTime == range.timeRange.end)
    }

    @Test(arguments: ["prores.mov", "mjpeg.avi"]) func reader_damageInAnIntraCodec_skipsOneFrame(_ name: String)
        async throws
    {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            name, ["testsrc2=s=128x96:r=30:d=1"],
            name.hasPrefix("prores") ? ["-c:v", "prores_ks"] : ["-c:v", "mjpeg", "-pix_fmt", "yuvj422p"])
        let bad = try packets(url, "v")[12]
        try damage(bad, in: url)
        let (reader, _, samples) = try await read(url, .video, .pixels(nil))
        #expect(samples.count == 29)
        #expect(reader.damagedTimeRanges.count == 1)
        let range = try #require(reader.damagedTimeRanges.first?.timeRange)
        #expect(abs(range.start.seconds - 0.4) < 0.001 && abs(range.duration.seconds - 1 / 30) < 0.001, "\(range)")
    }

    @Test func reader_damageInTheLastFrames_isReported() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "last.mov", ["testsrc2=s=128x96:r=30:d=1"], ["-c:v", "libx264", "-bf", "0", "-pix_fmt", "yuv420p"])
        let list = try packets(url, "v")
        try damage(list[28], in: url)
        let (reader, _, samples) = try await read(url, .video, .pixels(nil))
        #expect(samples.count == 28, "\(samples.map(\.presentationTime.seconds).suffix(4))")
        let range = try #require(reader.damagedTimeRanges.first?.timeRange)
        #expect(abs(range.start.seconds - 28.0 / 30) < 0.001 && abs(range.end.seconds - 1) < 0.001, "\(range)")
    }

    @Test(arguments: [nil, 44_100]) func reader_damagedAudioPacket_leavesAGapAndContinues(_ rate: Int?) async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make("tone.m4a", ["sine=frequency=440:sample_rate=48000:duration=2"], ["-c:a", "aac"])
        let settings = TrackOutput.Settings.pcm(TrackOutput.PCM(.s16, sampleRate: rate))
        let (_, _, whole) = try await read(url, .audio, settings)
        let bad = try packets(url, "a")[40]
        var bytes = try Data(contentsOf: url)
        for offset in bad.position..<(bad.position + bad.size) { bytes[offset] = 0xFF }
        try bytes.write(to: url)
        let (reader, _, samples) = try await read(url, .audio, settings)
        let range = try #require(reader.damagedTimeRanges.first?.timeRange)
        #expect(reader.damagedTimeRanges.count == 1)
        #expect(abs(range.start.seconds - bad.time) < 0.001)
        #expect(abs(range.duration.seconds - 1024.0 / 48_000) < 0.001)
        let packet = 1024.0 / 48_000
        let missing = Double(frames(whole) - frames(samples)) / Double(rate ?? 48_000)
        #expect(abs(missing - packet) < 0.001, "\(missing)")
        // The audio after the gap has its own time.
        let last = try #require(samples.last)
        #expect(abs((last.presentationTime + (last.duration ?? .zero)).seconds - 2) < 0.001)
    }

    @Test func mix_damagedAudioPacket_isSilentThereAndReportsIt() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make("tone.m4a", ["sine=frequency=440:sample_rate=48000:duration=2"], ["-c:a", "aac"])
        let bad = try packets(url, "a")[40]
        var bytes = try Data(contentsOf: url)
        for offset in bad.position..<(bad.position + bad.size) { bytes[offset] = 0xFF }
        try bytes.write(to: url)
        let asset = Asset(url: url)
        let tracks = try await asset.tracks(withMediaType: .audio)
        let mix = try AudioMixOutput(audioTracks: tracks, audioSettings: TrackOutput.PCM(.s16))
        let samples = try read(mix, of: asset)
        #expect(abs(frames(samples) - 96_000) < 48)
        let range = try #require(mix.damagedTimeRanges.first)
        #expect(mix.damagedTimeRanges.count == 1 && range.trackID == tracks.first?.id)
        #expect(abs(range.timeRange.start.seconds - bad.time) < 0.001)
    }

    @Test func videoComposition_damagedFrame_holdsTheLastIntactFrameAndReportsIt() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "jpeg.mov", ["testsrc2=s=128x96:r=30:d=1"], ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"])
        let bad = try packets(url, "v")[12]
        try damage(bad, in: url)
        let asset = Asset(url: url)
        let tracks = try await asset.tracks(withMediaType: .video)
        let composed = try VideoCompositionOutput(
            videoTracks: tracks, videoComposition: try await VideoComposition(propertiesOf: asset))
        let samples = try read(composed, of: asset)
        #expect(samples.count == 30)
        #expect(samples[12].visible == samples[11].visible && samples[13].visible != samples[12].visible)
        let range = try #require(composed.damagedTimeRanges.first?.timeRange)
        #expect(composed.damagedTimeRanges.count == 1 && abs(range.start.seconds - 0.4) < 0.001, "\(range)")
    }

    private func read(_ output: any AssetReaderOutput, of asset: Asset) throws -> [SampleBuffer] {
        let reader = try AssetReader(asset: asset)
        try reader.configure { $0.skipsDamagedMedia = true }
        try reader.add(output)
        try reader.startReading()
        let samples = output.all()
        #expect(reader.status == .completed, "\(String(describing: reader.error))")
        #expect(reader.damagedTimeRanges == output.damagedTimeRanges)
        return samples
    }

    @Test(arguments: ["cut.mov", "cut.mkv", "cut.avi", "cut.ts", "cut.wav", "cut.ogg"])
    func reader_truncatedFile_reportsTheMissingEnd(_ name: String) async throws {
        let fixture = try ReadingFixture()
        let isAudio = name.hasSuffix("wav") || name.hasSuffix("ogg")
        let url =
            isAudio
            ? try fixture.make(name, ["aevalsrc=random(0)*0.3:s=48000:d=2"], [])
            : try fixture.make(
                name, ["testsrc2=s=128x96:r=30:d=2"],
                ["-c:v", name.hasSuffix("avi") ? "mpeg4" : "libx264", "-g", "10", "-pix_fmt", "yuv420p"]
                    + (name.hasSuffix("mov") ? ["-movflags", "faststart"] : []))
        let whole = try Data(contentsOf: url)
        // Not at the end of a packet of a transport stream.
        try whole.prefix(whole.count * 6 / 10 / 188 * 188 + 100).write(to: url)
        let (reader, _, samples) = try await read(
            url, isAudio ? .audio : .video, isAudio ? .pcm(.s16) : .pixels(nil))
        #expect(samples.count > 3)
        let range = try #require(reader.damagedTimeRanges.last, "\(name)").timeRange
        let last = try #require(samples.last)
        let end = (last.presentationTime + (last.duration ?? .zero)).seconds
        #expect(abs(range.start.seconds - end) < 0.1, "\(range) \(end)")
        // Transport streams and Ogg do not store how long they were.
        if !name.hasSuffix("ts"), !name.hasSuffix("ogg") { #expect(abs(range.end.seconds - 2) < 0.05, "\(range)") }
    }

    @Test(arguments: [nil, TrackOutput.Settings.pixels(nil)])
    func reader_wrongIndexEntry_skipsOnlyItsSamples(_ settings: TrackOutput.Settings?) async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "astray.mov", ["testsrc2=s=128x96:r=30:d=4", "sine=frequency=440:sample_rate=48000:duration=4"],
            ["-c:v", "mjpeg", "-pix_fmt", "yuvj422p", "-c:a", "pcm_s16le"])
        var bytes = Array(try Data(contentsOf: url))
        let name = Array("stco".utf8)
        let tables = bytes.indices.dropLast(4).filter { Array(bytes[$0..<($0 + 4)]) == name }
        let frames = try #require(tables.first)
        let count = bytes[(frames + 8)..<(frames + 12)].reduce(0) { $0 << 8 | Int($1) }
        try #require(count > 4)
        bytes.replaceSubrange((frames + 12 + 8)..<(frames + 12 + 12), with: [0x7F, 0xFF, 0xFF, 0xF0])
        try Data(bytes).write(to: url)
        let (reader, _, samples) = try await read(url, .video, settings)
        #expect(samples.count < 120 && samples.count > 60, "\(samples.count)")
        #expect(abs((samples.last?.presentationTime.seconds ?? 0) - 119.0 / 30) < 0.001)
        let lost = reader.damagedTimeRanges.reduce(0) { $0 + $1.timeRange.duration.seconds }
        #expect(abs(lost - Double(120 - samples.count) / 30) < 0.04, "\(reader.damagedTimeRanges)")
    }

    @Test func reader_truncatedFile_keepsStoredSamples() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "cut.mov", ["testsrc2=s=128x96:r=30:d=2"],
            ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "faststart"])
        let whole = try Data(contentsOf: url)
        try whole.prefix(whole.count * 6 / 10).write(to: url)
        let (reader, _, samples) = try await read(url, .video, nil)
        #expect(samples.count > 10 && samples.count < 60)
        #expect(reader.damagedTimeRanges.count == 1)
    }

    @Test func reader_changedBytes_neverFailsOrLoops() async throws {
        let fixture = try ReadingFixture()
        for name in ["small.mov", "small.ts", "small.avi"] {
            let url = try fixture.make(
                name, ["testsrc2=s=64x48:r=10:d=2", "sine=frequency=440:sample_rate=16000:duration=2"],
                [
                    "-c:v", name.hasSuffix("avi") ? "mpeg4" : "libx264", "-g", "5", "-pix_fmt", "yuv420p", "-c:a",
                    name.hasSuffix("ts") ? "mp2" : "aac",
                ])
            let whole = try Data(contentsOf: url)
            let noise = SyntheticMedia.noise(4096, seed: 11)
            for round in 0..<8 {
                var bytes = whole
                for change in 0..<(2 + round * 4) {
                    let at = round * 97 + change * 6
                    let place = Int(noise[at]) << 16 | Int(noise[at + 1]) << 8 | Int(noise[at + 2])
                    bytes[place % bytes.count] = noise[at + 3]
                }
                try bytes.write(to: url)
                let asset = Asset(url: url)
                guard let tracks = try? await asset.load(.tracks) else { continue }
                for track in tracks where track.formatDescription != nil {
                    let output = try TrackOutput(
                        track: track, outputSettings: track.mediaType == .video ? .pixels(.nv12) : .pcm(.s16))
                    let reader = try AssetReader(asset: asset)
                    try reader.configure { $0.skipsDamagedMedia = true }
                    guard (try? reader.add(output)) != nil, (try? reader.startReading()) != nil else { continue }
                    #expect(output.all().count < 10_000)
                    #expect(reader.damagedTimeRanges.allSatisfy { $0.timeRange.duration >= .zero })
                }
            }
        }
    }
}
