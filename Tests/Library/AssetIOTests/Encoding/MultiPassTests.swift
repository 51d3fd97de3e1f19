import Dispatch
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of sources that are read more than once.
@Suite struct MultiPassTests {
    private typealias Calls = Locked<[FakeTrackEncoder.Call]>

    /// A writer whose video encoder reads the source twice, and records its calls.
    private func fixture(_ calls: Calls, passes: Int = 2, failingPass: Int? = nil) throws -> WriterFixture {
        try WriterFixture {
            $0.makeEncoder = { input, directory throws(MediaError) in
                guard input.mediaType == .video else {
                    return try input.encoderOptions(temporaryDirectory: directory).open()
                }
                return try MultiPassTrackEncoder(passCount: passes) { pass throws(MediaError) in
                    if pass == failingPass { throw FakeTrackEncoder.failure }
                    return FakeTrackEncoder(pass: pass, calls: calls)
                }
            }
        }
    }

    private func encoded(_ calls: Calls, _ pass: Int) -> Int {
        calls.withLock { calls in
            calls.filter { if case .encoded(pass, _) = $0 { true } else { false } }.count
        }
    }

    private func addVideo(_ fixture: WriterFixture) throws -> AssetWriterInput {
        try fixture.addPull(.video, .video(VideoSettings(width: 64, height: 48))) {
            $0.performsMultiPassEncodingIfSupported = true
        }
    }

    @Test func passSequence_twoPasses_returnsEachAndEnds() async throws {
        let calls = Calls([])
        let fixture = try fixture(calls)
        let video = try addVideo(fixture)
        #expect(!video.canPerformMultiplePasses && video.currentPassDescription == nil)
        try fixture.writer.startWriting()
        #expect(video.canPerformMultiplePasses && video.currentPassDescription == nil)
        try fixture.writer.startSession(atSourceTime: WriterFixture.start)
        let whole = [TimeRange(start: WriterFixture.start, duration: .positiveInfinity)]
        var passes = 0
        for await pass in video.passDescriptions {
            passes += 1
            #expect(pass.sourceTimeRanges == whole && video.currentPassDescription == pass)
            try await video.feed(.readiness, 60, finishes: false) { WriterFixture.frame($0) }
            try video.markCurrentPassAsFinished()
        }
        #expect(passes == 2 && video.currentPassDescription == nil && !video.isReadyForMoreMediaData)
        #expect(code { try video.markCurrentPassAsFinished() } == .invalidState)
        video.markAsFinished()
        try await fixture.writer.finishWriting()
        #expect(encoded(calls, 1) == 60 && encoded(calls, 2) == 60)
        // One pass counts, and is stored.
        #expect(video.ledger.captured == 60 && video.ledger.written == 60)
        #expect(try Probe(fixture.path).video?.nbFrames == "60")
        // The first encoder is closed before the second is opened.
        let order = calls.withLock { $0.filter { if case .encoded = $0 { false } else { true } } }
        #expect(order == [.opened(1), .finished(1), .closed(1), .opened(2), .finished(2), .closed(2)])
    }

    @Test func passResponder_isCalledForEachPassAndOnceAtTheEnd() async throws {
        let calls = Calls([])
        let fixture = try fixture(calls, passes: 3)
        let video = try addVideo(fixture)
        let queue = DispatchQueue(label: "client")
        let described = Locked<[Bool]>([])
        try video.respondToEachPassDescription(on: queue) {
            let isThere = video.currentPassDescription != nil
            described.withLock { $0.append(isThere) }
            guard isThere else { return video.markAsFinished() }
            let number = Locked(0)
            try? video.requestMediaDataWhenReady(on: queue) {
                while video.isReadyForMoreMediaData {
                    let next = number.withLock { $0 }
                    guard next < 40 else { return try! video.markCurrentPassAsFinished() }
                    if (try? video.append(WriterFixture.frame(next))) == true { number.withLock { $0 += 1 } }
                }
            }
        }
        #expect(code { try video.respondToEachPassDescription(on: queue) {} } == .invalidState)
        try fixture.begin()
        #expect(eventually { described.withLock { $0.count } == 4 && video.ledger.pending == 0 })
        try await fixture.writer.finishWriting()
        queue.sync {}
        #expect(described.withLock { $0 } == [true, true, true, false])
        #expect((1...3).map { encoded(calls, $0) } == [40, 40, 40] && video.ledger.written == 40)
    }

    @Test func input_constantQuality_hasOnePass() async throws {
        let fixture = try WriterFixture()
        let video = try addVideo(fixture)
        try fixture.begin()
        // A constant quality does not benefit from a second pass.
        #expect(!video.canPerformMultiplePasses)
        var passes = 0
        for await _ in video.passDescriptions {
            passes += 1
            try await video.feed(.readiness, 30, finishes: false) { WriterFixture.frame($0) }
            try video.markCurrentPassAsFinished()
        }
        video.markAsFinished()
        try await fixture.writer.finishWriting()
        #expect(passes == 1 && video.ledger.written == 30)
    }

    @Test func multiPass_firstPass_runsAheadWhileOthersWait() async throws {
        let calls = Calls([])
        let fixture = try fixture(calls)
        let video = try addVideo(fixture)
        let audio = try fixture.addPullAudio()
        try fixture.begin()
        // Ten seconds of video without audio.
        try await video.feed(.readiness, 300, finishes: false) { WriterFixture.frame($0) }
        for block in 0..<31 { #expect(try audio.append(WriterFixture.audio(block))) }
        #expect(try !audio.append(WriterFixture.audio(31)) && !audio.isReadyForMoreMediaData)
        try video.markCurrentPassAsFinished()
        async let audioFeed: Void = {
            for block in 31..<300 { try await audio.appendWhenReady(WriterFixture.audio(block)) }
            audio.markAsFinished()
        }()
        #expect(eventually { video.currentPassDescription != nil })
        async let frames: Void = video.feed(.readiness, 300) { WriterFixture.frame($0) }
        _ = try await (audioFeed, frames)
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == 300 && audio.ledger.written == 480_000)
    }

    @Test func writer_trackFinishedInItsFirstPass_throws() async throws {
        let calls = Calls([])
        let fixture = try fixture(calls)
        let video = try addVideo(fixture)
        try fixture.begin()
        try await video.feed(.readiness, 30) { WriterFixture.frame($0) }
        let error = await #expect(throws: MediaError.self) { try await fixture.writer.finishWriting() }
        #expect(error?.code == .invalidState && error?.reason.contains("first pass") == true)
    }

    @Test func writer_secondPassCannotBegin_fails() async throws {
        let calls = Calls([])
        let fixture = try fixture(calls, failingPass: 2)
        let video = try addVideo(fixture)
        try fixture.begin()
        try await video.feed(.readiness, 30, finishes: false) { WriterFixture.frame($0) }
        try video.markCurrentPassAsFinished()
        for await _ in video.passDescriptions { #expect(Bool(false)) }
        #expect(
            eventually { fixture.writer.error == FakeTrackEncoder.failure } && video.error == FakeTrackEncoder.failure)
    }

    // MARK: x264

    /// Moving noise, which needs many bits.
    private static func noisy(_ number: Int) -> SampleBuffer {
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: .nv12, width: 128, height: 96))
        let luma = buffer.plane(0)
        let noise = SyntheticMedia.noise(luma.count, seed: UInt64(number / (number % 90 < 45 ? 1 : 3) + 1))
        for index in luma.indices { luma[index] = 64 + noise[index] / 4 }
        _ = buffer.plane(1).initializeMemory(as: UInt8.self, repeating: 128)
        return SampleBuffer(
            pixels: buffer.finish(), presentationTime: WriterFixture.time(Double(number) / 30),
            duration: MediaTime(value: 1, timescale: 30))
    }

    @Test func twoPasses_meetTheBitRateAndLeaveNoStatistics() async throws {
        let fixture = try WriterFixture()
        let statistics = try TemporaryDirectory()
        try fixture.writer.configure { $0.directoryForTemporaryFiles = statistics.url }
        let rate = 600_000
        let video = try fixture.addPull(
            .video,
            .video(
                VideoSettings(
                    width: 128, height: 96, rateControl: .bitRate(rate), preset: "veryfast", expectedFrameRate: 30))
        ) { $0.performsMultiPassEncodingIfSupported = true }
        try fixture.begin()
        #expect(video.canPerformMultiplePasses && statistics.names.count == 1)
        for await _ in video.passDescriptions {
            try await video.feed(.readiness, 300, finishes: false) { Self.noisy($0) }
            try video.markCurrentPassAsFinished()
        }
        video.markAsFinished()
        try await fixture.writer.finishWriting()
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 300 && abs(probe.format.seconds - 10) < 0.001)
        let sizes = try Probe.ask(fixture.path, "packet=size", of: "v:0").text.split(separator: "\n").compactMap {
            Int($0.trimmingCharacters(in: [",", " "]))
        }
        let target = Double(rate) / 8 * 10
        let size = Double(sizes.reduce(0, +))
        #expect(abs(size / target - 1) < 0.02, "\(size) of \(target) bytes")
        #expect(statistics.names == [])
    }

    @Test(arguments: ["cancel", "fail", "abandon", "start"]) func passStatistics_anyEnd_areDeleted(end: String)
        async throws
    {
        let statistics = try TemporaryDirectory()
        do {
            let fixture = try WriterFixture {
                $0.openFile = { path throws(MediaError) in
                    if end == "start" { throw MediaError(errno: 28, "cannot create") }
                    return try FaultyDisk(path, failingWrite: 1)
                }
            }
            try fixture.writer.configure { $0.directoryForTemporaryFiles = statistics.url }
            let video = try fixture.addPull(
                .video, .video(VideoSettings(width: 64, height: 48, rateControl: .bitRate(100_000)))
            ) { $0.performsMultiPassEncodingIfSupported = true }
            let audio = try fixture.addPullAudio()
            if end == "start" {
                #expect(throws: MediaError.self) { try fixture.begin() }
            } else {
                try fixture.begin()
                try await video.feed(.readiness, 30, finishes: false) { WriterFixture.frame($0) }
                #expect(statistics.names.count == 1)
                if end == "cancel" { fixture.writer.cancelWriting() }
                if end == "fail" {
                    video.markAsFinished()
                    audio.markAsFinished()
                    #expect(eventually { fixture.writer.status == .failed })
                }
            }
        }
        #expect(eventually { statistics.names == [] })
    }
}
