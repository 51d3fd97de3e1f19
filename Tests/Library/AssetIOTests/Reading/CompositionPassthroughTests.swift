import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of passthrough: stored samples of several segments become one track without being encoded again.
@Suite struct CompositionPassthroughTests {
    private typealias Fixture = CompositionFixture

    /// Writes the stored samples of every track of an asset to a movie.
    private func rewrite(_ asset: Asset, to url: URL) async throws {
        let reader = try AssetReader(asset: asset)
        let writer = try AssetWriter(outputURL: url)
        var pairs: [(AssetWriterInput.SampleBufferReceiver, TrackOutput)] = []
        for track in try await asset.load(.tracks) {
            let output = try TrackOutput(track: track)
            try reader.add(output)
            let input = try AssetWriterInput(
                mediaType: track.mediaType, outputSettings: nil, sourceFormatHint: track.formatDescription)
            pairs.append((try writer.inputReceiver(for: input), output))
        }
        try reader.startReading()
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (receiver, output) in pairs {
                group.addTask {
                    while let sample = try await output.next() { try await receiver.append(sample) }
                    receiver.finish()
                }
            }
            try await group.waitForAll()
        }
        #expect(reader.status == .completed)
        try writer.endSession(atSourceTime: try await asset.load(.duration))
        try await writer.finishWriting()
    }

    private func hashes(_ path: String, _ selector: String) throws -> [Substring] {
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-xerror", "-i", path, "-map", "0:\(selector)", "-fps_mode", "passthrough", "-f",
            "framemd5", "-")
        try #require(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        return result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
            $0.split(separator: ",").last
        }
    }

    @Test(arguments: ["aac", "pcm_s16le"]) func composition_packetsOfSeveralFiles_playAsOne(_ codec: String)
        async throws
    {
        let fixture = try CompositionFixture()
        let first = try fixture.movie("a.mov", audio: ["-c:a", codec])
        let second = try fixture.movie("b.mov", "smptebars", audio: ["-c:a", codec])
        let joined = Asset(try await Composition.joining([first, second, first]))
        let packets = try await AssetReader.samples(joined, .video, nil)
        let times = packets.map { $0.decodeTime ?? $0.presentationTime }
        #expect(packets.count == 90 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        let url = fixture.files.directory.file("joined.mov")
        try await rewrite(joined, to: url)
        let probe = try Probe(url.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 90, "\(probe.complaints)")
        let (one, other) = (try #require(first.url).path, try #require(second.url).path)
        #expect(try hashes(url.path, "v") == hashes(one, "v") + hashes(other, "v") + hashes(one, "v"))
        let shown = try Probe.frameTimes(url.path).sorted()
        #expect(zip(shown, 0...).allSatisfy { abs($0 - Double($1) / 30) < 0.0005 })
        let audio = try Probe.decodedAudio(url.path, as: "s16le")
        let parts = try [one, other, one].map { try Probe.decodedAudio($0, as: "s16le") }.reduce(Data(), +)
        if codec == "aac" {
            // Packets have 1,024 audio frames: each seam is off by at most half a packet, and the errors do not add up.
            #expect(abs(audio.count - parts.count) / 2 <= 1536, "\(audio.count / 2) of \(parts.count / 2)")
        } else {
            #expect(audio == parts)
        }
    }

    @Test func composition_storedPCM_isTrimmedToTheAudioFrame() async throws {
        let fixture = try CompositionFixture()
        let asset = try fixture.audio("tone.wav", "0.3*sin(2*PI*440*t):d=1")
        var composition = Composition()
        try await composition.insertTimeRange(Fixture.range(101, 20_003, 48_000), of: asset, at: .zero)
        try await composition.insertTimeRange(
            Fixture.range(30_007, 40_009, 48_000), of: asset, at: Fixture.time(19_902, 48_000))
        let all = try await AssetReader.samples(asset, .audio, nil).audio
        let blocks = try await AssetReader.samples(Asset(composition), .audio, nil)
        #expect(blocks.holes == [])
        #expect(blocks.audio == all.subdata(in: 202..<40_006) + all.subdata(in: 60_014..<80_018))
    }

    @Test func composition_packetsCutAtKeyframes_areJoined() async throws {
        let fixture = try CompositionFixture()
        let asset = Asset(
            url: try fixture.files.make(
                "closed.mov", ["testsrc2=s=128x96:r=30:d=1"],
                ["-c:v", "libx264", "-bf", "2", "-g", "10", "-x264-params", "open-gop=0", "-pix_fmt", "yuv420p"]))
        var composition = Composition()
        try await composition.insertTimeRange(Fixture.range(10, 20, 30), of: asset, at: .zero)
        try await composition.insertTimeRange(Fixture.range(0, 10, 30), of: asset, at: Fixture.time(10, 30))
        let url = fixture.files.directory.file("swapped.mov")
        try await rewrite(Asset(composition), to: url)
        let all = try hashes(try #require(asset.url).path, "v")
        #expect(try hashes(url.path, "v") == Array(all[10..<20] + all[0..<10]))
    }

    @Test func composition_segmentBeginsBetweenKeyframes_isRefused() async throws {
        let fixture = try CompositionFixture()
        let asset = try fixture.silentMovie("movie.mov")
        var composition = Composition()
        try await composition.insertTimeRange(Fixture.everything, of: asset, at: .zero)
        try await composition.insertTimeRange(Fixture.range(5, 20, 30), of: asset, at: Fixture.time(1, 1))
        let (reader, output) = try await AssetReader.reading(Asset(composition), .video, nil)
        #expect(output.all().count == 30)
        #expect(reader.status == .failed && reader.error?.code == .unsupported)
        #expect(reader.error?.wayOut.contains("re-encode") == true)
        // Decoding works anyway.
        #expect(try await AssetReader.samples(Asset(composition), .video, .pixels(nil)).count == 45)
    }

    @Test func composition_segmentEndsBetweenKeyframes_isCompleteOrRefused() async throws {
        let fixture = try CompositionFixture()
        let asset = try fixture.silentMovie("movie.mov")
        let all = try hashes(try #require(asset.url).path, "v")
        var refused = 0
        for end in 7...12 {
            var composition = Composition()
            try await composition.insertTimeRange(Fixture.range(0, Int64(end), 30), of: asset, at: .zero)
            try await composition.insertTimeRange(Fixture.everything, of: asset, at: Fixture.time(Int64(end), 30))
            let (reader, output) = try await AssetReader.reading(Asset(composition), .video, nil)
            _ = output.all()
            if reader.status == .failed {
                #expect(reader.error?.code == .unsupported)
                refused += 1
                continue
            }
            // No frame may depend on a frame that is missing.
            let url = fixture.files.directory.file("\(end).mov")
            try await rewrite(Asset(composition), to: url)
            #expect(try hashes(url.path, "v") == all[0..<end] + all, "\(end)")
        }
        #expect((1...5).contains(refused), "\(refused)")
    }

    @Test func composition_decodeTimesAcrossASeam_increaseOrAreRefused() async throws {
        let fixture = try CompositionFixture()
        let asset = try fixture.silentMovie("movie.mov")
        let composition = try await Composition.joining([asset, asset])
        let track = try #require(composition.tracks.first)
        let part = try #require(CompositionPart.parts(of: track.segments, in: [Fixture.everything]).last)
        #expect(part.followsSeam && !part.precedesSeam && part.segment.time(of: .zero) == Fixture.time(1, 1))
        func packet(_ decode: Int64, _ shown: Int64) throws -> SampleBuffer {
            SampleBuffer(
                format: try #require(part.source.track.formatDescription), content: .data(MediaData([0])),
                presentationTime: Fixture.time(shown, 1000), decodeTime: Fixture.time(decode, 1000))
        }
        // The segment before decodes its last frame later than this segment's first decode time.
        var placement = PacketPlacement(part, after: Fixture.time(966, 1000))
        let given = try [(-100, 0), (-67, 100), (-33, 33), (0, 67), (33, 133)].map { decode, shown in
            try #require(try placement.place(try packet(decode, shown)))
        }
        #expect(given.map(\.presentationTime) == [1000, 1100, 1033, 1067, 1133].map { Fixture.time($0, 1000) })
        #expect(given.map(\.decodeTime) == [967, 968, 969, 1000, 1033].map { Fixture.time($0, 1000) })
        var late = PacketPlacement(part, after: Fixture.time(1000, 1000))
        #expect(code { _ = try late.place(try packet(-100, 0)) } == .unsupported)
    }

    @Test func composition_packetsOfSeveralFormats_areRefused() async throws {
        let fixture = try CompositionFixture()
        let first = try fixture.silentMovie("a.mov")
        let other = Asset(
            url: try fixture.files.make(
                "b.mov", ["testsrc2=s=64x48:r=30:d=1"], ["-c:v", "libx264", "-pix_fmt", "yuv420p"]))
        let joined = Asset(try await Composition.joining([first, other]))
        let track = try #require(try await joined.load(.tracks).first)
        let reader = try AssetReader(asset: joined)
        try reader.add(TrackOutput(track: track))
        let error = #expect(throws: MediaError.self) { try reader.startReading() }
        #expect(error?.code == .unsupported && error?.wayOut.contains("re-encode") == true)
        #expect(error?.reason.contains("64×48") == true, "\(String(describing: error))")
        #expect(reader.status == .failed)
    }
}
