import TestSupport
import AssetIO
import Foundation
import MediaTypes
import Testing

@Suite struct MovieOfSyntheticMediaTests {
    @Test func aLiveRecordingBecomesAnOrdinaryMovie() async throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("movie.mov")
        let writer = try AssetWriter(outputURL: url)
        let video = try AssetWriterInput(
            mediaType: .video, outputSettings: .video(VideoSettings(width: 320, height: 180)))
        let audio = try AssetWriterInput(
            mediaType: .audio, outputSettings: .audio(AudioSettings(sampleRate: 48_000, channelCount: 2)),
            sourceFormatHint: .audio(SyntheticMedia.pcm))
        try video.configure { $0.expectsMediaDataInRealTime = true; $0.realTimeBudget.duration = MediaTime(value: 60, timescale: 1) }
        try audio.configure { $0.expectsMediaDataInRealTime = true; $0.realTimeBudget.duration = MediaTime(value: 60, timescale: 1) }
        try writer.add(video)
        try writer.add(audio)
        try writer.startWriting()
        let start = MediaTime(value: 1_000_000_123, timescale: 1_000_000)
        try writer.startSession(atSourceTime: start)
        for number in 0..<150 {
            let time = start + MediaTime(value: Int64(number), timescale: 30).converted(to: 1_000_000)
            #expect(try video.append(SyntheticMedia.frame(number, at: time)))
            #expect(try audio.append(SyntheticMedia.tone(from: number * 1600, count: 1600, at: start + MediaTime(value: Int64(number * 1600), timescale: 48_000))))
        }
        try await writer.finishWriting()
        #expect(writer.status == .completed)
        #expect(video.ledger.captured == 150 && video.ledger.written == 150)
        #expect(audio.ledger.captured == 240_000 && audio.ledger.written == 240_000)
        print(url.path)
        if let keep = ProcessInfo.processInfo.environment["KEEP"] { try? FileManager.default.copyItem(at: url, to: URL(fileURLWithPath: keep)) }
    }
}
