import Dispatch
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the blocking forms, for threads that are not tasks.
@Suite(.serialized) struct BlockingFormsTests {
    /// Runs `body` while every thread of Swift's pool is blocked: code that waits for one of them never ends.
    private func withBlockedPool(_ body: () throws -> Void) throws {
        let count = ProcessInfo.processInfo.activeProcessorCount
        let state = Locked((started: 0, isOver: false))
        for _ in 0..<count * 2 {
            Task.detached {
                state.withLock { $0.started += 1 }
                state.broadcast()
                state.waiting { $0.isOver ? () : nil }
            }
        }
        defer {
            state.withLock { $0.isOver = true }
            state.broadcast()
        }
        // One thread of the pool is this test's own.
        let isFull = state.waiting(atMost: 20_000_000_000) { $0.started >= count - 1 ? true : nil }
        try #require(isFull == true)
        try body()
    }

    /// Waits until a callback has counted to `count`.
    private func wait(for counter: Locked<Int>, _ count: Int) -> Bool {
        counter.waiting(atMost: 60_000_000_000) { $0 >= count ? () : nil } != nil
    }

    @Test func loadNow_poolBlocked_returnsPropertiesAndImages() throws {
        let fixture = try ReadingFixture()
        let url = try StillsFixture.movie(fixture)
        try withBlockedPool {
            let asset = Asset(url: url)
            if case .unknown = asset.status(of: .duration) {} else { Issue.record("the duration was not asked for") }
            #expect(try asset.loadNow(.duration).seconds == 4)
            #expect(try asset.tracksNow(withMediaType: .video).count == 1)
            #expect(try asset.tracksNow(withMediaCharacteristic: .audible).isEmpty)
            guard case .loaded(let duration) = asset.status(of: .duration) else { throw CancellationError() }
            #expect(duration.seconds == 4)
            let generator = FrameGenerator.exact(url)
            let (image, time) = try generator.imageNow(at: StillsFixture.time(1.51))
            #expect(StillsFixture.number(image) == 45 && time == StillsFixture.time(1.5))
        }
    }

    @Test func loadNow_missingFile_fails() {
        let asset = Asset(url: URL(fileURLWithPath: "/nowhere/movie.mov"))
        let error = #expect(throws: MediaError.self) { try asset.loadNow(.tracks) }
        #expect(error?.code == .notFound)
        if case .failed(let status) = asset.status(of: .tracks) {
            #expect(status.code == .notFound)
        } else {
            Issue.record("the status says nothing of it")
        }
        let frame = #expect(throws: MediaError.self) { try FrameGenerator(asset: asset).imageNow(at: .zero) }
        #expect(frame?.code == .notFound)
    }

    @Test func generateImages_severalTimes_reportsEachInOrder() throws {
        let fixture = try ReadingFixture()
        let generator = FrameGenerator.exact(try StillsFixture.movie(fixture))
        let times = [0.1, 9, 2.5, 1.5].map(StillsFixture.time)
        let (calls, asked, numbers) = (Locked(0), Locked<[MediaTime]>([]), Locked<[Int]>([]))
        try withBlockedPool {
            generator.generateImages(for: times) { generated in
                asked.withLock { $0.append(generated.requestedTime) }
                if case .succeeded(let image, _) = generated.outcome {
                    // A call may request another image.
                    let again = try? generator.imageNow(at: generated.requestedTime).image
                    if again.map(StillsFixture.number) == StillsFixture.number(image) {
                        numbers.withLock { $0.append(StillsFixture.number(image)) }
                    }
                }
                calls.withLock { $0 += 1 }
                calls.broadcast()
            }
            #expect(wait(for: calls, 4))
        }
        #expect(asked.withLock { $0 } == times && numbers.withLock { $0 } == [3, 75, 45])
    }

    @Test func generateImages_cancelled_isReportedInEachCallback() throws {
        let fixture = try ReadingFixture()
        let generator = FrameGenerator.exact(try StillsFixture.movie(fixture))
        let (calls, cancelled) = (Locked(0), Locked(0))
        generator.generateImages(for: [0.1, 0.2, 0.3].map(StillsFixture.time)) { generated in
            if case .cancelled = generated.outcome { cancelled.withLock { $0 += 1 } }
            generator.cancelAllImageGeneration()
            calls.withLock { $0 += 1 }
            calls.broadcast()
        }
        #expect(wait(for: calls, 3))
        #expect(cancelled.withLock { $0 } == 2)
    }

    @Test func finishWritingNow_returnsWhenTheMovieIsFinalized() throws {
        let fixture = try WriterFixture()
        let (video, audio) = (try fixture.addVideo(), try fixture.addAudio())
        try fixture.begin()
        try fixture.appendFrames(0..<30, to: video)
        try fixture.appendTone(0..<30, to: audio)
        try withBlockedPool {
            try fixture.writer.finishWritingNow()
            #expect(fixture.writer.status == .completed && FileManager.default.fileExists(atPath: fixture.path))
            let error = #expect(throws: MediaError.self) { try fixture.writer.finishWritingNow() }
            #expect(error?.code == .invalidState)
        }
        #expect(try Probe(fixture.path, decodes: true).video?.frames == 30)
    }

    @Test func finishWritingNow_diskFull_throwsAndLeavesTheNameFree() throws {
        let fixture = try WriterFixture {
            $0.openFile = { path throws(MediaError) in try FaultyDisk(path, failingWrite: 2) }
        }
        let video = try fixture.addVideo()
        try fixture.begin()
        try fixture.appendFrames(0..<3, to: video)
        let error = #expect(throws: MediaError.self) { try fixture.writer.finishWritingNow() }
        #expect(error?.code == .diskFull && fixture.writer.status == .failed)
        #expect(!FileManager.default.fileExists(atPath: fixture.path))
    }

    @Test func finishWriting_withHandler_callsItOnce() throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        let (calls, results) = (Locked(0), Locked<[MediaError.Code?]>([]))
        @Sendable func took(_ result: Result<Void, MediaError>) {
            results.withLock { results in
                if case .failure(let error) = result { results.append(error.code) } else { results.append(nil) }
            }
            calls.withLock { $0 += 1 }
            calls.broadcast()
        }
        fixture.writer.finishWriting(completionHandler: took)
        #expect(wait(for: calls, 1))
        try fixture.begin()
        try fixture.appendFrames(0..<3, to: video)
        try withBlockedPool {
            fixture.writer.finishWriting(completionHandler: took)
            #expect(wait(for: calls, 2))
        }
        #expect(results.withLock { $0 } == [.invalidState, nil])
        #expect(FileManager.default.fileExists(atPath: fixture.path))
    }

    @Test func exportNow_poolBlocked_completes() throws {
        let fixture = try ReadingFixture()
        let source = try fixture.movie()
        let (now, later) = (fixture.directory.file("now.mov"), fixture.directory.file("later.mov"))
        let (calls, failures) = (Locked(0), Locked<[MediaError.Code]>([]))
        @Sendable func took(_ result: Result<Void, MediaError>) {
            if case .failure(let error) = result { failures.withLock { $0.append(error.code) } }
            calls.withLock { $0 += 1 }
            calls.broadcast()
        }
        try withBlockedPool {
            let asset = Asset(url: source)
            #expect(try ExportSession.exportPresetsNow(compatibleWith: asset).contains(.highQuality))
            let first = try ExportSession(asset: asset)
            #expect(try first.supportedFileTypesNow().contains(.mov) && first.estimatedOutputFileLengthNow() > 0)
            try first.exportNow(to: now)
            #expect(first.status == .completed)
            let second = try ExportSession(asset: asset, preset: .passthrough)
            second.export(to: later, completionHandler: took)
            #expect(wait(for: calls, 1) && second.status == .completed)
            second.export(to: later, completionHandler: took)
            #expect(wait(for: calls, 2) && second.status == .completed)
            // The file name is in use.
            let third = try ExportSession(asset: asset)
            third.export(to: later, completionHandler: took)
            #expect(wait(for: calls, 3) && third.status == .failed)
        }
        #expect(failures.withLock { $0 } == [.invalidState, .outputExists])
        for url in [now, later] { #expect(try Probe(url.path, decodes: true).video?.frames == 30) }
    }

    @Test func export_cancelled_callsBackOnceAndLeavesNothing() throws {
        let fixture = try ReadingFixture()
        let session = try ExportSession(asset: Asset(url: try fixture.movie()))
        let copy = fixture.directory.file("copy.mov")
        let (calls, failure) = (Locked(0), Locked<MediaError.Code?>(nil))
        session.export(to: copy) { result in
            if case .failure(let error) = result { failure.withLock { $0 = error.code } }
            calls.withLock { $0 += 1 }
            calls.broadcast()
        }
        session.cancelExport()
        #expect(wait(for: calls, 1))
        #expect(failure.withLock { $0 } == .cancelled && session.status == .cancelled)
        #expect(!FileManager.default.fileExists(atPath: copy.path))
    }

    @Test func composition_poolBlocked_isBuilt() throws {
        let fixture = try ReadingFixture()
        let source = try fixture.movie()
        try withBlockedPool {
            let asset = Asset(url: source)
            var composition = Composition()
            let whole = TimeRange(start: .zero, end: .positiveInfinity)
            try composition.insertTimeRangeNow(whole, of: asset, at: .zero)
            try composition.insertTimeRangeNow(whole, of: asset, at: .zero)
            #expect(abs(try Asset(composition).loadNow(.duration).seconds - 2) < 0.1)
            #expect(try VideoComposition(propertiesNowOf: asset).instructions.count == 1)
        }
    }
}
