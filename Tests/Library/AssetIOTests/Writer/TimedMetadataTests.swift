import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of tracks of timed metadata, written and read.
@Suite(.timeLimit(.minutes(10))) struct TimedMetadataTests {
    private static let format = MetadataFormat(keys: [
        MetadataFormat.Key(id: 1, name: Array("com.example.count".utf8), dataType: .wellKnown(65)),
        MetadataFormat.Key(id: 2, name: Array("com.example.text".utf8), dataType: .wellKnown(1), language: "de"),
    ])
    private static let values: [[MetadataFormat.Value]] = [
        [.init(key: 1, bytes: [0xFF])], [],
        [.init(key: 1, bytes: [2]), .init(key: 2, bytes: Array("über".utf8))],
    ]

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func seconds(_ value: Double) -> MediaTime { MediaTime(seconds: value, timescale: 1000) }

    /// Writes two seconds of video. The metadata changes after 0.5 and 1 s.
    private func movie(
        _ name: String = "movie.mov", hint: FormatDescription = .metadata(Self.format), _ samples: [SampleBuffer]? = nil
    ) async throws -> URL {
        let url = directory.file(name)
        let writer = try AssetWriter(outputURL: url, fileType: .mov)
        let video = try AssetWriterInput(
            mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48)))
        let metadata = try AssetWriterInput(mediaType: .metadata, outputSettings: nil, sourceFormatHint: hint)
        try metadata.addTrackAssociation(withTrackOf: video, type: .metadataReferent)
        try writer.add(video)
        try writer.add(metadata)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        let own = zip(Self.values, [(0.0, 0.5), (0.5, 0.5), (1.0, 1.0)]).map { values, time in
            Self.format.sample(values, at: Self.seconds(time.0), duration: Self.seconds(time.1))
        }
        for sample in samples ?? own { try await metadata.appendWhenReady(sample) }
        metadata.markAsFinished()
        for index in 0..<50 {
            let time = MediaTime(value: Int64(index), timescale: 25)
            try await video.appendWhenReady(SyntheticMedia.videoSample(index, at: time, width: 64, height: 48))
        }
        video.markAsFinished()
        try await writer.finishWriting()
        return url
    }

    private func samples(_ url: URL, from start: Double = 0) async throws -> [SampleBuffer] {
        let asset = Asset(url: url)
        let track = try #require(try await asset.tracks(withMediaType: .metadata).first)
        let reader = try AssetReader(asset: asset)
        try reader.configure { $0.timeRange = TimeRange(start: Self.seconds(start), end: Self.seconds(2)) }
        let output = try TrackOutput(track: track)
        try reader.add(output)
        try reader.startReading()
        var samples: [SampleBuffer] = []
        while let sample = try await output.next() { samples.append(sample) }
        return samples
    }

    /// Returns the bytes of each packet, by ffprobe.
    private func packets(_ url: URL) throws -> [[UInt8]] {
        let result = try Command.run(
            "ffprobe", "-v", "error", "-select_streams", "d:0", "-show_packets", "-show_data", url.path)
        #expect(result.status == 0, "\(result.errors)")
        var packets: [[UInt8]] = []
        for line in result.text.split(separator: "\n") {
            if line == "[PACKET]" { packets.append([]) }
            // An offset, then sixteen bytes in hexadecimal.
            guard line.dropFirst(8).hasPrefix(": "), !packets.isEmpty else { continue }
            let digits = line.dropFirst(10).prefix(40).filter { $0 != " " }
            packets[packets.count - 1] += stride(from: 0, to: digits.count, by: 2).compactMap { place in
                UInt8(digits.dropFirst(place).prefix(2), radix: 16)
            }
        }
        return packets
    }

    private static func bytes(_ sample: SampleBuffer) -> [UInt8] {
        if case .data(let data) = sample.content { Array(data.bytes) } else { [] }
    }

    @Test func metadata_written_hasThePacketsThatFFprobeFinds() async throws {
        let url = try await movie()
        let stream = try Command.run(
            "ffprobe", "-v", "error", "-select_streams", "d:0", "-show_entries",
            "stream=codec_type,codec_tag_string:packet=pts_time", "-of", "default=nw=1:nk=1", url.path)
        #expect(
            stream.text.split(separator: "\n").sorted() == ["0.000000", "0.500000", "1.000000", "data", "mebx"],
            "\(stream.text)\(stream.errors)")
        let expected = Self.values.map { Self.bytes(Self.format.sample($0, at: .zero)) }
        #expect(try packets(url) == expected)
    }

    @Test func metadata_written_isReadBack() async throws {
        let url = try await movie()
        let asset = Asset(url: url)
        let tracks = try await asset.load(.tracks)
        let track = try #require(tracks.first { $0.mediaType == .metadata })
        #expect(track.formatDescription?.metadata?.keys == Self.format.keys)
        let video = try #require(tracks.first { $0.mediaType == .video })
        #expect(track.associations == [.metadataReferent: [video.id]])
        let found = try await samples(url)
        #expect(found.map { Self.format.values(in: $0) } == Self.values)
        #expect(found.map(\.presentationTime.seconds) == [0, 0.5, 1])
        #expect(found.map { $0.duration?.seconds } == [0.5, 0.5, 1])
        let duration = try await asset.load(.duration)
        #expect(abs(duration.seconds - 2) < 0.01)
    }

    @Test func metadata_timeRange_beginsWithWhatIsValidThere() async throws {
        let found = try await samples(try await movie(), from: 1.2)
        #expect(found.map { Self.format.values(in: $0) } == [Self.values[2]], "\(found)")
    }

    @Test func metadata_copied_isUnchanged() async throws {
        let source = try await movie()
        let hint = try #require(try await Asset(url: source).tracks(withMediaType: .metadata).first?.formatDescription)
        let copy = try await movie("copy.mov", hint: hint, try await samples(source))
        #expect(try packets(copy) == packets(source))
        let format = try await Asset(url: copy).tracks(withMediaType: .metadata).first?.formatDescription
        #expect(format == hint)
    }

    @Test func metadata_beforeTheSession_isKeptIfItIsValidAtItsStart() {
        var entry = SessionEntry(isPassthrough: true)
        entry.begin(at: Self.seconds(1))
        for (index, time) in [0.2, 0.6].enumerated() {
            let admitted = entry.admit(Self.format.sample(Self.values[index], at: Self.seconds(time)))
            #expect(admitted == nil)
        }
        let next = entry.admit(Self.format.sample(Self.values[2], at: Self.seconds(1.5)))
        #expect(next?.earlier.map(\.presentationTime) == [Self.seconds(0.6)])
        #expect(next?.sample.presentationTime == Self.seconds(1.5))
    }

    @Test func input_invalidKeys_isRefused() {
        let keys = [Self.format.keys[0], Self.format.keys[0]]
        for invalid in [[], keys] {
            #expect(
                code {
                    _ = try AssetWriterInput(
                        mediaType: .metadata, outputSettings: nil,
                        sourceFormatHint: .metadata(MetadataFormat(keys: invalid)))
                } == .invalidSettings)
        }
    }

    @Test func sample_otherKeysOrDamaged_isRefused() async throws {
        let other = MetadataFormat(keys: [Self.format.keys[0]])
        let damaged = SampleBuffer(
            format: .metadata(Self.format), content: .data(MediaData([0, 0, 0, 9, 0, 0, 0, 1])),
            presentationTime: .zero)
        for (index, sample) in [other.sample(Self.values[0], at: .zero), damaged].enumerated() {
            let writer = try AssetWriter(outputURL: directory.file("refused\(index).mov"), fileType: .mov)
            let input = try AssetWriterInput(
                mediaType: .metadata, outputSettings: nil, sourceFormatHint: .metadata(Self.format))
            try writer.add(input)
            try writer.startWriting()
            try writer.startSession(atSourceTime: .zero)
            do throws(MediaError) {
                try await input.appendWhenReady(sample)
                Issue.record("sample \(index) was accepted")
            } catch {
                #expect(error.code == .invalidSample)
            }
            writer.cancelWriting()
        }
    }
}
