import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that subtitles and captions are copied as stored, with the references between their tracks.
@Suite(.timeLimit(.minutes(10))) struct CarriedTextTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The sample description after its code: reserved bytes, data reference 1, and the code's own data.
    private static func text(_ code: FourCharCode, _ handler: FourCharCode, _ own: [UInt8]) -> FormatDescription {
        .text(TextFormat(StoredText(handler: handler, code: code, body: [0, 0, 0, 0, 0, 0, 0, 1] + own)))
    }

    private static let webVTT = text("wvtt", "text", [0, 0, 0, 14] + Array("vttCWEBVTT".utf8))
    private static let timed = text("tx3g", "sbtl", Array(repeating: 0, count: 30))
    private static let captions = text("c708", "clcp", [])

    private func seconds(_ value: Double) -> MediaTime { MediaTime(seconds: value, timescale: 1000) }

    /// Two seconds of video. Each text track has a word from 0.5 to 1 s and nothing until 1.5 s.
    private func movie(_ formats: [FormatDescription]) async throws -> URL {
        let url = directory.file("movie.mov")
        let writer = try AssetWriter(outputURL: url, fileType: .mov)
        let video = try AssetWriterInput(
            mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48)))
        try writer.add(video)
        let texts = try formats.map { format in
            let input = try AssetWriterInput(mediaType: .text, outputSettings: nil, sourceFormatHint: format)
            try input.configure {
                $0.languageCode = "deu"
                $0.extendedLanguageTag = "de-CH"
            }
            try writer.add(input)
            return input
        }
        if texts.count > 1 {
            try texts[0].addTrackAssociation(withTrackOf: texts[1], type: .forcedSubtitlesOnly)
            try writer.add(InputGroup(inputs: texts, defaultInput: texts[1]))
        }
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        for (input, format) in zip(texts, formats) {
            for (start, end, byte) in [(0.5, 1.0, UInt8(0x41)), (1.0, 1.5, 0x00)] {
                try await input.appendWhenReady(
                    SampleBuffer(
                        format: format, content: .data(MediaData([0, 3, byte, byte, byte])),
                        presentationTime: seconds(start), duration: seconds(end - start)))
            }
            input.markAsFinished()
        }
        for index in 0..<50 {
            let time = MediaTime(value: Int64(index), timescale: 25)
            try await video.appendWhenReady(SyntheticMedia.videoSample(index, at: time, width: 64, height: 48))
        }
        video.markAsFinished()
        try await writer.finishWriting()
        return url
    }

    /// libavformat returns the subtitles of fragments without durations.
    @Test func passthrough_cutOfAFragmentedMovie_keepsItsSubtitles() async throws {
        let words = "1\n00:00:00,500 --> 00:00:02,000\nHello\n\n2\n00:00:02,000 --> 00:00:03,500\nWorld\n"
        try Data(words.utf8).write(to: directory.file("words.srt"))
        let source = directory.file("fragments.mp4")
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=4", "-i",
            directory.path("words.srt"), "-map", "0", "-map", "1", "-c:v", "libx264", "-bf", "0", "-g", "25", "-c:s",
            "mov_text",
            "-movflags", "frag_keyframe+empty_moov", source.path)
        #expect(made.status == 0, "\(made.errors)")
        let asset = Asset(url: source)
        let track = try #require(try await asset.tracks(withMediaType: .text).first)
        let packets = try TrackPackets(path: source.path, track: track.index, skipsDamage: false)
        try packets.start(at: .zero, preroll: .zero, isDecoded: false)
        var ends: [Double] = []
        while let packet = try packets.next() {
            ends.append((packet.start + (packet.sample.duration ?? .zero)).seconds)
        }
        #expect(packets.isAtEnd && ends.prefix(3).map { ($0 * 10).rounded() / 10 } == [0.5, 2, 3.5], "\(ends)")
        let copy = try await ExportedCopy(of: source, in: directory, preset: .passthrough) {
            $0.timeRange = TimeRange(start: seconds(1), end: seconds(3))
        }
        let found = try await texts(copy.url)
        #expect(found.count == 1 && found[0].samples.count >= 2)
    }

    private struct Found: Equatable {
        var format: FormatDescription?
        var language: String?
        var isEnabled: Bool
        var samples: [String]
    }

    /// The text of a file, as it is stored.
    private func texts(_ url: URL) async throws -> [Found] {
        let asset = Asset(url: url)
        var found: [Found] = []
        for track in try await asset.tracks(withMediaType: .text) {
            let reader = try AssetReader(asset: asset)
            let output = try TrackOutput(track: track)
            try reader.add(output)
            try reader.startReading()
            var samples: [String] = []
            while let sample = try await output.next() {
                guard case .data(let data) = sample.content else { continue }
                let length = sample.duration?.seconds ?? -1
                samples.append("\(sample.presentationTime.seconds) \(length) \(Array(data.bytes))")
            }
            found.append(
                Found(
                    format: track.formatDescription, language: track.extendedLanguageTag, isEnabled: track.isEnabled,
                    samples: samples))
        }
        return found
    }

    @Test(arguments: [ExportPreset.highQuality, .passthrough]) func export_textOfEveryFormat_isUnchanged(
        preset: ExportPreset
    ) async throws {
        let formats = [Self.webVTT, Self.timed, Self.captions]
        let source = try await movie(formats)
        let before = try await texts(source)
        #expect(before.map(\.format) == formats && before.map(\.language) == ["de-CH", "de-CH", "de-CH"])
        #expect(before.map(\.isEnabled) == [false, true, false])
        #expect(
            before.allSatisfy { $0.samples == ["0.5 0.5 [0, 3, 65, 65, 65]", "1.0 0.5 [0, 3, 0, 0, 0]"] }, "\(before)")
        let copy = try await ExportedCopy(of: source, in: directory, preset: preset)
        #expect(copy.session.report.leftOut == [])
        #expect(try await texts(copy.url) == before)
        let tracks = try await Asset(url: copy.url).tracks(withMediaType: .text)
        #expect(tracks[0].associations[.forcedSubtitlesOnly] == [tracks[1].id])
        let groups = try Command.run("mediainfo", "--Inform=Text;%AlternateGroup% ", copy.url.path).text
        #expect(groups.split(whereSeparator: \.isWhitespace).count(where: { $0 == "1" }) == 3, "\(groups)")
    }

    @Test(arguments: ["mp4", "m4v"]) func export_textUnsupportedByMPEG4_isReported(type: String) async throws {
        let source = try await movie([Self.webVTT, Self.timed, Self.captions])
        let copy = try await ExportedCopy(of: source, in: directory, as: type)
        #expect(copy.session.report.leftOut.count == 1, "\(copy.session.report.leftOut)")
        #expect(copy.session.report.leftOut.first?.contains("MPEG-4 does not support it; write .mov") == true)
        let found = try await texts(copy.url)
        #expect(found == Array(try await texts(source).prefix(2)))
        // And back.
        let again = try await ExportedCopy(of: copy.url, in: directory)
        #expect(again.session.report.leftOut == [])
        #expect(try await texts(again.url) == found)
    }

    @Test func export_timeRange_trimsText() async throws {
        let source = try await movie([Self.timed])
        let copy = try await ExportedCopy(of: source, in: directory) {
            $0.timeRange = TimeRange(start: seconds(0.72), end: seconds(1.2))
        }
        let found = try await texts(copy.url)
        // The word that is shown at the start of the range is present from its start.
        #expect(found.first?.samples.count == 2, "\(found)")
        let duration = try await Asset(url: copy.url).load(.duration)
        #expect(abs(duration.seconds - 0.48) < 0.01)
    }
}
