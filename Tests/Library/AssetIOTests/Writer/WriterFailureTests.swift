import Foundation
import Glibc
import MediaTypes
import MovieFile
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of disks that fill up, fail or stall, and of encoders that cannot encode their input.
@Suite struct WriterFailureTests {
    /// A holder of the disk that a writer opened, for the test to inspect.
    private final class DiskHolder: Sendable {
        let disk = Locked<FaultyDisk?>(nil)
        var current: FaultyDisk { disk.withLock { $0! } }
    }

    private func fixture(_ holder: DiskHolder = DiskHolder(), failingWrite: Int? = nil, failure: Int32 = ENOSPC) throws
        -> WriterFixture
    {
        try WriterFixture {
            $0.openFile = { path throws(MediaError) in
                let disk = try FaultyDisk(path, failingWrite: failingWrite, failure: failure)
                holder.disk.withLock { $0 = disk }
                return disk
            }
        }
    }

    @Test(arguments: [1, 2, 4]) func writer_diskFull_failsAndKeepsWhatWasSynced(failingWrite: Int) async throws {
        let fixture = try fixture(failingWrite: failingWrite)
        let video = try fixture.addVideo()
        let audio = try fixture.addAudio()
        try fixture.begin()
        for number in 0..<180 {
            try fixture.appendFrames(number..<(number + 1), to: video)
            try fixture.appendTone(number..<(number + 1), to: audio)
        }
        #expect(eventually { fixture.writer.status == .failed })
        #expect(fixture.writer.error?.code == .diskFull)
        let error = await #expect(throws: MediaError.self) { try await fixture.writer.finishWriting() }
        #expect(error?.code == .diskFull)
        // Later samples are counted too.
        #expect(try !video.append(SyntheticMedia.videoSample(180, at: WriterFixture.time(7), width: 64, height: 48)))
        for input in [video, audio] {
            #expect(eventually { input.ledger.isBalanced })
            #expect(input.ledger[dropped: .disk] > 0 && input.ledger.droppedInAll == input.ledger[dropped: .disk])
        }
        #expect(video.ledger.captured == 181 && audio.ledger.captured == 288_000)
        #expect(fixture.directory.names == ["movie.recording.mov"])

        guard failingWrite > 1 else { return #expect(video.ledger.written == 0) }
        let file = try DiskFile(path: fixture.writer.temporaryURL.path, mode: .update)
        let report = try MovieFinisher.finish(file)
        // Synced samples count as written; the readable part of the failed fragment is kept too.
        let kept = report.sampleCounts[1] ?? 0
        #expect(kept >= video.ledger.written && report.wasTorn)
        let probe = try Probe(fixture.writer.temporaryURL.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == Int(kept))
    }

    @Test func writer_diskFails_reportsAnIOFailure() throws {
        let fixture = try fixture(failingWrite: 2, failure: EIO)
        let video = try fixture.addVideo()
        try fixture.begin()
        try fixture.appendFrames(0..<90, to: video)
        #expect(eventually { fixture.writer.error?.code == .ioFailure })
        #expect(eventually { video.ledger.isBalanced } && video.ledger[dropped: .disk] > 0)
    }

    @Test func writer_diskFullAtTheEnd_leavesARepairableRecording() async throws {
        // One write for the first fragment, one for the rest; the third is the final header.
        let fixture = try fixture(failingWrite: 3)
        let video = try fixture.addVideo()
        try fixture.begin()
        try fixture.appendFrames(0..<20, to: video)
        let error = await #expect(throws: MediaError.self) { try await fixture.writer.finishWriting() }
        #expect(error?.code == .diskFull && fixture.writer.status == .failed)
        #expect(fixture.directory.names == ["movie.recording.mov"])
        #expect(video.ledger.written == 20 && video.ledger.isBalanced)
        let file = try DiskFile(path: fixture.writer.temporaryURL.path, mode: .update)
        #expect(try MovieFinisher.finish(file).sampleCounts[1] == 20)
        #expect(try Probe(fixture.writer.temporaryURL.path, decodes: true).video?.frames == 20)
    }

    @Test func writer_diskStalls_neverBlocksCaptureAndBoundsMemory() async throws {
        let holder = DiskHolder()
        let fixture = try fixture(holder)
        // Packets of 1 MiB that share their memory, for a track that stores them as they are.
        let format = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 48))
        let video = try fixture.add(.video, nil, hint: format)
        let packet = MediaData([UInt8](repeating: 7, count: 1 << 20))
        try fixture.writer.startWriting()
        holder.current.stall()
        try fixture.writer.startSession(atSourceTime: .zero)
        var count: Int64 = 0
        func append() throws -> Bool {
            count += 1
            return try video.append(
                SampleBuffer(
                    format: format, content: .data(packet), presentationTime: MediaTime(value: count, timescale: 100)))
        }
        // The backlog for the disk, and nothing more.
        let most = Int64(Muxer.backlogLimit >> 20) + 1
        for _ in 0..<most { #expect(try append()) }
        for _ in 0..<300 { #expect(try !append()) }
        #expect(video.queueDepth == 0 && video.ledger[dropped: .disk] == 300 && video.ledger.pending == most)
        #expect(!video.isReadyForMoreMediaData)
        holder.current.resume()
        try await fixture.writer.finishWriting()
        #expect(video.ledger.isBalanced && video.ledger.captured == count)
        #expect(try Probe(fixture.path).video?.nbFrames == String(video.ledger.written))
    }

    @Test func writer_frameCannotBeDecoded_countsItAndContinues() async throws {
        let fixture = try WriterFixture()
        let format = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 48))
        let video = try fixture.add(.video, .video(VideoSettings(width: 64, height: 48)), hint: format)
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48", "-frames:v", "1", "-pix_fmt", "yuvj422p",
            "-f", "mjpeg", "-")
        let jpeg = [UInt8](made.output)
        try fixture.begin()
        for number in 0..<30 {
            let bytes = number % 10 == 3 ? Array(jpeg.prefix(100 + number)) : jpeg
            let sample = SampleBuffer(
                format: format, content: .data(MediaData(bytes)),
                presentationTime: WriterFixture.time(Double(number) / 30))
            #expect(try video.append(sample))
        }
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == 27 && video.ledger[dropped: .corrupt] == 3 && video.ledger.isBalanced)
        #expect(try Probe(fixture.path, decodes: true).video?.frames == 27)
        #expect(try MovieSummary(contentsOf: fixture.writer.outputURL).ledger?["video"] == video.ledger)
    }

    @Test func writer_oneTrackFails_continuesAndBalancesTheLedger() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        // The input has no format hint; an encoder for the appended format cannot be opened.
        let audio = try fixture.add(.audio, .audio(AudioSettings(sampleRate: 48_000, channelCount: 2)))
        try fixture.begin()
        let format = AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 2)
        let packet = SampleBuffer(
            format: .audio(format), content: .data(MediaData([1, 2, 3])), presentationTime: WriterFixture.start,
            sampleCount: 3000)
        #expect(try audio.append(packet))
        try fixture.appendFrames(0..<30, to: video)
        try await fixture.writer.finishWriting()
        #expect(audio.ledger.isBalanced && audio.ledger.captured == 3000 && audio.ledger.written == 0)
        #expect(try Probe(fixture.path, decodes: true).video?.frames == 30)
        #expect(try Probe(fixture.path).streams.count == 1)
    }

    @Test func writer_lastTrackFails_reportsItAndFails() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        try fixture.begin()
        // A compressed frame that cannot be decoded here.
        let sample = SampleBuffer(
            format: .video(VideoFormat(codec: .hevc, width: 64, height: 48)), content: .data(MediaData([1])),
            presentationTime: WriterFixture.start)
        #expect(try video.append(sample))
        var kinds: [String] = []
        for await event in fixture.writer.events {
            switch event {
            case .began: kinds.append("began")
            case .inputFailed(let type, let error): kinds.append("\(type) \(error.code)")
            case .failed(let error): kinds.append("failed \(error.code)")
            case .completed: kinds.append("completed")
            }
        }
        #expect(kinds == ["video unsupported", "failed unsupported"])
        #expect(video.error?.code == .unsupported && video.ledger[dropped: .encoder] == 1 && video.ledger.isBalanced)
        #expect(try !video.append(sample.at(WriterFixture.time(1))) && video.ledger.isBalanced)
    }

    @Test func writer_audioDeliveredTwice_isCutAndCounted() async throws {
        let fixture = try WriterFixture()
        let audio = try fixture.addAudio(AudioSettings(codec: .linearPCM))
        try fixture.begin()
        try fixture.appendTone(0..<30, to: audio)
        #expect(try audio.append(SyntheticMedia.tone(from: 38_400, count: 9600, at: WriterFixture.time(0.8))))
        try await fixture.writer.finishWriting()
        #expect(audio.ledger.captured == 57_600 && audio.ledger.written == 48_000)
        #expect(audio.ledger[dropped: .corrupt] == 9600 && audio.ledger.isBalanced)
        #expect(abs(try Probe(fixture.path).format.seconds - 1) < 0.001)
    }

    @Test func writer_audioGap_isFilledWithSilenceAndReported() async throws {
        let fixture = try WriterFixture()
        let audio = try fixture.addAudio(AudioSettings(codec: .linearPCM))
        try fixture.begin()
        try fixture.appendTone(0..<15, to: audio)
        try fixture.appendTone(30..<45, to: audio)
        try await fixture.writer.finishWriting()
        #expect(audio.filledGaps.count == 1 && audio.filledGaps.frames == 24_000)
        #expect(audio.ledger.captured == 48_000 && audio.ledger.isBalanced)
        let decoded = try Probe.decodedAudio(fixture.path, as: "s16le", codec: "pcm_s16le")
        #expect(decoded.count == 72_000 * 4 && decoded[(24_001 * 4)..<(47_999 * 4)].allSatisfy { $0 == 0 })
        #expect(decoded.prefix(24_000 * 4).contains { $0 != 0 } && decoded.suffix(24_000 * 4).contains { $0 != 0 })
    }

    @Test func writer_lossReportedByTheDevice_isStoredInTheMovie() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        try fixture.begin()
        try fixture.appendFrames(0..<10, to: video)
        video.recordLoss(4, cause: .device)
        try await fixture.writer.finishWriting()
        let ledger = try #require(try MovieSummary(contentsOf: fixture.writer.outputURL).ledger?["video"])
        #expect(ledger == video.ledger && ledger.captured == 14 && ledger[dropped: .device] == 4 && ledger.isBalanced)
    }

    @Test func cancelWriting_fromManyThreads_isSafe() throws {
        for round in 0..<10 {
            let fixture = try WriterFixture()
            let video = try fixture.addVideo()
            let threads = try (0..<3).map { number in
                try NamedThread("cancel-\(number)") {
                    MonotonicClock().sleep(until: MonotonicClock().nanoseconds + Int64(round * number) * 300_000)
                    fixture.writer.cancelWriting()
                }
            }
            do {
                try fixture.begin()
                try fixture.appendFrames(0..<30, to: video)
            } catch {
                #expect((error as? MediaError)?.code == .cancelled || (error as? MediaError)?.code == .invalidState)
            }
            for thread in threads { thread.join() }
            #expect(fixture.writer.status == .cancelled && fixture.directory.names == [])
        }
    }
}
