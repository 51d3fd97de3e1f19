import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that a file's metadata is read, and is kept when the file is copied.
@Suite struct CarriedFactsTests {
    private static let facts = [
        "title": "The walk", "artist": "A. N. Other", "comment": "Well lit", "date": "2024", "genre": "Test",
        "copyright": "Family", "make": "Acme", "model": "M-1", "location": "+47.3769+008.5417+408/",
        "com.apple.quicktime.author": "A Writer",
    ]

    /// Copies the first tracks as they are stored, with all metadata of the movie.
    private func copy(_ url: URL, to target: URL) async throws {
        let asset = Asset(url: url)
        let writer = try AssetWriter(outputURL: target)
        let type = try #require(FileType(fileExtension: target.pathExtension))
        let metadata = MetadataItem.movieItems(fromStored: try await asset.load(.metadata), for: type)
        try writer.configure { $0.metadata = metadata }
        let reader = try AssetReader(asset: asset)
        var pairs: [(TrackOutput, AssetWriterInput.SampleBufferReceiver)] = []
        for track in try await asset.load(.tracks) where track.mediaType == .video || track.mediaType == .audio {
            let output = try TrackOutput(track: track)
            try reader.add(output)
            let input = try AssetWriterInput(
                mediaType: track.mediaType, outputSettings: nil, sourceFormatHint: track.formatDescription)
            try input.configure {
                $0.transform = track.preferredTransform
                $0.languageCode = track.languageCode ?? "und"
            }
            pairs.append((output, try writer.inputReceiver(for: input)))
        }
        try reader.startReading()
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (output, receiver) in pairs {
                group.addTask {
                    while let sample = try await output.next() { try await receiver.append(sample) }
                    receiver.finish()
                }
            }
            try await group.waitForAll()
        }
        try await writer.finishWriting()
    }

    private func tags(_ url: URL) throws -> [String: String] {
        let tags = try Probe(url.path).format.tags ?? [:]
        return Dictionary(tags.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    }

    @Test(arguments: ["mov", "mp4", "mkv", "m4a", "mp3", "avi"], ["mov", "mp4"])
    func copy_keepsMetadata(_ source: String, _ target: String) async throws {
        let fixture = try ReadingFixture()
        let isAudio = source == "m4a" || source == "mp3"
        // AVI stores frames without presentation times, and our containers need them.
        let url = try fixture.make(
            "source.\(source)", isAudio ? [ReadingFixture.tone] : [ReadingFixture.frame],
            (isAudio ? [] : ["-c:v", source == "avi" ? "mpeg4" : "libx264", "-pix_fmt", "yuv420p", "-bf", "0"])
                + ["-movflags", "use_metadata_tags"].filter { _ in source == "mov" }
                + Self.facts.flatMap { ["-metadata", "\($0.key)=\($0.value)"] })
        let before = try tags(url)
        #expect(before["title"] == "The walk" && before["artist"] == "A. N. Other")
        let made = fixture.directory.file("copy.\(target)")
        if source == "mp3" {
            // Our .mp4 cannot store MP3, and this check needs no file.
            let items = MetadataItem.movieItems(
                fromStored: try await Asset(url: url).load(.metadata), for: target == "mov" ? .mov : .mp4)
            #expect(items.contains { $0.key == "©nam" && $0.value == "The walk" })
            return
        }
        try await copy(url, to: made)
        let after = try tags(made)
        for (key, _) in Self.facts {
            guard let value = before[key] else { continue }
            #expect(after[key] == value, "\(key): \(after)")
        }
        // The second copy equals the first.
        let again = fixture.directory.file("again.\(target)")
        try await copy(made, to: again)
        let repeated = try tags(again)
        for (key, _) in Self.facts { #expect(repeated[key] == after[key], "\(key)") }
        let information = try Command.run("mediainfo", made.path).text
        for text in ["The walk", "A. N. Other", "Well lit"] { #expect(information.contains(text), "\(information)") }
    }

    @Test(arguments: ["mov", "mp4"]) func metadata_everyKey_roundTrips(_ type: String) async throws {
        let names = [
            "title", "artist", "author", "album", "album_artist", "comment", "date", "genre", "copyright",
            "description",
            "composer", "director", "producer", "performers", "make", "model", "grouping", "lyrics", "host_computer",
            "disclaimer", "warning", "original_source", "original_format", "synopsis", "show", "network", "episode_id",
            "anything", "com.apple.quicktime.camera.identifier",
        ]
        let stored = names.map { MetadataItem(key: $0, value: "the \($0)") } + [MetadataItem(key: "track", value: "3")]
        let directory = try TemporaryDirectory()
        let url = directory.file("own.\(type)")
        let writer = try AssetWriter(outputURL: url)
        let fileType = try #require(FileType(fileExtension: type))
        try writer.configure { $0.metadata = MetadataItem.movieItems(fromStored: stored, for: fileType) }
        let input = try AssetWriterInput(
            mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48)))
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        try input.append(SyntheticMedia.videoSample(0, at: .zero, width: 64, height: 48))
        try writer.endSession(atSourceTime: MediaTime(value: 1, timescale: 10))
        try await writer.finishWriting()
        let read = try tags(url)
        for name in names { #expect(read[name] == "the \(name)", "\(name): \(read[name] ?? "nothing")") }
        #expect(read["track"] == "3")
    }

    @Test func metadata_storedItems_areMappedWithoutBookkeeping() {
        let stored = [
            ("major_brand", "qt  "), ("ENCODER", "Lavf"), ("HANDLER_NAME", "x"), ("vendor_id", "FFMP"),
            ("DURATION", "1"),
            ("_STATISTICS_TAGS", "BPS"), ("BPS-eng", "12"), ("iTunSMPB", "0"), ("recorder.ledger", "{}"),
            ("title", "Der Gang"), ("title-deu", "Der Gang"), ("TRACK", "3/12"),
            ("creation_time", "2024-02-29T12:34:56Z"),
            ("com.example.Own", "1"), ("colour", "blue"), ("location-eng", "+1+2/"),
        ].map { MetadataItem(key: $0.0, value: $0.1) }
        let mov = MetadataItem.movieItems(fromStored: stored)
        #expect(
            mov.map(\.key) == [
                "©nam", "track", MetadataItem.creationDateKey, "com.example.Own", "colour", "©xyz",
            ])
        #expect(mov.map(\.keySpace).prefix(2) == [.quickTimeUserData, .quickTimeMetadata])
        let mp4 = MetadataItem.movieItems(fromStored: stored, for: .mp4)
        #expect(mp4.first == MetadataItem(keySpace: .iTunes, key: "©nam", content: .text("Der Gang")))
        #expect(mp4.contains(MetadataItem(keySpace: .iTunes, key: "trkn", content: .integer(3))))
        let own = MetadataItem(keySpace: .iTunes, key: "covr", content: .png([1]))
        #expect(MetadataItem.movieItems(fromStored: [own]) == [own])
    }

    @Test(arguments: ["cover.m4a", "cover.mp3", "cover.flac", "cover.mkv"])
    func coverImage_readAndCopied_isKept(_ name: String) async throws {
        let fixture = try ReadingFixture()
        let frame = try fixture.make("cover.png", ["color=red:s=16x16:d=0.04"], ["-frames:v", "1"])
        let tone = try fixture.make("tone.m4a", [ReadingFixture.tone], ["-c:a", "aac"])
        let url = fixture.directory.file(name)
        let codec = name.hasSuffix("mp3") ? "libmp3lame" : name.hasSuffix("flac") ? "flac" : "copy"
        let frames =
            name.hasSuffix("mkv")
            ? ["-attach", frame.path, "-metadata:s:t", "mimetype=image/png", "-map", "0"]
            : ["-i", frame.path, "-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v", "attached_pic"]
        let made = try Command.run(["ffmpeg", "-v", "error", "-i", tone.path] + frames + ["-c:a", codec, url.path])
        try #require(made.status == 0, "\(made.errors)")
        let bytes = Array(try Data(contentsOf: frame))
        let covers = try await Asset(url: url).load(.metadata).filter { $0.key == "covr" }
        #expect(covers.map(\.content) == [.png(bytes)])
        guard codec == "copy" else { return }
        let copied = fixture.directory.file("copy.m4a")
        try await copy(url, to: copied)
        #expect(try await Asset(url: copied).load(.metadata).contains { $0.content == .png(bytes) })
        let probe = try Probe(copied.path)
        #expect(probe.streams.contains { $0.codecName == "png" })
    }

    @Test func reader_cleanAperture_isRead() async throws {
        let directory = try TemporaryDirectory()
        let aperture = CleanAperture(width: 60, height: 40, horizontalOffset: 2, verticalOffset: -2)
        for name in ["own.mov", "own.mp4"] {
            let writer = try AssetWriter(outputURL: directory.file(name))
            let input = try AssetWriterInput(
                mediaType: .video,
                outputSettings: .video(VideoSettings(width: 64, height: 48, cleanAperture: aperture)))
            try writer.add(input)
            try writer.startWriting()
            try writer.startSession(atSourceTime: .zero)
            try input.append(SyntheticMedia.videoSample(0, at: .zero, width: 64, height: 48))
            try writer.endSession(atSourceTime: MediaTime(value: 1, timescale: 10))
            try await writer.finishWriting()
            let (reader, output) = try await AssetReader.reading(writer.outputURL, .video, nil)
            #expect(output.track.formatDescription?.video?.cleanAperture == aperture)
            #expect(output.copyNextSampleBuffer()?.format.video?.cleanAperture == aperture)
            reader.cancelReading()
        }
    }

    @Test(arguments: [("10:00:00:12", "30"), ("01:00:00;02", "30000/1001")])
    func timecode_inATrackOrATag_isRead(_ text: String, _ rate: String) async throws {
        let fixture = try ReadingFixture()
        let source = "testsrc2=s=64x48:r=\(rate):d=0.5"
        let movie = try fixture.make("code.mov", [source], ["-c:v", "libx264", "-timecode", text])
        let tagged = try fixture.make("code.mkv", [source], ["-c:v", "libx264", "-metadata", "timecode=\(text)"])
        for url in [movie, tagged] {
            let timecode = try #require(try await Asset(url: url).load(.timecode))
            #expect(timecode.text == text)
            #expect(timecode.format.framesPerSecond == 30 && timecode.format.dropsFrames == text.contains(";"))
            let duration = timecode.format.frameDuration.seconds
            #expect(abs(duration - (text.contains(";") ? 1001.0 / 30_000 : 1.0 / 30)) < 0.0001)
        }
        // The track's sample is the frame number.
        let track = try #require(try await Asset(url: movie).tracks(withMediaType: .timecode).first)
        #expect(track.formatDescription?.timecode != nil)
        let (_, output) = try await AssetReader.reading(movie, .timecode, nil)
        let number = output.copyNextSampleBuffer()?.bytes.reduce(0) { $0 << 8 | UInt32($1) }
        #expect(number == (try await Asset(url: movie).load(.timecode)?.frameNumber))
    }
}
