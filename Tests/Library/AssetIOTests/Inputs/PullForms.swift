import Dispatch
import MediaTypes
import RealTime
import TestSupport

@testable import AssetIO

/// The ways in which a source that can wait feeds an input.
enum PullForm: String, CaseIterable, Sendable {
    /// Calls `append` while ready, otherwise waits for `readiness`.
    case readiness
    /// Uses `requestMediaDataWhenReady`.
    case request
    /// Uses `SampleBufferReceiver.append`.
    case receiver
    /// Uses `BlockingFeed.append` on a thread of its own.
    case blocking
}

extension AssetWriterInput {
    /// Appends samples 0 to `count` in one of the forms, then marks the input as finished.
    func feed(
        _ form: PullForm, _ count: Int, finishes: Bool = true, sample: @escaping @Sendable (Int) -> SampleBuffer
    ) async throws {
        switch form {
        case .readiness:
            var number = 0
            for await isReady in readiness where isReady {
                while number < count, try append(sample(number)) { number += 1 }
                if number == count { break }
            }
            if number < count { throw error ?? MediaError(.cancelled, "cannot feed", reason: "the input has ended") }
            if finishes { markAsFinished() }
        case .request: try await request(count, finishes: finishes, sample: sample)
        case .blocking: try await block(count, finishes: finishes, sample: sample)
        case .receiver:
            let receiver = try SampleBufferReceiver(self)
            for number in 0..<count { try await receiver.append(sample(number)) }
            if finishes { receiver.finish() }
        }
    }

    private func block(
        _ count: Int, finishes: Bool, sample: @escaping @Sendable (Int) -> SampleBuffer
    ) async throws {
        let queue = DispatchQueue(label: "blocking source")
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async {
                continuation.resume(
                    with: Result {
                        let feed = BlockingFeed(self)
                        for number in 0..<count { try feed.append(sample(number)) }
                        if finishes { self.markAsFinished() }
                    })
            }
        }
    }

    private func request(
        _ count: Int, finishes: Bool, sample: @escaping @Sendable (Int) -> SampleBuffer
    ) async throws {
        let position = Locked(0)
        let (results, ending) = AsyncStream.makeStream(of: (any Error)?.self)
        let queue = DispatchQueue(label: "source")
        try requestMediaDataWhenReady(on: queue) {
            do {
                guard self.isReadyForMoreMediaData || self.feed.readiness.value == .notReady else {
                    throw self.error ?? MediaError(.cancelled, "cannot feed", reason: "the input has failed")
                }
                while self.isReadyForMoreMediaData {
                    let number = position.withLock { $0 }
                    guard number < count else {
                        if finishes { self.markAsFinished() } else { self.feed.endRequest() }
                        ending.yield(nil)
                        return ending.finish()
                    }
                    if try self.append(sample(number)) { position.withLock { $0 += 1 } }
                }
            } catch {
                self.feed.endRequest()
                ending.yield(error)
                ending.finish()
            }
        }
        for await error in results {
            if let error { throw error }
        }
    }
}

extension WriterFixture {
    /// Adds a track for a source that can wait.
    func addPull(
        _ type: MediaType, _ settings: OutputSettings?, hint: FormatDescription? = nil,
        configure: (inout AssetWriterInput.Configuration) -> Void = { _ in }
    ) throws -> AssetWriterInput {
        let input = try AssetWriterInput(mediaType: type, outputSettings: settings, sourceFormatHint: hint)
        try input.configure(configure)
        try writer.add(input)
        return input
    }

    func addPullVideo(width: Int = 64, height: Int = 48) throws -> AssetWriterInput {
        try addPull(.video, .video(VideoSettings(width: width, height: height, expectedFrameRate: 30)))
    }

    func addPullAudio(_ settings: AudioSettings = AudioSettings()) throws -> AssetWriterInput {
        try addPull(.audio, .audio(settings), hint: .audio(SyntheticMedia.pcm))
    }

    /// A frame at 30 fps.
    static func frame(_ number: Int) -> SampleBuffer {
        SyntheticMedia.videoSample(number, at: time(Double(number) / 30), width: 64, height: 48)
    }

    /// A thirtieth of a second of a tone.
    static func audio(_ block: Int) -> SampleBuffer {
        SyntheticMedia.tone(
            from: block * 1600, count: 1600, at: start + MediaTime(value: Int64(block) * 1600, timescale: 48_000))
    }
}
