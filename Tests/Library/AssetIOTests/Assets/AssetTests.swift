import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of asset properties of files that other programs made.
@Suite struct AssetTests {
    @Test(arguments: ["movie.mov", "movie.mp4", "movie.mkv", "movie.ts", "movie.avi"])
    func asset_tracks_matchFFprobe(_ name: String) async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            name, [ReadingFixture.frame, ReadingFixture.tone],
            [
                "-c:v", name.hasSuffix("avi") ? "mpeg4" : "libx264", "-aspect", "16:9", "-pix_fmt", "yuv420p", "-c:a",
                "aac", "-metadata:s:a", "language=fra",
            ])
        let asset = Asset(url: url)
        let (duration, tracks) = try await asset.load(.duration, .tracks)
        let probe = try Probe(url.path)
        #expect(abs(duration.seconds - 1) < 0.06)
        #expect(tracks.map(\.mediaType) == [.video, .audio])
        let (video, audio) = (tracks[0], tracks[1])
        #expect(video.codecName == probe.video?.codecName && audio.codecName == "aac")
        // ffmpeg writes the display width into MPEG-4's header, and the stored width elsewhere.
        let width = name.hasSuffix("mp4") ? 170.667 : 128
        #expect(abs(video.naturalSize.width - width) < 0.01 && video.naturalSize.height == 96)
        #expect(video.codedSize == CGSize(width: 128, height: 96))
        #expect(video.formatDescriptions == [try #require(video.formatDescription)])
        // 4:3 pixels: 128 of them are as wide as 16:9 of 96 rows.
        #expect(video.presentationDimensions == CGSize(width: 171, height: 96))
        #expect(abs(video.nominalFrameRate - 30) < 0.01)
        #expect(abs(video.minFrameDuration.seconds - 1.0 / 30) < 1e-6)
        #expect(video.preferredTransform == .identity && video.isEnabled && audio.isEnabled)
        #expect(audio.formatDescription?.audio?.sampleRate == 48_000)
        if !name.hasSuffix("avi") { #expect(audio.languageCode == "fra") }
        #expect(String(video.naturalTimeScale) == probe.video?.timeBase?.split(separator: "/").last.map(String.init))
        #expect(abs(video.timeRange.end.seconds - 1) < 0.06)
        #expect(try await asset.tracks(withMediaType: .audio).map(\.id) == [audio.id])
        #expect(try await asset.tracks(withMediaCharacteristic: .visual).map(\.id) == [video.id])
        #expect(try await asset.load(.isReadable))
    }

    @Test func asset_fileWithoutIndex_hasEstimatedAndPreciseDuration() async throws {
        let fixture = try ReadingFixture()
        // Silence first, then noise: the bit rate of the beginning does not represent the rest.
        let url = try fixture.make(
            "raw.aac", ["aevalsrc='if(lt(t,1),0,random(0)*0.5)':s=48000:d=6"], ["-c:a", "aac", "-b:a", "128k"])
        let estimated = try await Asset(url: url).load(.duration)
        let asset = Asset(url: url, prefersPreciseDurationAndTiming: true)
        let precise = try await asset.load(.duration)
        #expect(abs(precise.seconds - 6) < 0.05, "\(precise)")
        #expect(abs(estimated.seconds - precise.seconds) > 0.2, "\(estimated)")
        #expect(try await asset.load(.providesPreciseDurationAndTiming))
        #expect(try await !Asset(url: url).load(.providesPreciseDurationAndTiming))
        // With an index there is one answer.
        let movie = try fixture.movie()
        let quick = try await Asset(url: movie).load(.duration)
        #expect(try await Asset(url: movie, prefersPreciseDurationAndTiming: true).load(.duration) == quick)
        #expect(quick.seconds == 1)
    }

    /// A live recording of a browser, a part of one, and a stream without a container state no duration.
    @Test(arguments: ["live.webm", "half.webm", "raw.h264"])
    func asset_durationNotStated_isMeasured(_ name: String) async throws {
        let fixture = try ReadingFixture()
        let isStream = name == "raw.h264"
        let made = try Command.run(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", ReadingFixture.frame]
                + (isStream
                    ? ["-c:v", "libx264", "-f", "h264", "-"]
                    : ["-c:v", "libvpx", "-deadline", "realtime", "-g", "5", "-f", "webm", "-live", "1", "-"]))
        #expect(made.status == 0, "\(made.errors)")
        let url = fixture.directory.file(name)
        try made.output.prefix(name == "half.webm" ? made.output.count / 2 : made.output.count).write(to: url)
        let asset = Asset(measuringUnknownDurationOf: url)
        let (duration, tracks) = try await asset.load(.duration, .tracks)
        let expected = name == "half.webm" ? 0.1...0.9 : 0.95...1.05
        #expect(expected.contains(duration.seconds) && tracks.map(\.timeRange.end) == [duration], "\(duration)")
        // A stated duration is kept, even if it is an estimate.
        let stated = try fixture.make("raw.aac", [ReadingFixture.tone], ["-c:a", "aac"])
        let estimate = try await Asset(url: stated).load(.duration)
        let other = Asset(measuringUnknownDurationOf: stated)
        #expect(try await other.load(.duration) == estimate)
        #expect(try await !other.load(.providesPreciseDurationAndTiming))
    }

    @Test func asset_properties_haveSeparateStatuses() async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try fixture.movie())
        guard case .unknown = asset.status(of: .duration) else {
            Issue.record("it was not asked for")
            return
        }
        let duration = try await asset.load(.duration)
        guard case .loaded(duration) = asset.status(of: .duration), case .unknown = asset.status(of: .chapters) else {
            Issue.record("only the duration was asked for")
            return
        }
        _ = try await asset.load(.chapters)
        guard case .loaded([]) = asset.status(of: .chapters) else {
            Issue.record("not loaded")
            return
        }
    }

    @Test func load_cancelled_canBeRetried() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make("raw.aac", [ReadingFixture.tone], ["-c:a", "aac"])
        let asset = Asset(url: url, prefersPreciseDurationAndTiming: true)
        let task = Task {
            // Cancelled before it begins, so that the result does not depend on timing.
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await asset.load(.duration)
        }
        let error = await #expect(throws: MediaError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        guard case .cancelled = asset.status(of: .duration) else {
            Issue.record("not cancelled")
            return
        }
        asset.cancelLoading()
        #expect(abs(try await asset.load(.duration).seconds - 1) < 0.05)
    }

    @Test func asset_metadataChaptersAndDate_areRead() async throws {
        let fixture = try ReadingFixture()
        let chapters = fixture.directory.file("chapters.txt")
        try Data(
            """
            ;FFMETADATA1
            title=The walk
            [CHAPTER]
            TIMEBASE=1/1000
            START=0
            END=400
            title=One
            [CHAPTER]
            TIMEBASE=1/1000
            START=400
            END=1000
            title=Two
            """.utf8
        ).write(to: chapters)
        for name in ["chapters.mov", "chapters.mkv"] {
            let movie = try fixture.movie()
            let url = fixture.directory.file(name)
            let made = try Command.run(
                "ffmpeg", "-v", "error", "-i", movie.path, "-i", chapters.path, "-map", "0", "-map_metadata", "1",
                "-map_chapters", "1", "-c", "copy", "-metadata", "creation_time=2024-02-29T12:34:56Z", url.path)
            #expect(made.status == 0, "\(made.errors)")
            let asset = Asset(url: url)
            let list = try await asset.load(.chapters)
            #expect(list.map(\.title) == ["One", "Two"])
            #expect(list.map(\.timeRange.start.seconds) == [0, 0.4])
            #expect(abs((list.last?.timeRange.end.seconds ?? 0) - 1) < 0.001)
            #expect(
                try await asset.load(.metadata).contains { $0.key.lowercased() == "title" && $0.value == "The walk" })
            #expect(try await asset.load(.creationDate) == Date(timeIntervalSince1970: 1_709_210_096))
            if name.hasSuffix("mov") {
                let tracks = try await asset.load(.tracks)
                let titles = try #require(tracks.first { $0.mediaType == .text })
                #expect(tracks[0].associations[.chapterList] == [titles.id])
            }
        }
    }

    @Test func asset_rotatedMovie_hasItsTransform() async throws {
        let fixture = try ReadingFixture()
        let turned = try fixture.movie()
        try MovieRotation.set(clockwise: 270, in: turned)
        let track = try #require(try await Asset(url: turned).tracks(withMediaType: .video).first)
        let transform = track.preferredTransform
        let shown = try Probe.ask(turned.path, "stream_side_data=displaymatrix", of: "v").text
        // Lines of an offset and three numbers.
        let matrix = shown.split(whereSeparator: \.isNewline).flatMap { line in
            line.split(separator: ":").last?.split(separator: " ").compactMap { Double($0) } ?? []
        }
        try #require(matrix.count >= 9, "\(shown)")
        let ours = [transform.m11, transform.m12, transform.m21, transform.m22].map { Double($0) * 65536 }
        for (one, other) in zip(ours, [matrix[0], matrix[1], matrix[3], matrix[4]]) { #expect(abs(one - other) < 1) }
        #expect(transform.m11 == 0 && abs(transform.m12) == 1)
    }

    @Test func asset_movieOfOurWriter_isRead() async throws {
        let directory = try TemporaryDirectory()
        let writer = try AssetWriter(outputURL: directory.file("own.mov"))
        let input = try AssetWriterInput(
            mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48)))
        try input.configure {
            $0.languageCode = "deu"
            $0.transform = AffineTransform(m11: 0, m12: 1, m21: -1, m22: 0, tX: 48, tY: 0)
        }
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        for number in 0..<10 {
            #expect(eventually { input.isReadyForMoreMediaData })
            try input.append(
                SyntheticMedia.videoSample(
                    number, at: MediaTime(value: Int64(number), timescale: 10), width: 64, height: 48))
        }
        try writer.endSession(atSourceTime: MediaTime(value: 1, timescale: 1))
        try await writer.finishWriting()
        let asset = Asset(url: writer.outputURL)
        let (duration, tracks) = try await asset.load(.duration, .tracks)
        let probe = try Probe(writer.outputURL.path)
        #expect(abs(duration.seconds - probe.format.seconds) < 0.001)
        let track = try #require(tracks.first)
        #expect(track.languageCode == "deu")
        #expect(track.preferredTransform == AffineTransform(m11: 0, m12: 1, m21: -1, m22: 0, tX: 48, tY: 0))
        let (reader, output) = try await AssetReader.reading(writer.outputURL, .video, .pixels(.gray8))
        let levels = output.all().map { Int($0.visible[0]) }
        #expect(reader.status == .completed && levels.count == 10)
        for (number, level) in levels.enumerated() { #expect(abs(level - Int(SyntheticMedia.luma(number))) <= 2) }
    }
}
