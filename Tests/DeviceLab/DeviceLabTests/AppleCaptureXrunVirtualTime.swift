import Capture
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AVCapture

/// A program that captures into a writer, whose microphone loses audio because it is not read in time.
@Suite(.serialized) struct AppleCaptureXrunVirtualTime {
    /// An output that keeps the microphone's thread busy for longer than its ring lasts, as a machine without time
    /// does.
    private final class Blocker: AVCaptureOutput, CaptureSink, @unchecked Sendable {
        // Unchecked: locked.
        private let isDue = Locked(false)

        override init() { super.init() }

        func block() { isDue.withLock { $0 = true } }

        override func accepts(_ mediaType: AVMediaType, beside connections: [AVCaptureConnection]) -> Bool {
            mediaType == .audio && connections.isEmpty
        }

        override func sink(for connection: AVCaptureConnection) -> (any CaptureSink)? { self }

        func receive(_ event: DeviceEvent) {
            let isDue = isDue.withLock { isDue in
                defer { isDue = false }
                return isDue
            }
            guard isDue else { return }
            // The ring lasts 4 s.
            let clock = MonotonicClock()
            clock.sleep(until: clock.nanoseconds + 5_000_000_000)
        }
    }

    /// Appends what a session captures to a writer, as programs do.
    private final class Recorder: NSObject, AVCaptureVideoDataOutputSampleBufferDelegate,
        AVCaptureAudioDataOutputSampleBufferDelegate, @unchecked Sendable
    {
        // Unchecked: everything but the locked is set by `start` and then used on the queue only.
        let session = AVCaptureSession()
        let (video, audio, blocker) = (AVCaptureVideoDataOutput(), AVCaptureAudioDataOutput(), Blocker())
        private let queue = DispatchQueue(label: "recorder")
        private let writer: AVAssetWriter
        private var inputs: [AVAssetWriterInput] = []
        private var hasSession = false
        private let finished = Locked(false)

        init(to url: URL) throws {
            writer = try AVAssetWriter(outputURL: url, fileType: .mov)
            super.init()
        }

        func start() throws {
            session.addInput(try AVCaptureDeviceInput(device: try AppleCaptureLab.camera()))
            session.addInput(try AVCaptureDeviceInput(device: try AppleCaptureLab.microphone()))
            video.setSampleBufferDelegate(self, queue: queue)
            video.alwaysDiscardsLateVideoFrames = false
            audio.setSampleBufferDelegate(self, queue: queue)
            for output in [video, audio, blocker] as [AVCaptureOutput] { session.addOutput(output) }
            for (type, settings) in [
                (AVMediaType.video, video.recommendedVideoSettingsForAssetWriter(writingTo: .mov)),
                (AVMediaType.audio, audio.recommendedAudioSettingsForAssetWriter(writingTo: .mov)),
            ] {
                let input = AVAssetWriterInput(mediaType: type, outputSettings: settings)
                input.expectsMediaDataInRealTime = true
                writer.add(input)
                inputs.append(input)
            }
            try #require(writer.startWriting(), "\(writer.error.map { "\($0)" } ?? "")")
            session.startRunning()
            try #require(session.isRunning)
        }

        /// Ends the recording, and returns once the movie is finalized.
        func stop() -> Bool {
            session.stopRunning()
            _ = eventually(within: 10) { video.ledger.waiting == 0 && audio.ledger.waiting == 0 }
            queue.async {
                for input in self.inputs { input.markAsFinished() }
                self.writer.finishWriting { self.finished.withLock { $0 = true } }
            }
            return eventually(within: 60) { finished.withLock { $0 } } && writer.status == .completed
        }

        func captureOutput(
            _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
        ) {
            if !hasSession {
                guard output === video else { return }
                writer.startSession(atSourceTime: sampleBuffer.presentationTimeStamp)
                hasSession = true
            }
            inputs[output === video ? 0 : 1].append(sampleBuffer)
        }
    }

    @Test func microphone_xrunsDuringASession_staysInSyncAndCountsItsDrops() throws {
        let place = try TemporaryDirectory()
        _ = try Program.run("v4l2-ctl", ["-d", "/dev/video0", "-c", "test_pattern=5,osd_text_mode=2"])
        let clap = LabCommand("exec lab-clap /dev/video0 hw:Loopback,0,0 1.4 60 150")
        defer { clap.end() }
        let recorder = try Recorder(to: place.file("movie.mov"))
        try recorder.start()
        let clock = MonotonicClock()
        let before = clock.nanoseconds
        for second in [15, 30] {
            clock.sleep(until: before + Int64(second) * 1_000_000_000)
            recorder.blocker.block()
        }
        clock.sleep(until: before + 50_000_000_000)
        #expect(recorder.session.isRunning && !recorder.session.isInterrupted)
        #expect(recorder.stop())
        let (video, audio) = (recorder.video.ledger, recorder.audio.ledger)
        #expect(video.waiting == 0 && video.dropped == 0 && video.captured > 49 * 30)
        #expect(audio.waiting == 0 && audio.dropped == audio.lost && audio.lost > 2 * 4800)
        // What was delivered and lost is what was played, to the last block.
        let seconds = Double(audio.captured) / 48_000
        #expect(seconds > 49.5 && seconds < 51, "\(seconds) s")

        let movie = MovieMeasure(url: place.file("movie.mov"))
        #expect(try movie.decodingErrors() == "")
        let claps = try ClapMeasure(movie.url, frame: 1.0 / 30, length: 0.15)
        #expect(claps.offsets.count > 20, "\(claps)")
        let (lowest, highest) = (try #require(claps.offsets.min()), try #require(claps.offsets.max()))
        // A clap inside a frame is seen in the next one, which is the camera's own uncertainty.
        #expect(lowest >= -0.005 && highest <= 0.0385, "video minus audio from \(lowest) to \(highest) s")
        #expect(highest - lowest <= 0.005, "video minus audio from \(lowest) to \(highest) s")
    }
}
