import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of when an input asks for samples, and when it takes them.
@Suite struct AVAssetWriterInputTests {
    /// The set-up of a camera app: frames arrive by a clock, and are dropped if the input is not ready.
    @Test func liveInput_readyWithSlowEncoder_refusesNoFrame() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let target = movies.directory.file("live.mov")
        try await onThread {
            let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
            let input = AVAssetWriterInput(
                mediaType: .video,
                outputSettings: [
                    AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 3840, AVVideoHeightKey: 2160,
                ])
            input.expectsMediaDataInRealTime = true
            let adaptor = AVAssetWriterInputPixelBufferAdaptor(
                assetWriterInput: input,
                sourcePixelBufferAttributes: [
                    kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange,
                    kCVPixelBufferWidthKey as String: 3840, kCVPixelBufferHeightKey as String: 2160,
                ])
            writer.add(input)
            #expect(writer.startWriting())
            writer.startSession(atSourceTime: .zero)
            var frame: CVPixelBuffer?
            CVPixelBufferPoolCreatePixelBuffer(nil, try #require(adaptor.pixelBufferPool), &frame)
            let image = try #require(frame)
            // Twice the rate that fills the queue's 96 MiB, so that slow and fast machines both drop frames.
            let tick = DispatchSemaphore(value: 0)
            let clock = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "clock"))
            clock.schedule(deadline: .now(), repeating: .milliseconds(4))
            clock.setEventHandler { tick.signal() }
            clock.resume()
            defer { clock.cancel() }
            var counts = (ready: 0, refused: 0, notReady: 0)
            for number in 0..<100 {
                tick.wait()
                guard input.isReadyForMoreMediaData else {
                    counts.notReady += 1
                    continue
                }
                counts.ready += 1
                let time = CMTime(value: Int64(number), timescale: 30)
                if !adaptor.append(image, withPresentationTime: time) { counts.refused += 1 }
            }
            #expect(counts.refused == 0 && counts.ready > 0 && counts.notReady > 0, "\(counts)")
            #expect(writer.status == .writing && writer.error == nil)
            writer.cancelWriting()
        }
    }

    /// A program that ignores the result of `startWriting`.
    @Test func requestMediaData_writerFailed_callsTheClosure() async throws {
        let movies = try MadeMovies()
        let target = movies.directory.file("there.mov")
        try Data("precious".utf8).write(to: target)
        let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: MadeMovies.h264)
        writer.add(input)
        writer.startWriting()
        writer.startSession(atSourceTime: .zero)
        let calls = CallCounter()
        input.requestMediaDataWhenReady(on: DispatchQueue(label: "feed")) {
            _ = calls.count()
            while input.isReadyForMoreMediaData {
                input.markAsFinished()
                calls.end()
            }
        }
        try await waitUntil { calls.ends == 1 }
        #expect(writer.status == .failed && calls.count() == 2)
    }

    /// Two inputs that cannot be added: one with settings that are not supported, and one that the container refuses.
    @Test(arguments: ["ap4h", "apcn"], [true, false])
    func requestMediaData_inputNotAdded_callsTheClosureOnce(codec: String, isRequestedFirst: Bool) async throws {
        let movies = try MadeMovies()
        let writer = try AVAssetWriter(outputURL: movies.directory.file("no.mp4"), fileType: .mp4)
        let input = AVAssetWriterInput(
            mediaType: .video, outputSettings: [AVVideoCodecKey: codec, AVVideoWidthKey: 64, AVVideoHeightKey: 48])
        let (calls, passes) = (CallCounter(), CallCounter())
        func request() {
            input.requestMediaDataWhenReady(on: DispatchQueue(label: "feed")) {
                _ = calls.count()
                while input.isReadyForMoreMediaData {
                    if input.append(CMSampleBuffer.withoutData) { continue }
                    input.markAsFinished()
                    calls.end()
                }
            }
            input.respondToEachPassDescription(on: DispatchQueue(label: "passes")) {
                if input.currentPassDescription == nil { passes.end() }
            }
        }
        #expect(!writer.canAdd(input))
        if isRequestedFirst { request() }
        writer.add(input)
        if !isRequestedFirst { request() }
        #expect(writer.status == .failed && !writer.startWriting())
        try await waitUntil { calls.ends == 1 && passes.ends == 1 }
        #expect(calls.count() == 2 && !input.isReadyForMoreMediaData)
    }

    @Test func input_addedToASecondWriter_staysWithTheFirst() throws {
        let movies = try MadeMovies()
        let first = try AVAssetWriter(outputURL: movies.directory.file("first.mov"), fileType: .mov)
        let second = try AVAssetWriter(outputURL: movies.directory.file("second.mov"), fileType: .mov)
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: MadeMovies.h264)
        first.add(input)
        second.add(input)
        #expect(first.status == .unknown && second.status == .failed && !input.isReadyForMoreMediaData)
        #expect(first.startWriting())
        first.cancelWriting()
    }

    @Test func requestMediaData_writerFailsDuringIt_notifiesOnce() async throws {
        let movies = try MadeMovies()
        let writer = try AVAssetWriter(outputURL: movies.directory.file("fails.mov"), fileType: .mov)
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: MadeMovies.h264)
        writer.add(input)
        writer.startWriting()
        let calls = CallCounter()
        let gate = Gate()
        input.requestMediaDataWhenReady(on: DispatchQueue(label: "feed")) {
            if calls.count() == 1 { gate.open() }
            while input.isReadyForMoreMediaData {
                guard writer.status == .writing else {
                    input.markAsFinished()
                    return calls.end()
                }
                _ = input.append(CMSampleBuffer.withoutData)
            }
        }
        writer.startSession(atSourceTime: .zero)
        #expect(gate.wait())
        try await waitUntil { calls.ends == 1 }
        #expect(writer.status == .failed && calls.ends == 1)
    }
}

private final class CallCounter: @unchecked Sendable {
    // Unchecked: `lock` protects both counts.
    private let lock = NSLock()
    private var (calls, ended) = (0, 0)
    func count() -> Int {
        lock.withLock {
            calls += 1
            return calls
        }
    }
    func end() { lock.withLock { ended += 1 } }
    var ends: Int { lock.withLock { ended } }
}

extension CMSampleBuffer {
    fileprivate static var withoutData: CMSampleBuffer {
        var sample: CMSampleBuffer?
        CMSampleBufferCreate(
            allocator: nil, dataBuffer: nil, dataReady: true, makeDataReadyCallback: nil, refcon: nil,
            formatDescription: nil, sampleCount: 0, sampleTimingEntryCount: 0, sampleTimingArray: nil,
            sampleSizeEntryCount: 0, sampleSizeArray: nil, sampleBufferOut: &sample)
        return sample!
    }
}
